// Two simulations of one seed write the same bytes.
#include "reports/record/files.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;

// Everything that a record's folder holds, file after file.
std::string bytes_of(const Record& record, const std::string& name) {
  const fs::path folder =
      fs::temp_directory_path() / ("foretrain-" + name + std::to_string(getpid()));
  write_record(record, folder);
  std::string all;
  for (const char* file : {"run.json", "steps.csv", "evals.csv", "usage.csv"}) {
    std::ifstream in(folder / file);
    REQUIRE(in);
    all += std::string(std::istreambuf_iterator<char>(in), {});
  }
  fs::remove_all(folder);
  return all;
}

Record simulate_fully(const Case& scenario_case) {
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = {1'000'000};
  return sim::simulate(scenario_case, options);
}

TEST_CASE("determinism: two simulations of one seed write byte-equal records") {
  const std::string strategy = GENERATE("single", "sync", "async");
  const bool numerics = GENERATE(true, false);
  CAPTURE(strategy, numerics);
  Case scenario_case = small_case(strategy, strategy == "single" ? 1 : 3, 40);
  scenario_case.scenario.numerics = numerics;
  scenario_case.scenario.training.evaluate_every = 10;
  StragglerSpec spec;
  spec.distribution = "exponential";
  scenario_case.scenario.stragglers = {spec};
  const std::string first = bytes_of(simulate_fully(scenario_case), "first");
  CHECK(first.size() > 2'000);
  CHECK(first == bytes_of(simulate_fully(scenario_case), "second"));
  scenario_case.scenario.seed = 2;
  CHECK(first != bytes_of(simulate_fully(scenario_case), "third"));
}

TEST_CASE("determinism: times do not depend on whether the gradients are carried out") {
  const std::string strategy = GENERATE("single", "sync", "async");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, strategy == "single" ? 1 : 2, 40);
  const Record with = simulate(scenario_case);
  scenario_case.scenario.numerics = false;
  const Record without = simulate(scenario_case);
  CHECK(with.time == without.time);
  REQUIRE(with.steps.size() == without.steps.size());
  for (std::size_t i = 0; i < with.steps.size(); ++i) {
    CHECK(with.steps[i].report.start == without.steps[i].report.start);
    CHECK(with.steps[i].report.staleness == without.steps[i].report.staleness);
  }
  CHECK(!with.weights_sha256.empty());
  CHECK(without.weights_sha256.empty());
}

TEST_CASE("determinism: the phases of every simulated step add up to it") {
  const Record record = simulate(small_case("async", 3, 60));
  std::vector<Instant> next(3);
  for (const StepRow& row : record.steps) {
    const Phases& p = row.report.phases;
    CHECK(row.report.start == next[row.worker]);
    next[row.worker] =
        row.report.start + p.compute + p.push + p.wait + p.apply + p.pull + p.evaluate;
  }
}

}  // namespace
}  // namespace foretrain::testing
