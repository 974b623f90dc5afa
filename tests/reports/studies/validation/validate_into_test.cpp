// Validations in a folder: interrupted, killed, continued.
#include "reports/studies/validation/validate_into.h"

#include "reports/record/files.h"
#include "reports/record/not_done.h"
#include "reports/studies/validation/cached_runs.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using namespace testing;
namespace fs = std::filesystem;

const std::vector<Case>& sync_and_async() {
  static const std::vector<Case> cases{case_of("sync"), case_of("async")};
  return cases;
}

/// Modes that record their calls.
struct Noted {
  std::string order;
  int run_ms = 100;
  int simulated_ms = 100;
  int runs_before_interrupt = 1'000;
  std::vector<std::string> told;

  Modes modes() {
    return {[this](const Case& c) {
              order += "run " + c.scenario.training.strategy + "; ";
              Record record = timed(Mode::run, c, run_ms++);
              if (runs_before_interrupt-- == 0) {
                record.outcome = Outcome::interrupted;
                record.failure = "somebody pressed Ctrl-C";
              }
              return record;
            },
            [this](const Case& c) {
              order += "simulate " + c.scenario.training.strategy + "; ";
              return timed(Mode::simulate, c, simulated_ms);
            },
            {}};
  }
  Validation validate(const fs::path& folder, int repetitions, bool anew = false) {
    ValidateOptions options;
    options.folder = folder;
    options.repetitions = repetitions;
    options.anew = anew;
    options.tell = [this](const std::string& line) { told.push_back(line); };
    options.note = options.tell;
    Validation validation = validate_into(sync_and_async(), options, modes());
    keep_validation(to_json(validation), text_of(validation, true), folder);
    return validation;
  }
};

/// The wall time of the first event in a record's event file.
double first_date_s(const fs::path& record) {
  constexpr std::size_t kHead = 8 + 4 + 1;  // its length, that one's checksum, the field's tag
  const std::string events = read_text((record / kTensorboardFile).string());
  double date_s = 0;
  REQUIRE(events.size() > kHead + sizeof date_s);
  std::memcpy(&date_s, events.data() + kHead, sizeof date_s);
  return date_s;
}

constexpr const char* kSimulations = "simulate sync; simulate async; ";

}  // namespace

TEST_CASE("validate: runs alternate over the cases, simulations come once each") {
  const TemporaryFolder folder;
  Noted noted;
  const Validation v = noted.validate(folder.path(), 2);
  CHECK(noted.order == std::string("run sync; run async; run sync; run async; ") + kSimulations);
  CHECK(v.repetitions == 2);
  CHECK(v.found == 0);
  REQUIRE(v.cases.size() == 2);
  CHECK(metric(v.cases[0], "time_s").measured == Approx(0.101));  // of 100 and 102 ms
  for (const char* file : {"run/strategy=sync/1/run.json", "run/strategy=async/2/steps.csv",
                           "simulate/strategy=async/run.json", "cases.csv"}) {
    CHECK(fs::exists(folder.path() / file));
  }
  const auto json = nlohmann::json::parse(read_text(folder.path() / "validation.json"));
  CHECK(json.at("repetitions") == 2);
  constexpr double kYear2020_s = 1'577'836'800;
  CHECK(first_date_s(folder.path() / "run/strategy=sync/1") > kYear2020_s);
  CHECK(first_date_s(folder.path() / "simulate/strategy=sync") == 0);  // virtual time has no date
}

TEST_CASE("validate: the place of each training is told with the time that is left") {
  const TemporaryFolder folder;
  Noted noted;
  noted.validate(folder.path(), 2);
  REQUIRE(noted.told.size() == 6);
  CHECK(noted.told[0] == "case 1 of 2, repetition 1 of 2");  // unknown so far
  CHECK_THAT(noted.told[2], Catch::StartsWith("case 1 of 2, repetition 2 of 2, about ") &&
                                Catch::EndsWith(" s left"));
  CHECK(noted.told[5] == "simulation 2 of 2");
}

