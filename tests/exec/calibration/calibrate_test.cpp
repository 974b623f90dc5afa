// A real calibration, as short as possible.
#include "exec/calibration/calibrate.h"

#include "exec/calibration/memory.h"
#include "exec/calibration/message_costs.h"
#include "exec/calibration/ping_pong.h"
#include "exec/calibration/single_runs.h"
#include "exec/calibration/steady_runs.h"
#include "exec/system/process.h"
#include "exec/system/this_processor.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/emulated.h"
#include "tests/exec/emulation/support.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

namespace foretrain::testing {
namespace {
using exec::fitted;

TEST_CASE("calibrate: an overhead and a cost an example go through points on a line") {
  const AffineCost cost = fitted({{32, 1e-3}, {144, 3e-3}, {256, 5e-3}});
  CHECK(cost.of(32).seconds() == Approx(1e-3).epsilon(1e-6));
  CHECK(cost.of(256).seconds() == Approx(5e-3).epsilon(1e-6));
  CHECK(cost.of(88).seconds() == Approx(2e-3).epsilon(1e-6));
}

TEST_CASE("calibrate: points beside a line are missed by as large a share each") {
  // The middle point is 12 % above the line through the others; the fit misses it by less.
  const AffineCost cost = fitted({{32, 1e-3}, {144, 1.12 * 3e-3}, {256, 5e-3}});
  const auto miss = [&](double examples, double time_s) {
    return cost.of(examples).seconds() / time_s - 1;
  };
  CHECK(miss(32, 1e-3) == Approx(0.03).margin(0.02));
  CHECK(miss(144, 1.12 * 3e-3) == Approx(-0.065).margin(0.02));
  CHECK(miss(256, 5e-3) == Approx(0.04).margin(0.02));
}

TEST_CASE("calibrate: neither an overhead nor a cost an example is below zero") {
  for (const auto& [small_s, large_s] : {std::pair{1e-3, 9e-3}, std::pair{1e-3, 0.9e-3}}) {
    const AffineCost cost = fitted({{32, small_s}, {256, large_s}});
    CHECK(cost.overhead_s == 0);
    const double least = std::min(small_s / 32, large_s / 256);
    const double most = std::max(small_s / 32, large_s / 256);
    CHECK(cost.per_item_s > least);
    CHECK(cost.per_item_s < most);
  }
}

TEST_CASE("calibrate: steps are steady where two quarters of them take as long") {
  std::vector<double> times(80, 1.0);
  std::fill_n(times.begin(), 20, 5.0);  // the first quarter is ignored
  CHECK(exec::quarters_of(times).steady());
  std::fill_n(times.begin() + 20, 20, 1.03);
  CHECK(!exec::quarters_of(times).steady());
  CHECK(exec::quarters_of(times).second_s == 1.03);
  CHECK(exec::quarters_of(times).last_s == 1.0);
}

TEST_CASE("calibrate: caches have sizes and what is farther away costs more") {
  const std::vector<int> cores = exec::usable_cores();
  const exec::CacheSizes sizes = exec::cache_sizes(exec::this_processor());
  CHECK(sizes.of_core.value > 0);
  const MemoryHierarchy memory = exec::measure_memory({cores.front()}, sizes);
  CHECK(memory.known());
  CHECK(memory.shared_byte_s <= memory.memory_byte_s);
  CHECK(memory.memory_byte_s <= memory.fresh_byte_s);
  CHECK(exec::measure_cold_byte(cores.front(), {4 << 20}) >= 0);
  CHECK(memory.bandwidth.value == 0);  // one core does not show the bandwidth of all
  // Without a shared cache, no bytes can be evicted from it.
  CHECK(exec::measure_background_traffic(cores.front(), {sizes.of_core, {}, true}).value == 0);
}

TEST_CASE("calibrate: a processor that does not say has a cache of 1 MB a core") {
  Processor processor;
  CHECK(exec::cache_sizes(processor).of_core == Bytes{1 << 20});
  CHECK_FALSE(exec::cache_sizes(processor).told);
  processor.l2 = {2 << 20};
  processor.l3 = {32 << 20};
  CHECK(exec::cache_sizes(processor).of_core == processor.l2);
  CHECK(exec::cache_sizes(processor).shared == processor.l3);
}

TEST_CASE("calibrate: a shared cache that nobody tells is found by walks of growing size") {
  // Walks by the law of caches.h for a cache of 32 MB: 12 ps from the cache, 40 ps from memory.
  constexpr double kShared = 32 << 20;
  std::vector<exec::Walk> walks{{{1 << 18}, 12e-12}};
  for (std::int64_t size = 2 << 20; size <= 256 << 20; size *= 2) {
    const double came = 4 * static_cast<double>(size) / kShared;
    const double left = std::exp(-came) * (1 + came + came * came / 2 + came * came * came / 6);
    walks.push_back({{size}, (12 + 28 * (1 - left)) * 1e-12});
  }
  const exec::Walk beyond{{std::int64_t{1} << 30}, 40e-12};
  walks.push_back(beyond);
  const auto found = static_cast<double>(exec::shared_cache_of(walks).value);
  CHECK(found == Approx(kShared).epsilon(0.1));  // interpolated
  CHECK(exec::shared_cache_of({}) == Bytes{});
  // No step is visible; the first step is already the one to memory.
  CHECK(exec::shared_cache_of({walks[0], walks[1], {{1 << 25}, 13e-12}}) == Bytes{});
  CHECK(exec::shared_cache_of({walks[0], {{1 << 21}, 39e-12}, beyond}) == Bytes{});
}

TEST_CASE("calibrate: a machine file says when and how sure and reads back") {
  Case scenario_case = small_case("sync", 1, 20);
  scenario_case.scenario.training.optimizer.name = "sgd";
  exec::CalibrateOptions options;
  options.program = program_path();
  options.repetitions = 1;
  options.shortest_s = options.longest_s = 0.02;
  const TempFolder disk;
  options.disk = disk.path();
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
  CHECK(machine.disk.known());
  const auto named = [&](const std::string& figure) {
    return std::ranges::any_of(machine.measurements,
                               [&](const Measurement& m) { return m.figure == figure; });
  };
  CHECK(named("loopback, one core, message"));
  CHECK(named("apply.per_item"));
  CHECK(named("thread_change"));
  CHECK(machine.thread_handoff.ns > 0);
  CHECK(named("disk, part of 16 MB"));
  CHECK(named("softmax 784x10, gradient of 256"));
  CHECK(std::ranges::count(machine.not_measured,
                           "emulated: measured only for commands with --emulate") == 1);
  CHECK(std::ranges::count(told, "softmax 784x10: training with one worker") == 1);
  CHECK(parse_machine(to_yaml(machine), "written") == machine);
}

TEST_CASE("calibrate: of a sparse model pushes and messages are measured") {
  Case clicks = small_case("sync", 1, 20);
  clicks.scenario.model.name = "sparse_logistic";
  clicks.scenario.model.hash_bits = 12;
  clicks.scenario.dataset.format = "clicks";
  exec::CalibrateOptions options;
  options.program = program_path();
  options.repetitions = 1;
  options.shortest_s = options.longest_s = 0.02;
  Machine machine;
  exec::calibrate_model(machine, clicks, options);
  REQUIRE(machine.models.size() == 1);
  const auto& [key, model] = *machine.models.begin();
  CHECK(model.sparse_apply != AffineCost{});
  CHECK(model.coding.per_item_s > 0);
  for (const char* what : {", coding"}) {
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
  // A megabyte takes 0.8 ms at 10 Gbit/s on any machine.
  CHECK(large.time_s > 0.5e-3);
}

}  // namespace
}  // namespace foretrain::testing
