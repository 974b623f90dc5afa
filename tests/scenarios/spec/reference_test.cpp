// The reference of keys: complete, equal to the committed file.
#include "scenarios/spec/reference.h"

#include "tests/support/line_diff.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("reference: the committed one is the one of this program") {
  std::ifstream file(source_dir() + "/scenarios/REFERENCE.md");
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  INFO("write it anew: foretrain describe keys >scenarios/REFERENCE.md\n"
       << testing::line_diff(committed, reference_markdown()));
  CHECK(committed == reference_markdown());
}

TEST_CASE("reference: it has the keys that the reader takes, each once") {
  std::vector<std::string> paths;
  for (const KeyText& key : scenario_reference()) paths.push_back(key.path);
  std::vector<std::string> keys = scenario_keys();
  std::ranges::sort(paths);
  std::ranges::sort(keys);
  REQUIRE(keys.size() > 200);
  CHECK(paths == keys);
}

TEST_CASE("reference: a key has its values, its default, a text") {
  const std::vector<KeyText> keys = scenario_reference();
  for (const KeyText& key : keys) {
    CAPTURE(key.path);
    CHECK_FALSE(key.value.empty());
    CHECK_FALSE(key.doc.empty());
    CHECK_FALSE((key.required && !key.fallback.empty()));
  }
  const auto key_of = [&](const std::string& path) {
    const auto found = std::ranges::find(keys, path, &KeyText::path);
    REQUIRE(found != keys.end());
    return *found;
  };
  CHECK(key_of("foretrain").required);
  CHECK(key_of("training.strategy").fallback == "sync");
  CHECK(key_of("training.strategy").value.find("all_reduce") != std::string::npos);
  CHECK(key_of("training.batch_size").value == "whole number, 1 or more");
  CHECK(key_of("training.batch_size").fallback == "64");
  CHECK(key_of("training.accumulate").value == "whole number, 1 to 1024");
  CHECK(key_of("training.steps").fallback.empty());
  CHECK(key_of("training.until.accuracy").value == "number, above 0, up to 1, or per cent");
  CHECK(key_of("training.bucket_size").value == "size, per_tensor");
  CHECK(key_of("training.bucket_size").fallback == "1 MB");
  CHECK(key_of("training.overlap").value == "on, off");
  CHECK(key_of("training.overlap").fallback == "on");
  CHECK(key_of("cluster.hosts[].name").required);
  CHECK(key_of("cluster.hosts[].nic").value == "rate");
  CHECK(key_of("cluster.hosts[].price").value == "price");
  CHECK(key_of("cluster.leaf_spine").doc ==
        "two levels of switches; only topology leaf_spine has leaves");
  CHECK(key_of("checkpoint").value == "mapping, or its every alone");
  CHECK(key_of("checkpoint.every").value == "steps, time");
  CHECK(key_of("stragglers[].workers").value == "all; or list of whole numbers, 0 or more");
  CHECK(key_of("stragglers[].workers").fallback == "all");
  CHECK(key_of("model.layers").value == "list, each a mapping, or its kind alone");
}

TEST_CASE("reference: as Markdown each key is one row of the table of its part") {
  const std::string text = reference_markdown();
  for (const KeyText& key : scenario_reference()) {
    CAPTURE(key.path);
    const bool part = key.path.find_first_of(".[") == std::string::npos;
    const bool row = text.find("\n| `" + key.path + "` | ") != std::string::npos;
    const bool heading = text.find("\n## " + key.path + "\n") != std::string::npos;
    CHECK((row || (part && heading)));
  }
  CHECK(text.find("## cluster\n") < text.find("| `cluster.hosts[].nic` |"));
}

}  // namespace
}  // namespace foretrain
