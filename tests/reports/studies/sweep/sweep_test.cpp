// A sweep runs each case once despite interruptions.
#include "reports/studies/sweep/sweep.h"

#include "reports/record/not_done.h"
#include "reports/studies/sweep/finding.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"
#include "tests/support/small_files.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

std::vector<Case> seven_cases() {
  return parse_scenario(
      "foretrain: 1\nname: seven\nsweep: {training.batch_size: [1, 2, 3, 4, 5, 6, 7]}\n", "seven");
}

/// Counts the trained cases by batch size.
struct Trainer {
  std::mutex mutex;
  std::vector<int> times = std::vector<int>(8);

  Record operator()(const Case& each) {
    const int batch_size = each.scenario.training.batch_size;
    const std::lock_guard lock(mutex);
    ++times[static_cast<std::size_t>(batch_size)];
    if (batch_size == 3) throw std::runtime_error("three, \"of all\"\nnumbers");
    Record record;
    record.mode = Mode::simulate;
    record.scenario_case = each;
    record.machine = "made up";
    record.time = Duration::from_seconds(batch_size);
    if (batch_size == 5) {
      record.outcome = Outcome::failed;
      record.failure = "five";
    }
    return record;
  }
};

SweepOptions options_for(const TemporaryFolder& folder, Trainer& trainer) {
  SweepOptions options;
  options.folder = folder.path();
  options.jobs = 3;
  options.train = [&](const Case& each) { return trainer(each); };
  return options;
}

TEST_CASE("sweep: a case that fails is a row with its error and the rest goes on") {
  const TemporaryFolder folder;
  Trainer trainer;
  const SweepResult result = sweep_into(seven_cases(), options_for(folder, trainer));
  CHECK(result.complete());
  CHECK(result.done == 7);
  CHECK(result.failed == 2);
  CHECK(result.rows.at(2).at("error") == "three, \"of all\"\nnumbers");
  CHECK(result.rows.at(4).at("error") == "five");
  const std::string table = read_text(folder.path() / "sweep.csv");
  CHECK(table.starts_with("case,name,training.batch_size,mode,machine,status,error,"));
  CHECK(table.find("\n6,batch_size=7,7,simulate,made up,done,,") != std::string::npos);
  CHECK(to_text(result, {}).find("7 of 7 cases are done; 2 failed.") == 0);
}

TEST_CASE("sweep: beside its table stands what it was asked, what it found, on what that stands") {
  const TemporaryFolder folder;
  SweepOptions options;
  options.folder = folder.path();
  options.train = [](const Case& each) {
    Record record = small_record(Mode::simulate, "sync");
    record.scenario_case = each;
    record.basis = {{ComputeBasis::From::given, "20 ms", "", 0, 0, false, {"n"}}};
    record.gradients = each.scenario.training.workers;
    record.nodes[0].host = "n";
    return record;
  };
  const auto cases = parse_scenario(
      "foretrain: 1\nname: asked\nquestion: How many?\ncluster: {hosts: [{name: n, cores: 8, "
      "compute: 20 ms, price: 36 $/h}]}\nsweep: {training.workers: [1, 2]}\n",
      "asked");
  const SweepResult result = sweep_into(cases, options);
  REQUIRE(result.complete());
  const auto about = nlohmann::json::parse(read_text(folder.path() / "sweep.json"));
  CHECK(about.at("name") == "asked");
  CHECK(about.at("question") == "How many?");
  CHECK_THAT(about.at("sentence").get<std::string>(),
             Catch::StartsWith("Of 2 cases workers=2 is the fastest, ") &&
                 Catch::Contains("2.00 times as fast as workers=1, at an efficiency of 1.00"));
  REQUIRE(about.at("stands_on").size() == 1);
  CHECK_THAT(about.at("stands_on").at(0).get<std::string>(),
             Catch::Contains("given by the scenario: 20 ms a gradient"));
  // Price of 36 $ an hour for 0.1 s.
  CHECK(result.rows.at(1).at("cost") == Approx(0.001));
  const SweepTable table = read_sweep(foretrain::sweep_csv(result.rows), "sweep.csv");
  CHECK(table.rows[1].currency == "USD");
  CHECK(currency_of(table) == "USD");
  CHECK_FALSE(table.has_target);
  CHECK(read_text(folder.path() / "sweep.csv").find("stands_on") == std::string::npos);
}

