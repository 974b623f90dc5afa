// The catalog of scenarios, of hosts.
#include "reports/serve/routes.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace foretrain::serve {
namespace {

TEST_CASE("shelf: the library's scenarios with their text, hosts, strategies") {
  const auto shelf = catalog_json("");
  CHECK(shelf.at("first") == "scenarios/quickstart.yaml");
  std::set<std::string> files;
  for (const auto& each : shelf.at("scenarios")) {
    CAPTURE(each.at("file").get<std::string>());
    CHECK(files.insert(each.at("file")).second);
    CHECK_FALSE(each.at("question").get<std::string>().empty());
    CHECK_FALSE(parse_scenario(each.at("text"), each.at("file")).empty());
  }
  CHECK(files.contains("scenarios/studies/slow_worker.yaml"));
  CHECK_FALSE(files.contains("scenarios/validation/loopback.yaml"));
  std::set<std::string> hosts;
  for (const auto& each : shelf.at("hosts")) hosts.insert(each.at("name"));
  CHECK(hosts.contains("p3.16xlarge"));
  CHECK(shelf.at("strategies").size() > 4);
}

TEST_CASE("shelf: a file of one's own comes first") {
  const testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "mine.yaml").string();
  testing::write_text(file, "foretrain: 1\nname: mine\ntraining: {steps: 10}\n");
  const auto shelf = catalog_json(file);
  CHECK(shelf.at("first") == file);
  CHECK(shelf.at("scenarios").at(0).at("file") == file);
  const auto known = catalog_json("scenarios/studies/jitter.yaml");
  CHECK(known.at("first") == "scenarios/studies/jitter.yaml");
  CHECK(known.at("scenarios").size() + 1 == shelf.at("scenarios").size());
  CHECK_THROWS_AS(catalog_json((folder.path() / "none.yaml").string()), InputError);
}

}  // namespace
}  // namespace foretrain::serve
