// Suggestions for misspelled words.
#include "scenarios/language/propose.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("propose: an edit is a letter more, less, another one, or two that changed places") {
  CHECK(edit_distance("step", "step") == 0);
  CHECK(edit_distance("step", "steps") == 1);
  CHECK(edit_distance("steps", "step") == 1);
  CHECK(edit_distance("stop", "step") == 1);
  CHECK(edit_distance("setp", "step") == 1);
  CHECK(edit_distance("", "step") == 4);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ca", "abc") == 3);  // no letter is edited twice
}

TEST_CASE("propose: a name is found in any case, none by a part of it") {
  const std::vector<std::string> names{"llama-3-8b", "p5.48xlarge", "p5.48"};
  CHECK(in_any_case("P5.48XLarge", names) == "p5.48xlarge");
  CHECK(in_any_case("llama-3-8b", names) == "llama-3-8b");
  CHECK(in_any_case("P5.48x", names).empty());
  CHECK(in_any_case("p5,48", names).empty());
}

TEST_CASE("propose: longer names may have more slips") {
  const std::vector<std::string> keys{"nic", "steps", "batch_size"};
  CHECK(nearest("nci", keys) == "nic");
  CHECK(nearest("xyc", keys).empty());
  CHECK(nearest("stepps", keys) == "steps");
  CHECK(nearest("stxyps", keys) == "steps");
  CHECK(nearest("sxyzps", keys).empty());
  CHECK(nearest("batchsiez", keys) == "batch_size");
  CHECK(nearest("bathc_siezz", keys) == "batch_size");
}

TEST_CASE("propose: the nearest one wins and among equals the first") {
  CHECK(nearest("epoch", std::vector<std::string>{"epochal", "epochs"}) == "epochs");
  CHECK(nearest("node", std::vector<std::string>{"nodes", "mode"}) == "nodes");
}

TEST_CASE("propose: a whole paragraph is no slip of anything") {
  const std::vector<std::string> keys{std::string(101, 'a')};
  CHECK(nearest(std::string(101, 'a'), keys).empty());
  CHECK(nearest("steps", {}).empty());
}

}  // namespace
}  // namespace foretrain
