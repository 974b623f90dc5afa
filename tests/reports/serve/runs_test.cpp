// Real trainings started by the page, without processes.
#include "reports/serve/runs.h"

#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::serve {
namespace {

using namespace foretrain::testing;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Processes that act as the test says.
struct MadeUpProcesses {
  std::vector<std::vector<std::string>> started;
  std::map<int, std::string> over;  ///< how each ended
  std::vector<int> ended;

  Processes all() {
    return {[this](const std::vector<std::string>& words) {
              started.push_back(words);
              return 1'000'000'000 + static_cast<int>(started.size());
            },
            [this](int process) -> std::optional<std::string> {
              const auto found = over.find(process);
              return found == over.end() ? std::nullopt : std::optional(found->second);
            },
            [this](int process) { ended.push_back(process); }};
  }
};

Asked asked_of(const std::string& text, const std::string& file = {}) {
  return read_asked(read_question(Json{{"file", file}, {"text", text}}.dump()));
}

TEST_CASE("runs: one at a time, each into a folder of its own, from its saved text") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  MadeUpProcesses processes;
  Runs runs(processes.all(), out);
  const std::string text = "foretrain: 1\nname: tried\ntraining: {steps: 10}\n";
  CHECK(runs.start(asked_of(text)) == 1);
  REQUIRE(processes.started.size() == 1);
  const std::vector<std::string>& words = processes.started[0];
  const std::string record = (out / "tried" / "run-1").string();
  CHECK(words[0] == "run");
  CHECK(words[1] == record + "/scenario.yaml");
  CHECK(read_text(words[1]) == text);
  CHECK(words[2] == "--out");
  CHECK(words[3] == record);
  CHECK_THROWS_WITH(runs.start(asked_of(text)), Catch::Contains("is in progress"));
  Json status = runs.status(1);
  CHECK(status.at("running") == true);
  CHECK(status.at("folder") == "tried/run-1");
  CHECK(status.at("metrics").is_null());
  CHECK(status.at("command").get<std::string>().starts_with("foretrain run "));
  processes.over[1'000'000'001] = "exited with status 0";
  status = runs.status(1);
  CHECK(status.at("running") == false);
  CHECK(status.at("how") == "exited with status 0");
  CHECK(runs.start(asked_of(text)) == 2);
  const Json all = runs.all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("folder") == "tried/run-2");
}

TEST_CASE("runs: a file that has the text is run itself") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "mine.yaml").string();
  const std::string text = "foretrain: 1\ntraining: {steps: 10}\n";
  write_text(file, text);
  MadeUpProcesses processes;
  Runs runs(processes.all(), folder.path() / "out");
  runs.start(asked_of(text, file));
  CHECK(processes.started.at(0).at(1) == file);
}

TEST_CASE("runs: those that go on end with the page, there is no other") {
  const TemporaryFolder folder;
  MadeUpProcesses processes;
  Runs runs(processes.all(), folder.path());
  CHECK_THROWS_AS(runs.status(1), InputError);
  CHECK_THROWS_AS(runs.stop(0), InputError);
  runs.start(asked_of("foretrain: 1\ntraining: {steps: 10}\n"));
  runs.end();
  CHECK(processes.ended == std::vector<int>{1'000'000'001});
  CHECK(runs.status(1).at("running") == false);
  runs.end();
  CHECK(processes.ended.size() == 1);
}

}  // namespace
}  // namespace foretrain::serve
