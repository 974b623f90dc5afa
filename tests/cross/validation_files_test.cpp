// A short version of each file of scenarios/validation, in both modes.
#include "models/protocol/phases.h"
#include "reports/studies/validation/goals.h"
#include "reports/studies/validation/validate_into.h"
#include "reports/studies/validation/verdict.h"
#include "scenarios/resolve/read.h"
#include "sim/driver/replay.h"
#include "tests/exec/emulation/support.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"
#include "tests/support/real_run.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

/// The cases of a file that `take` accepts, with a few steps each.
std::vector<Case> cases_of(const std::string& name, const std::function<bool(const Case&)>& take) {
  std::vector<Case> cases =
      read_scenario(fmt::format("{}/scenarios/validation/{}.yaml", source_dir(), name),
                    {"training.steps=6", "dataset.take=600", "dataset.test_take=100"});
  std::erase_if(cases, [&](const Case& each) { return !take(each); });
  REQUIRE(!cases.empty());
  return cases;
}

/// A machine with two cores where every model costs about as much as LeNet.
Machine assumed_machine() {
  Machine machine = made_up_machine();
  machine.cores = 2;
  machine.roofline.gflops = 20;
  machine.models.clear();
  return machine;
}

Validation validated(const std::vector<Case>& cases, bool emulated) {
  const TempFolder folder;
  Modes modes;
  modes.run = [&](const Case& each) {
    exec::RunOptions options;
    options.emulate = emulated;
    return real_run(each, options);
  };
  modes.simulate = [&](const Case& each) {
    sim::SimulateOptions options;
    options.emulated = emulated;
    options.machines = [](const std::string&) { return assumed_machine(); };
    return simulate(each, options);
  };
  modes.replay = [](const Record& record) { return sim::replay(record); };
  ValidateOptions options;
  options.folder = folder / "validation";
  options.repetitions = 1;
  return validate_into(cases, options, modes);
}

/// Checks that do not depend on the machine: the bits, the bytes, the phases of a step in both
/// modes.
void check_validation(const Validation& validation, std::size_t cases) {
  CHECK(validation.cases.size() == cases);
  for (const CaseValidation& each : validation.cases) {
    const std::string label = each.scenario_case.label();
    CAPTURE(label, each.replay_failure);
    CHECK((each.weights_equal.value_or(false) || each.replay_equal.value_or(false)));
    const Comparison* bytes = each.find("bytes_sent");
    REQUIRE(bytes != nullptr);
    if (each.weights_equal) CHECK(bytes->exact);
    const Comparison* step = each.find("step_time_ms");
    REQUIRE(step != nullptr);
    CHECK(step->measured > 0);
    CHECK(step->predicted > 0);
    // Measured times depend on other users of this machine; they are never negative.
    for (const auto& [name, of] : kPhases<double>) {
      const Comparison* phase = each.find(fmt::format("{}_ms", name));
      REQUIRE(phase != nullptr);
      CHECK(phase->measured >= 0);
      CHECK(phase->predicted >= 0);
    }
    CHECK(verdict_of(each).has_value());
  }
  for (const Goal& goal : goals_of(validation)) CHECK(goal.of > 0);
}

TEST_CASE("validation files: loopback") {
  const auto cases = cases_of("loopback", [](const Case& each) {
    const Scenario& s = each.scenario;
    const bool sparse = s.model.name == "sparse_logistic";
    const bool two = s.training.workers == 2 || s.training.strategy == "single";
    return two && s.training.batch_size == 48 && (sparse || s.model.name == "softmax");
  });
  check_validation(validated(cases, false), 10);
}

TEST_CASE("validation files: shaped") {
  if (!can_emulate()) return;
  const auto cases = cases_of("shaped", [](const Case& each) {
    const Scenario& s = each.scenario;
    const bool fast = s.cluster.hosts[0].nic.value > 1e8;
    return s.model.name == "lenet" && fast && s.training.overlap && s.training.servers == 1;
  });
  check_validation(validated(cases, true), 4);
}

TEST_CASE("validation files: stragglers") {
  auto cases = cases_of("stragglers", [](const Case& each) {
    return each.scenario.training.strategy == "sync" || each.scenario.training.strategy == "async";
  });
  // The shortest trainings that still meet a pause of the file.
  for (Case& each : cases) each.scenario.model.name = "lenet";
  check_validation(validated(cases, false), 6);
}

TEST_CASE("validation files: accuracy") {
  // Only reads the file, because its data are not available.
  const auto cases = read_scenario(source_dir() + "/scenarios/validation/accuracy.yaml", {});
  CHECK(cases.size() == 20);
  for (const Case& each : cases) CHECK(each.scenario.training.until.accuracy >= 0.9);
}

}  // namespace
}  // namespace foretrain::testing