TEST_CASE("sweep: that no case reaches its target is known of its table") {
  const TemporaryFolder folder;
  SweepOptions options;
  options.folder = folder.path();
  options.train = [](const Case& each) {
    Record record = small_record(Mode::simulate, "sync");
    record.scenario_case = each;
    return record;
  };
  const auto cases = parse_scenario(
      "foretrain: 1\nname: far\ntraining: {until: {accuracy: 0.99}, evaluate_every: 10}\n"
      "sweep: {training.workers: [1, 2]}\n",
      "far");
  const SweepResult result = sweep_into(cases, options);
  const SweepTable table = read_sweep(foretrain::sweep_csv(result.rows), "sweep.csv");
  CHECK(table.has_target);
  CHECK(sweep_sentence(table) == "Of 2 cases none reaches its target.");
}

TEST_CASE("sweep: cases that are done are not done again unless they failed and are retried") {
  const TemporaryFolder folder;
  Trainer trainer;
  SweepOptions options = options_for(folder, trainer);
  sweep_into(seven_cases(), options);
  const std::string table = read_text(folder.path() / "sweep.csv");
  const SweepResult again = sweep_into(seven_cases(), options);
  CHECK(again.found == 7);
  CHECK(again.done == 0);
  CHECK(trainer.times == std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1});
  CHECK(read_text(folder.path() / "sweep.csv") == table);
  options.retry = true;
  CHECK(sweep_into(seven_cases(), options).done == 2);
  CHECK(trainer.times == std::vector<int>{0, 1, 1, 2, 1, 2, 1, 1});
}

TEST_CASE("sweep: shards do each case once and the last one leaves the table") {
  const TemporaryFolder folder;
  const TemporaryFolder whole;
  Trainer trainer;
  Trainer other;
  SweepOptions options = options_for(folder, trainer);
  for (const int index : {3, 1, 2}) {
    CHECK(!std::filesystem::exists(folder.path() / "sweep.csv"));
    options.shard = {index, 3};
    CHECK(sweep_into(seven_cases(), options).complete() == (index == 2));
  }
  CHECK(trainer.times == std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1});
  sweep_into(seven_cases(), options_for(whole, other));
  CHECK(read_text(folder.path() / "sweep.csv") == read_text(whole.path() / "sweep.csv"));
}

TEST_CASE("sweep: a row that was being written when the power failed is done again") {
  const TemporaryFolder folder;
  Trainer trainer;
  const SweepOptions options = options_for(folder, trainer);
  sweep_into(seven_cases(), options);
  const auto rows = folder.path() / "rows.1-of-1.jsonl";
  const std::string table = read_text(folder.path() / "sweep.csv");
  const std::string text = read_text(rows);
  const std::size_t cut = GENERATE(0, 1, 40, 200, 1000);
  write_text(rows, text.substr(0, text.size() - 1 - cut));
  const SweepResult again = sweep_into(seven_cases(), options);
  CHECK(again.found + again.done == 7);
  CHECK((again.done == 0) == (cut == 0));
  CHECK(read_text(folder.path() / "sweep.csv") == table);
}

TEST_CASE("sweep: a row whose values are of another type is refused by its line") {
  const TemporaryFolder folder;
  Trainer trainer;
  const SweepOptions options = options_for(folder, trainer);
  sweep_into(seven_cases(), options);
  const auto rows = folder.path() / "rows.1-of-1.jsonl";
  const std::string text = read_text(rows);
  const auto refusal = [&](const std::string& row) {
    write_text(rows, text + row + "\n");
    return error_of([&] { sweep_into(seven_cases(), options); });
  };
  CHECK(refusal(R"({"case": 1, "status": 7})") ==
        rows.string() + ":8: status is not a text; the file is damaged");
  const std::size_t deep = 500'000;
  CHECK(refusal(R"({"a": )" + std::string(deep, '[') + std::string(deep, ']') + "}") ==
        rows.string() + ":8: nested too deep; the file is damaged");
  CHECK(refusal(R"({"case": 1, "time_s": [2]})") ==
        rows.string() + ":8: time_s is neither a number nor a text; the file is damaged");
}

