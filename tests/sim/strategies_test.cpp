// Gains or losses of strategies, compared with a line of arithmetic.
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {
using namespace literals;

void slow_down(Case& scenario_case, int worker, double factor) {
  StragglerSpec straggler;
  straggler.workers = {worker};
  straggler.slowdown = factor;
  scenario_case.scenario.stragglers.push_back(straggler);
}

TEST_CASE("strategies: one backup takes a slow worker out of the time of a step") {
  const int workers = GENERATE(2, 3, 4);
  CAPTURE(workers);
  const Record plain = simulate(star_case("sync", workers, 40, 20_ms));
  Case scenario_case = star_case("sync", workers + 1, 40, 20_ms);
  set_option(scenario_case.scenario.training.protocol, "backup_workers", 1);
  slow_down(scenario_case, 1, 5);
  const Record backed = simulate(scenario_case);
  REQUIRE(backed.outcome == Outcome::done);
  // Counted gradients a second, compared with as many workers without slowdown.
  const double plain_rate = static_cast<double>(plain.gradients) / plain.time.seconds();
  const double backed_rate = static_cast<double>(backed.gradients) / backed.time.seconds();
  CHECK(backed_rate == Approx(plain_rate).epsilon(1e-3));
  // The slow worker takes five times as long as a step: it is dropped every time.
  CHECK(backed.dropped >= backed.updates / 5 - 1);
}

TEST_CASE("strategies: a shared quota is filled by whoever is quick") {
  Case scenario_case = star_case("async", 3, 20, 10_ms);
  slow_down(scenario_case, 2, 4);
  // By 270 ms the fast ones have made 27 each, the slow one 6: sixty in all.
  const Record shared = simulate(scenario_case);
  CHECK(shared.gradients == 60);
  CHECK(shared.time.seconds() == Approx(0.27).epsilon(1e-3));
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  const Record own = simulate(scenario_case);
  CHECK(own.gradients == 60);
  CHECK(own.time.seconds() == Approx(20 * 4 * 0.01).epsilon(1e-3));
}

TEST_CASE("strategies: a bound ties the quick to the slow") {
  Case scenario_case = star_case("ssp", 2, 30, 10_ms);
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  set_option(scenario_case.scenario.training.protocol, "staleness", 3);
  slow_down(scenario_case, 1, 2);
  const Record record = simulate(scenario_case);
  CHECK(record.most_lead == 3);
  CHECK(record.time.seconds() == Approx(30 * 0.02).epsilon(1e-3));
  // With its own quota the fast worker ends as many steps before the slow one as the bound allows.
  Instant quick;
  for (const StepRow& row : record.steps) {
    if (row.worker == 0) quick = std::max(quick, row.report.start);
  }
  CHECK(quick.seconds() >= 0.02 * (30 - 3 - 1) - 1e-3);
}

TEST_CASE("strategies: what a job has made leaves before the next job begins") {
  // Two workers in a ring on separate cores. The slices of a core are much longer than a step, so a
  // loop that had to wait for its own compute thread would add one to the other's step.
  Case scenario_case = small_case("all_reduce", 2, 30);
  scenario_case.scenario.model.name = "lenet";
  scenario_case.scenario.training.bucket_size = {50'000};
  scenario_case.scenario.numerics = false;
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [](const std::string&) {
    Machine machine = made_up_machine();
    machine.cores = 2;
    machine.slice = 100_ms;
    machine.contention = 1;
    machine.models["lenet 784x10"] = {{5e-3, 0}, {}};
    return machine;
  };
  CHECK(mean_step_s(simulate(scenario_case, options)) < 6e-3);
}

/// Only gradients of 5 ms and bytes outside the caches take time.
Machine forgetful(Bytes private_cache, Bytes shared_cache) {
  Machine machine;
  machine.cores = 2;
  machine.models["softmax 784x10"] = {{5e-3, 0}, {}};
  machine.memory = {private_cache, shared_cache, 1e-10, 1e-9, 0, {}};
  return machine;
}

double step_on(const Machine& machine, const std::string& strategy, int workers,
               int batch_size = 16) {
  Case scenario_case = small_case(strategy, workers, 200);
  scenario_case.scenario.training.batch_size = batch_size;
  scenario_case.scenario.numerics = false;
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [&](const std::string&) { return machine; };
  return mean_step_s(simulate(scenario_case, options));
}

// Scratch memory of 128 x 2 vectors, forward and backward.
TEST_CASE("strategies: a machine's kernels say what its gradients touch, whoever forecasts") {
  Machine machine = forgetful({64}, {64});
  const auto with = [&](const std::string& kernels) {
    machine.kernel_set = kernels;
    return step_on(machine, "single", 1);
  };
  CHECK(with("avx512") - with("avx2") == Approx(1e-9 * 2 * 4 * 128 * 2 * 8).epsilon(0.01));
}

TEST_CASE("strategies: a gradient waits for the bytes that other nodes pushed out of a cache") {
  constexpr Bytes kHuge{1'000'000'000};
  constexpr Bytes kSmall{100'000};
  const double alone_s = step_on(forgetful(kHuge, kHuge), "single", 1);
  CHECK(alone_s == Approx(5e-3).epsilon(0.02));
  // One step of a worker touches more than the small cache holds.
  const double shared_s = step_on(forgetful(kSmall, kHuge), "single", 1);
  const double memory_s = step_on(forgetful(kSmall, kSmall), "single", 1);
  CHECK(shared_s > alone_s);
  CHECK(memory_s - alone_s == Approx(10 * (shared_s - alone_s)).epsilon(0.1));
  // A working set that fits for one worker does not for two on the same host.
  constexpr Bytes kForOne{1'000'000};
  const auto more_s = [&](int workers) {
    return step_on(forgetful(kSmall, kForOne), "all_reduce", workers) -
           step_on(forgetful(kHuge, kHuge), "all_reduce", workers);
  };
  CHECK(more_s(2) > 1.2 * more_s(1));
}

TEST_CASE("strategies: a job that begins after messages loses what the machine says") {
  Machine machine = made_up_machine();
  machine.apply = {2e-6, 0};
  Machine losing = machine;
  losing.warm_up = 9_us;
  const auto lost_s = [&](const char* strategy) {
    return step_on(losing, strategy, 1) - step_on(machine, strategy, 1);
  };
  CHECK(lost_s("single") == 0);
  // In 200 steps: 9 us for each gradient except the first, which no message precedes, and 2 us for
  // each update, which is no longer at half its speed.
  CHECK(lost_s("sync") == Approx(9e-6 * 199 / 200 + 2e-6));
}

TEST_CASE("strategies: a job on a thread beside the loop takes longer by what the machine says") {
  Machine machine = made_up_machine();
  machine.apply = {2e-6, 0};
  Machine slow = machine;
  slow.thread_handoff = 6_us;
  const auto longer_s = [&](int batch_size) {
    return step_on(slow, "single", 1, batch_size) - step_on(machine, "single", 1, batch_size);
  };
  CHECK(longer_s(16) == 0);  // on the loop
  CHECK(longer_s(256) == Approx(6e-6));
}

TEST_CASE("strategies: values of several buckets are put in their place by who gets them") {
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(strategy);
  const auto step_s = [&](double per_byte_s, Bytes bucket_size) {
    Case scenario_case = small_case(strategy, 1, 30);
    scenario_case.scenario.numerics = false;
    scenario_case.scenario.training.bucket_size = bucket_size;
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.machines = [&](const std::string&) {
      Machine machine;
      machine.cores = 2;
      machine.apply = {0, per_byte_s};
      machine.models["softmax 784x10"] = {{5e-3, 0}, {}};
      machine.models["softmax 784x10"].apply = {1e-9, 0};
      return machine;
    };
    return mean_step_s(simulate(scenario_case, options));
  };
  // 7,850 parameters are read and written: 6 ms. The last step ends when its second bucket arrives,
  // before its copy. One bucket is used in place.
  const double puts_s = 1e-7 * 8 * (7'850 - 3'850 / 30.0);
  CHECK(step_s(1e-7, {16'000}) - step_s(0, {16'000}) == Approx(puts_s).epsilon(0.001));
  CHECK(step_s(1e-7, {1'000'000}) == step_s(0, {1'000'000}));
}

TEST_CASE("strategies: sparse messages are made and read") {
  const auto step_s = [](const AffineCost& coding) {
    Case scenario_case = small_case("sync", 1, 30);
    scenario_case.scenario.model.name = "sparse_logistic";
    scenario_case.scenario.model.hash_bits = 12;
    scenario_case.scenario.dataset.format = "clicks";
    scenario_case.scenario.numerics = false;
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.machines = [&](const std::string&) {
      Machine machine;
      machine.cores = 2;
      ModelCost& model = machine.models["sparse_logistic 4096x2"];
      model.gradient = {5e-3, 0};
      model.coding = coding;
      return machine;
    };
    return mean_step_s(simulate(scenario_case, options));
  };
  // A push is encoded, decoded, answered; the last answer is all values in place.
  CHECK(step_s({1e-3, 0}) - step_s({}) == Approx(3e-3 - 1e-3 / 30).epsilon(0.001));
}

}  // namespace
}  // namespace foretrain::testing
