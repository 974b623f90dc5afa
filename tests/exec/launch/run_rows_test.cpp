// The rows that a run writes to its folder.
#include "exec/launch/run_rows.h"

#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "reports/record/tensorboard.h"
#include "sim/driver/replay.h"
#include "tests/reports/support.h"
#include "tests/support/cases.h"
#include "tests/support/half_written.h"
#include "tests/support/real_run.h"
#include "tests/support/small_files.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;

exec::RunOptions into(const fs::path& folder) {
  exec::RunOptions options;
  options.program = program_path();
  options.folder = folder;
  return options;
}

TEST_CASE("run rows: a run's rows are in its folder, their totals in what it returns") {
  const TemporaryFolder folder;
  const Record record = real_run(small_case("sync", 2, 50), into(folder.path()));
  CHECK(record.steps.empty());
  CHECK(record.usage.empty());
  CHECK(record.inputs.empty());
  const Record read = read_record(folder.path());
  CHECK(read.outcome == Outcome::done);
  CHECK(read.steps.size() == 100);
  CHECK(read.weights_sha256 == record.weights_sha256);
  CHECK(to_json(read) == to_json(record));
  CHECK(fs::exists(folder.path() / kTimelineFile));
  CHECK(sim::replay(read).weights_sha256 == record.weights_sha256);
}

TEST_CASE("run rows: the event file of a run has its date") {
  const auto now_s = [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  };
  const TemporaryFolder folder;
  const double before_s = now_s();
  real_run(small_case("sync", 2, 50), into(folder.path()));
  const std::string events = read_text(folder.path() / kTensorboardFile);
  constexpr std::size_t kFirstTime = 13;  // length, its checksum, the key of the wall time
  REQUIRE(events.size() > kFirstTime + sizeof(double));
  double begun_s = 0;
  std::memcpy(&begun_s, events.data() + kFirstTime, sizeof(begun_s));
  CHECK(begun_s > before_s);
  CHECK(begun_s < now_s());
}

TEST_CASE("run rows: of a summary nobody keeps any") {
  const TemporaryFolder folder;
  exec::RunOptions options = into(folder.path());
  options.rows = RowsKept::summary;
  const Record record = real_run(small_case("sync", 2, 50), options);
  CHECK_FALSE(fs::exists(folder.path() / kStepsFile));
  CHECK(read_record(folder.path()) == record);
  CHECK(record.step_totals->steps == 100);
  options.folder.clear();
  const Record counted = real_run(small_case("sync", 2, 50), options);
  CHECK(counted.steps.empty());
  CHECK(counted.step_totals->steps == 100);
}

TEST_CASE("run rows: an interrupted run can be read, told and played back as far as it went") {
  const TemporaryFolder folder;
  exec::RunOptions options = into(folder.path());
  bool asked = false;
  options.progress = [&](std::int64_t done, std::int64_t, Duration) {
    if (!asked && done > 100) asked = raise(SIGINT) == 0;
  };
  const Record record = exec::run(small_case("async", 2, 10'000'000), options);
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.updates > 100);
  const Record read = read_record(folder.path());
  CHECK(read.outcome == Outcome::interrupted);
  CHECK(to_json(read) == to_json(record));
  const Record replayed = sim::replay(read);
  CHECK(replayed.outcome == Outcome::interrupted);
  CHECK(std::ssize(replayed.steps) == read.gradients);
}

TEST_CASE("run rows: a disk that is full ends the run, says so, keeps what was written") {
  const TemporaryFolder folder;
  Record record;
  {
    const SmallFiles full(50'000);
    record = exec::run(small_case("async", 2, 10'000'000), into(folder.path()));
  }
  CHECK(record.outcome == Outcome::failed);
  CHECK_THAT(record.failure, Catch::Contains(": cannot write: ") &&
                                 Catch::EndsWith("rows written so far are kept"));
  CHECK(record.updates > 0);
  const Record read = read_record(folder.path());
  CHECK(read.outcome == Outcome::interrupted);
  CHECK(read.gradients > 0);
  CHECK(read.gradients <= record.gradients);
  CHECK(half_written(folder.path()).empty());
}

}  // namespace
}  // namespace foretrain::testing