TEST_CASE("validate: interrupted, it goes on where it was and runs nothing twice") {
  const TemporaryFolder folder;
  Noted first;
  first.runs_before_interrupt = 3;
  try {
    first.validate(folder.path(), 3);
    FAIL("nobody noticed the interruption");
  } catch (const NotDone& broken) {
    CHECK(broken.outcome() == Outcome::interrupted);
    CHECK_THAT(broken.what(), Catch::Contains("broken/strategy=async"));
  }
  CHECK_FALSE(fs::exists(folder.path() / "validation.json"));
  Noted second;
  second.run_ms = 200;
  const Validation v = second.validate(folder.path(), 3, true);  // not finished: it continues
  CHECK(second.order == std::string("run async; run sync; run async; ") + kSimulations);
  CHECK(v.found == 3);
  CHECK_THAT(second.told[0], Catch::StartsWith("3 of 6 runs are in "));
  CHECK(metric(v.cases[0], "time_s").q1 == Approx(0.101));  // 100, 102 of the first, 201 ms
}

TEST_CASE("validate: finished, it keeps its runs and simulates anew") {
  const TemporaryFolder folder;
  Noted first;
  first.validate(folder.path(), 2);
  Noted second;
  second.simulated_ms = 150;
  const Validation v = second.validate(folder.path(), 2);
  CHECK(second.order == kSimulations);
  CHECK(metric(v.cases[1], "time_s").predicted == Approx(0.15));
  Noted third;
  third.validate(folder.path(), 3);  // one more of each
  CHECK(third.order == std::string("run sync; run async; ") + kSimulations);
}

TEST_CASE("validate: finished in a folder that nobody named, all begins anew") {
  const TemporaryFolder folder;
  Noted first;
  first.validate(folder.path(), 2);
  Noted second;
  CHECK(second.validate(folder.path(), 1, true).found == 0);
  CHECK(second.order == std::string("run sync; run async; ") + kSimulations);
  CHECK_FALSE(fs::exists(folder.path() / "run/strategy=sync/2"));
  // Earlier measurements are preserved.
  CHECK(read_record(folder.path() / "earlier-1/run/strategy=sync/2").outcome == Outcome::done);
  CHECK(fs::exists(folder.path() / "earlier-1/validation.json"));
  CHECK_THAT(second.told.front(), Catch::Contains("moved to ") && Catch::EndsWith("earlier-1"));
  Noted third;
  third.validate(folder.path(), 1, true);
  CHECK(fs::exists(folder.path() / "earlier-1/run/strategy=sync/2"));
  CHECK(fs::exists(folder.path() / "earlier-2/run/strategy=sync/1"));
}

TEST_CASE("validate: what is of another scenario is set aside where that is asked for") {
  const TemporaryFolder folder;
  Case other = case_of("sync");
  other.scenario.training.batch_size = 64;
  write_record(timed(Mode::run, other, 100), folder.path() / "run/strategy=sync/1");
  write_record(timed(Mode::run, other, 100), folder.path() / "run/strategy=ssp/1");
  Noted noted;
  ValidateOptions options;
  options.folder = folder.path();
  options.repetitions = 1;
  options.replace = true;
  options.note = [&](const std::string& line) { noted.told.push_back(line); };
  CHECK(validate_into(sync_and_async(), options, noted.modes()).found == 0);
  CHECK(read_record(folder.path() / "earlier-1/run/strategy=sync/1").scenario_case.scenario ==
        other.scenario);
  CHECK(read_record(folder.path() / "run/strategy=sync/1").scenario_case.scenario ==
        sync_and_async()[0].scenario);
  // Once more: the folder now belongs to this scenario and is reused.
  CHECK(validate_into(sync_and_async(), options, noted.modes()).found == 2);
  CHECK_FALSE(fs::exists(folder.path() / "earlier-2"));
}

TEST_CASE("validate: runs of cases that it has not are told, and stay") {
  const TemporaryFolder folder;
  write_record(timed(Mode::run, case_of("ssp"), 100), folder.path() / "run/strategy=ssp/1");
  Noted noted;
  noted.validate(folder.path(), 1);
  CHECK_THAT(noted.told.front(), Catch::Contains("also holds strategy=ssp, which is no case of"));
  CHECK(fs::exists(folder.path() / "run/strategy=ssp/1/run.json"));
}

