// A calibration for real, as short as it can be.
#include "exec/calibration/calibrate.h"

#include "exec/calibration/ping_pong.h"
#include "exec/calibration/single_runs.h"
#include "exec/system/process.h"
#include "scenarios/emulated.h"
#include "tests/exec/emulation/support.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain::testing {
namespace {
using exec::fitted;

TEST_CASE("calibrate: an overhead and a cost an example go through both points") {
  const ModelCost cost = fitted({32, 1e-3}, {256, 5e-3});
  CHECK(cost.growth == 1);
  CHECK(cost.gradient_of(32).seconds() == Approx(1e-3).epsilon(1e-6));
  CHECK(cost.gradient_of(256).seconds() == Approx(5e-3).epsilon(1e-6));
  CHECK(cost.gradient_of(144).seconds() == Approx(3e-3).epsilon(1e-6));
}

TEST_CASE("calibrate: examples that cost more in a larger batch grow as a power") {
  const ModelCost cost = fitted({10, 1e-3}, {1000, 1});
  CHECK(cost.growth == Approx(1.5));
  CHECK(cost.gradient_of(10).seconds() == Approx(1e-3).epsilon(1e-6));
  CHECK(cost.gradient_of(100).seconds() == Approx(1e-3 * 31.6228).epsilon(1e-4));
  CHECK(cost.gradient_of(1000).seconds() == Approx(1).epsilon(1e-6));
}

TEST_CASE("calibrate: contention is a factor and a time through gradients of two sizes") {
  ModelCost cost;
  exec::add_contention(cost, {4e-3, 4.9e-3}, {20e-3, 22.5e-3});
  CHECK(cost.contention == Approx(1.1));
  CHECK(cost.contended.seconds() == Approx(0.5e-3));
  // The small one is as fast, or faster, than alone: nothing is added to it.
  exec::add_contention(cost, {4e-3, 4e-3}, {20e-3, 22e-3});
  CHECK(cost.contention == Approx(1.1));
  CHECK(cost.contended == Duration{});
  // A factor below 1 is none.
  exec::add_contention(cost, {4e-3, 4.6e-3}, {20e-3, 20.2e-3});
  CHECK(cost.contention == 1);
  CHECK(cost.contended.seconds() == Approx(0.4e-3));
}

TEST_CASE("calibrate: a machine file says when and how sure and reads back") {
  Case scenario_case = small_case("sync", 1, 20);
  scenario_case.scenario.training.optimizer.name = "sgd";
  exec::CalibrateOptions options;
  options.program = program_path();
  options.repetitions = 1;
  std::vector<std::string> told;
  options.progress = [&](const std::string& line) { told.push_back(line); };
  const Machine machine = exec::calibrate({scenario_case, scenario_case}, options);
  REQUIRE(machine.models.size() == 1);
  const ModelCost& model = machine.models.at("softmax 784x10");
  CHECK(model.gradient_of(64).ns > 0);
  CHECK(model.evaluate.per_item_s > 0);
  CHECK(model.checked_batch == 96);
  CHECK(model.residual > -1);
  CHECK(machine.apply.per_item_s > 0);
  CHECK(machine.loopback.send.overhead_s > 0);
  CHECK(machine.date.size() == 10);
  const auto named = [&](const std::string& figure) {
    return std::ranges::any_of(machine.measurements,
                               [&](const Measurement& m) { return m.figure == figure; });
  };
  CHECK(named("loopback.wake"));
  CHECK(named("apply.per_item"));
  CHECK(named("softmax 784x10, gradient of 256"));
  CHECK(std::ranges::count(machine.not_measured, "emulated: not asked for") == 1);
  CHECK(std::ranges::count(told, "softmax 784x10: one worker alone") == 1);
  CHECK(parse_machine(to_yaml(machine), "written") == machine);
}

TEST_CASE(
    "calibrate: what a byte of its messages costs is measured of a model that no cache holds") {
  const Case softmax = small_case("sync", 1, 20);
  Case wide = softmax;
  wide.scenario.model.name = "mlp";
  wide.scenario.model.options.hidden = {700};  // 2.2 MB of parameters
  exec::CalibrateOptions options;
  options.program = program_path();
  options.repetitions = 1;
  Machine machine;
  for (const Case& each : {softmax, wide}) exec::calibrate_model(machine, each, options);
  const auto measured = [&](const std::string& model) {
    return std::ranges::any_of(machine.measurements, [&](const Measurement& m) {
      return m.figure == model + ", streaming";
    });
  };
  CHECK_FALSE(measured("softmax 784x10"));
  CHECK(machine.models.at("softmax 784x10").streaming == 1);
  CHECK(measured("mlp-700 784x10"));
  CHECK(machine.models.at("mlp-700 784x10").streaming >= 1);
  CHECK(machine.models.at("softmax 784x10").crossing == 0);
  CHECK(machine.models.at("mlp-700 784x10").crossing >= 1);
}

TEST_CASE("calibrate: of a sparse model pushes and messages and dense updates are measured") {
  Case clicks = small_case("sync", 1, 20);
  clicks.scenario.model.name = "sparse_logistic";
  clicks.scenario.model.hash_bits = 12;
  clicks.scenario.dataset.format = "clicks";
  exec::CalibrateOptions options;
  options.program = program_path();
  options.repetitions = 1;
  Machine machine;
  exec::calibrate_model(machine, clicks, options);
  REQUIRE(machine.models.size() == 1);
  const auto& [key, model] = *machine.models.begin();
  CHECK(model.merged.overhead_s == model.scattered.overhead_s);
  CHECK(model.merged != AffineCost{});
  CHECK(model.coding.per_item_s > 0);
  CHECK(model.apply.per_item_s > 0);
  for (const char* what : {", merging", ", coding", ", dense apply"}) {
    CAPTURE(what);
    const std::string figure = key + what;
    CHECK(std::ranges::count(machine.measurements, figure, &Measurement::figure) == 1);
  }
}

TEST_CASE("calibrate: messages between emulated hosts cost something") {
  if (!can_emulate()) return;
  ClusterSpec cluster;
  HostSpec& host = cluster.hosts.emplace_back();
  host.name = "host";
  host.count = 2;
  const exec::Hosts hosts(cluster, true);
  const int core = exec::usable_cores().front();
  const exec::RoundTrip small = exec::measure_round_trip(core, core, {.rounds = 50}, hosts);
  const exec::RoundTrip large =
      exec::measure_round_trip(core, core, {.payload = {1'000'000}, .rounds = 50}, hosts);
  CHECK(small.time_s > 0);
  // A megabyte takes 0.8 ms at 10 Gbit/s, whatever the machine.
  CHECK(large.time_s > 0.5e-3);
}

}  // namespace
}  // namespace foretrain::testing