TEST_CASE("sweep: rows of another scenario are refused before anything is done") {
  const TemporaryFolder folder;
  Trainer trainer;
  const SweepOptions options = options_for(folder, trainer);
  sweep_into(seven_cases(), options);
  auto cases = seven_cases();
  cases[1].scenario.seed = 2;
  const std::string error = error_of([&] { sweep_into(cases, options); });
  CHECK(error.find("the row of case 1 is of another scenario") != std::string::npos);
  CHECK(trainer.times == std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("sweep: an interrupted one begins nothing new and goes on later") {
  const TemporaryFolder folder;
  Trainer trainer;
  SweepOptions options = options_for(folder, trainer);
  options.jobs = 1;
  int asked = 0;
  options.interrupted = [&] { return ++asked > 2; };
  const SweepResult cut = sweep_into(seven_cases(), options);
  CHECK(cut.interrupted);
  CHECK(cut.done == 2);
  CHECK(!std::filesystem::exists(folder.path() / "sweep.csv"));
  options.interrupted = [] { return false; };
  CHECK(sweep_into(seven_cases(), options).found == 2);
  CHECK(trainer.times == std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("sweep: a case that a signal broke off has not failed") {
  const TemporaryFolder folder;
  Trainer trainer;
  SweepOptions options = options_for(folder, trainer);
  options.jobs = 1;
  options.train = [&](const Case& each) -> Record {
    if (each.scenario.training.batch_size == 2) {
      throw NotDone(Outcome::interrupted, "interrupted by signal 2");
    }
    return trainer(each);
  };
  const SweepResult cut = sweep_into(seven_cases(), options);
  CHECK(cut.interrupted);
  CHECK(cut.failed == 0);
  CHECK(cut.rows.size() == 1);
  CHECK(trainer.times == std::vector<int>{0, 1, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("sweep: rows that a full disk does not take are told, nothing new is begun") {
  const TemporaryFolder folder;
  Trainer trainer;
  SweepOptions options = options_for(folder, trainer);
  options.jobs = 1;
  SweepResult full_up;
  {
    const SmallFiles full(100);
    full_up = sweep_into(seven_cases(), options);
  }
  CHECK_THAT(full_up.not_kept, Catch::Contains("rows.1-of-1.jsonl: cannot write: File too large"));
  CHECK(full_up.rows.size() == 1);
  CHECK(full_up.rows.at(0).at("status") == "done");
  CHECK(trainer.times == std::vector<int>{0, 1, 0, 0, 0, 0, 0, 0});
  options.train = [&](const Case& each) { return trainer(each); };
  const SweepResult again = sweep_into(seven_cases(), options);
  CHECK(again.not_kept.empty());
  CHECK(again.complete());
}

TEST_CASE("sweep: another one is set aside, its rows can be read there") {
  const TemporaryFolder folder;
  Trainer trainer;
  const SweepOptions options = options_for(folder, trainer);
  sweep_into(seven_cases(), options);
  CHECK(can_go_on(seven_cases(), options));
  auto cases = seven_cases();
  cases[1].scenario.seed = 2;
  CHECK_FALSE(can_go_on(cases, options));
  CHECK(set_sweep_aside(folder.path()) == folder.path() / "earlier-1");
  CHECK(read_rows(folder.path()).empty());
  CHECK(read_rows(folder.path() / "earlier-1").size() == 7);
  CHECK(std::filesystem::exists(folder.path() / "earlier-1/sweep.csv"));
  CHECK(can_go_on(cases, options));
}

TEST_CASE("sweep: two of them do not write one shard at a time") {
  const TemporaryFolder folder;
  const Journal first(folder.path(), {1, 2});
  const Journal other(folder.path(), {2, 2});
  const std::string error = error_of([&] { const Journal second(folder.path(), {1, 2}); });
  CHECK(error.find("another sweep writes here") != std::string::npos);
}

TEST_CASE("sweep: a shard is read as k of n") {
  CHECK(parse_shard("2/8").index == 2);
  CHECK(parse_shard("2/8").count == 8);
  for (const char* wrong : {"", "2", "0/3", "4/3", "a/b", "1/", "/2", "1/2/3", "-1/2"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_shard(wrong), InputError);
  }
}

}  // namespace
}  // namespace foretrain::testing