TEST_CASE("validate: runs that are damaged, half written or not done are run again") {
  const TemporaryFolder folder;
  Noted first;
  first.validate(folder.path(), 3);
  const fs::path run = folder.path() / "run";
  fs::remove(run / "strategy=sync/1/run.json");                       // which is written last
  write_text(run / "strategy=async/1/steps.csv", "worker,step\n0,");  // truncated
  Record failed = timed(Mode::run, case_of("sync"), 1);
  failed.outcome = Outcome::failed;
  write_record(failed, run / "strategy=sync/3");
  write_text(run / "strategy=async/3/run.json", "{");
  Noted second;
  const Validation v = second.validate(folder.path(), 3);
  CHECK(second.order == std::string("run sync; run async; run sync; run async; ") + kSimulations);
  CHECK(v.found == 2);
  CHECK(read_record(run / "strategy=sync/3").outcome == Outcome::done);
  std::string told;
  for (const std::string& line : second.told) told += line + "\n";
  CHECK_THAT(told, Catch::Contains("strategy=sync/3: failed; it is run again"));
  CHECK_THAT(told, Catch::Contains("the record is damaged; it is run again"));
}

TEST_CASE("validate: killed in the middle of a record, it goes on") {
  const TemporaryFolder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int runs = 0;
    Modes modes;
    modes.run = [&](const Case& c) {
      if (++runs == 4) {
        // Some files are complete, others temporary, run.json is missing.
        const fs::path half = folder.path() / "run/strategy=async/2";
        fs::create_directories(half);
        write_text(half / "steps.csv", "worker");
        write_text(half / ".run.json.new", "{");
        kill(getpid(), SIGKILL);
      }
      return timed(Mode::run, c, 100);
    };
    ValidateOptions options;
    options.folder = folder.path();
    options.repetitions = 2;
    validate_into(sync_and_async(), options, modes);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  Noted second;
  CHECK(second.validate(folder.path(), 2).found == 3);
  CHECK(second.order == std::string("run async; ") + kSimulations);
}

TEST_CASE("validate: a run of another scenario in the place of a case is refused") {
  const TemporaryFolder folder;
  Case other = case_of("sync");
  other.scenario.training.batch_size = 64;
  write_record(timed(Mode::run, other, 100), folder.path() / "run/strategy=sync/2");
  Noted noted;
  CHECK_THROWS_WITH(noted.validate(folder.path(), 2),
                    Catch::Contains("run/strategy=sync/2: holds a record of another scenario") &&
                        Catch::Contains("name another folder with --out"));
  CHECK(noted.order.empty());
  CHECK(noted.validate(folder.path(), 1).found == 0);  // only the second needs a folder
}

TEST_CASE("validate: a simulation that is not done is told with its record") {
  const TemporaryFolder folder;
  Noted noted;
  Modes modes = noted.modes();
  modes.simulate = [](const Case& c) {
    Record record = timed(Mode::simulate, c, 100);
    record.outcome = Outcome::failed;
    record.failure = "worker1: there is no such machine";
    return record;
  };
  ValidateOptions options;
  options.folder = folder.path();
  options.repetitions = 1;
  CHECK_THROWS_WITH(
      validate_into(sync_and_async(), options, modes),
      Catch::StartsWith("worker1: there is no such machine; its record so far is in"));
  CHECK(read_record(folder.path() / "broken/strategy=sync").outcome == Outcome::failed);
}

TEST_CASE("kept runs: cases of one name have folders of their own") {
  const std::vector<Case> cases(3, case_of("sync"));
  CHECK(folder_names(cases) ==
        std::vector<std::string>{"strategy=sync", "strategy=sync-2", "strategy=sync-3"});
}

TEST_CASE("time left: known times count for their cases, the mean for the others") {
  TimeLeft left(3);
  CHECK(left.seconds({5, 5, 5}) < 0);
  CHECK(about_left(left.seconds({5, 5, 5})).empty());
  left.took(0, 10);
  left.took(1, 20);
  CHECK(left.seconds({2, 1, 2}) == Approx(2 * 10 + 20 + 2 * 15));
  left.took(2, 1);
  CHECK(left.seconds({2, 1, 2}) == Approx(2 * 10 + 20 + 2));
  CHECK(about_left(41.2) == "about 42 s left");
  CHECK(about_left(700) == "about 12 min left");
}

}  // namespace foretrain
