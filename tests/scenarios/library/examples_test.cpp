// The scenarios of the library: a complete list, suggestions for misspelled names.
#include "scenarios/library/library.h"
#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/variable.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("examples: every one has a question, is read by its name") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const std::vector<Example> examples = library_examples();
  CHECK(examples.size() > 30);
  for (const Example& example : examples) {
    CAPTURE(example.name);
    CHECK_FALSE(example.question.empty());
    CHECK_NOTHROW(read_scenario(example.name, {}));
  }
  const auto named = [&](const std::string& name) {
    return std::ranges::find(examples, name, &Example::name);
  };
  REQUIRE(named("quickstart") != examples.end());
  CHECK(named("quickstart")->question.find("does async finish sooner") != std::string::npos);
  CHECK(named("quickstart") < named("studies/slow_worker"));
  CHECK(named("studies/slow_worker") < named("published/claims/lenet"));
  CHECK(named("hardware/dgx-1") == examples.end());
  CHECK(named("published/lenet_batch_sweep/machine") == examples.end());
}

TEST_CASE("examples: a name that there is not is told with the one that was meant") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const auto told = [](const std::string& path) {
    return error_of([&] { read_scenario(path, {}); });
  };
  CHECK(told("quickstrat") ==
        "quickstrat: there is no such file, and no such scenario in the library; did you mean "
        "quickstart? foretrain examples lists its scenarios");
  CHECK(told("slow_worker").find("did you mean studies/slow_worker? ") != std::string::npos);
  CHECK(told("elsewhere/quickstart.yaml").find("did you mean quickstart? ") != std::string::npos);
  CHECK(told("nothing-like-it.yaml") ==
        "nothing-like-it.yaml: there is no such file, and no such scenario in the library; "
        "foretrain examples lists its scenarios");
}

TEST_CASE("examples: a library of one's own is listed, one that is damaged is told") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const TempFolder folder;
  std::ofstream(folder / "b.yaml") << "foretrain: 1\nquestion: Why?\n";
  std::ofstream(folder / "machine.yaml") << "foretrain_machine: 1\n";
  library_variable.set(folder.path());
  std::vector<Example> examples = library_examples();
  REQUIRE(examples.size() == 1);
  CHECK(examples.front().name == "b");
  CHECK(examples.front().question == "Why?");
  std::ofstream(folder / "c.yaml") << "foretrain: [1\n";
  CHECK(error_of([] { library_examples(); }).find("c.yaml:") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
