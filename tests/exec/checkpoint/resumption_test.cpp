// Whether the content of a folder can be resumed.
#include "exec/checkpoint/resumption.h"

#include "reports/record/files.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

/// A run with this outcome and a complete checkpoint of step 40, whose states are on another
/// machine.
Case leave_run(const fs::path& folder, Outcome outcome) {
  Record record = testing::small_record(Mode::run, "sync");
  record.outcome = outcome;
  if (outcome != Outcome::done) record.failure = "worker1 was killed";
  write_record(record, folder);
  Manifest manifest{"a", 40, {1000}, "none", to_yaml(record.scenario_case.scenario), {}};
  manifest.parts.reserve(record.nodes.size());
  for (const NodeTotals& node : record.nodes) manifest.parts.push_back({node.role, 1, "0"});
  fs::create_directories(folder_of_cut(folder, manifest.cut));
  write_manifest(folder, manifest, 1);
  return record.scenario_case;
}

TEST_CASE(
    "resumption: a failed or interrupted run goes on from its checkpoint, none that is done") {
  const auto outcome = GENERATE(Outcome::failed, Outcome::interrupted, Outcome::done);
  const TempFolder folder;
  const Case left = leave_run(folder.path(), outcome);
  const auto step = step_to_go_on_from(folder.path(), left, false);
  if (outcome == Outcome::done) {
    CHECK(!step);
  } else {
    CHECK(step == 40);
  }
}

TEST_CASE("resumption: nothing goes on of another training, a torn checkpoint, an empty folder") {
  const TempFolder folder;
  const TempFolder empty;
  Case left = leave_run(folder.path(), Outcome::failed);
  REQUIRE(step_to_go_on_from(folder.path(), left, false) == 40);
  CHECK(!step_to_go_on_from(folder.path(), left, true));  // its states are not in this folder
  CHECK(!step_to_go_on_from(empty.path(), left, false));
  left.scenario.training.batch_size += 1;
  CHECK(!step_to_go_on_from(folder.path(), left, false));
  left.scenario.training.batch_size -= 1;
  remove_checkpoints_after(folder.path(), 0);
  CHECK(!step_to_go_on_from(folder.path(), left, false));
}

TEST_CASE("resumption: a table that lacks rows from before the cut is named") {
  Record record;
  Manifest manifest{"a", 3, {}, "none", "", {}};
  manifest.parts = {
      {"worker0", 1, "0", 3, 1, 3}, {"worker1", 1, "0", 3, 0, 3}, {"server0", 1, "0"}};
  const std::vector<std::string> all{kStepsFile, kEvalsFile, kUsageFile, kInputsFile};
  CHECK(lost_tables(record, manifest) == all);
  record.evals.resize(1);
  record.usage.resize(1);
  record.inputs.resize(1);
  for (const std::int64_t step : {0, 1, 2}) {
    CHECK(lost_tables(record, manifest) == std::vector<std::string>{kStepsFile});
    record.steps.emplace_back().report.step = {step};
  }
  CHECK(lost_tables(record, manifest).empty());
  record = {};
  record.step_totals.emplace();  // a summary only
  CHECK(lost_tables(record, manifest).empty());
}

}  // namespace
}  // namespace foretrain::exec
