// Jobs on other cores: their order, cancellation, the resulting record.
#include "sim/world/work_pool.h"

#include "models/protocol/registry.h"
#include "scenarios/resolve/prepared.h"
#include "tests/support/cases.h"
#include "tests/support/record_bytes.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using sim::WorkAhead;
using sim::WorkPool;

Job job_of(std::function<void()> what) {
  Job job;
  job.work = [what = std::move(what)](Parallel& /*parallel*/) {
    what();
    return JobResult{.loss = 1};
  };
  return job;
}

// Whether the flag is set within a minute.
bool becomes(const std::atomic<bool>& flag) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!flag && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return flag;
}

TEST_CASE("work pool: nodes work side by side, also while one is waited for") {
  WorkPool pool(2);
  WorkAhead one(&pool);
  WorkAhead other(&pool);
  std::atomic<bool> first = false;
  std::atomic<bool> second = false;
  std::atomic<int> met = 0;
  Job waits = job_of([&] {
    first = true;
    if (becomes(second)) ++met;
  });
  Job awaited = job_of([&] {
    second = true;
    if (becomes(first)) ++met;
  });
  one.begin(0, waits);
  other.begin(0, awaited);
  CHECK(one.finish(0, waits).loss == 1);
  CHECK(other.finish(0, awaited).loss == 1);
  CHECK(met == 2);
}

TEST_CASE("work pool: the work of a node goes in order, what it prepares comes before the next") {
  WorkPool pool(4);
  WorkAhead node(&pool);
  std::vector<int> order;
  std::vector<Job> jobs;
  for (int i = 0; i < 50; ++i) {
    jobs.push_back(job_of([&order, i] { order.push_back(2 * i); }));
    jobs.back().prefetch = [&order, i] { order.push_back(2 * i + 1); };
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) node.begin(i, jobs[i]);
  for (std::size_t i = jobs.size(); i-- > 0;) node.finish(i, jobs[i]);
  REQUIRE(order.size() == 100);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("work pool: what work holds is let go when its job ends, not later") {
  WorkPool pool(2);
  WorkAhead node(&pool);
  const auto held = std::make_shared<int>(0);
  for (std::size_t i = 0; i < 100; ++i) {
    Job job = job_of([held] {});
    node.begin(i % 3, job);
    node.finish(i % 3, job);
    REQUIRE(held.use_count() == 1);
  }
}

TEST_CASE("work pool: what work throws is thrown where its job ends") {
  WorkPool pool(2);
  WorkAhead node(&pool);
  Job job = job_of([] { throw std::runtime_error("no such file"); });
  node.begin(0, job);
  CHECK_THROWS_WITH(node.finish(0, job), "no such file");
}

TEST_CASE("work pool: dropped work that is being done is over on return") {
  WorkPool pool(2);
  WorkAhead node(&pool);
  std::atomic<bool> begun = false;
  std::atomic<bool> dropping = false;
  int done = 0;
  Job job = job_of([&] {
    begun = true;
    becomes(dropping);
    ++done;
  });
  node.begin(0, job);
  REQUIRE(becomes(begun));
  dropping = true;
  node.drop();
  CHECK(done == 1);
}

TEST_CASE("work pool: dropped work that waits for a thread never begins") {
  WorkPool pool(2);
  WorkAhead busy(&pool);
  WorkAhead node(&pool);
  std::atomic<bool> begun = false;
  std::atomic<bool> dropped = false;
  int done = 0;
  Job keeps_thread = job_of([&] {
    begun = true;
    becomes(dropped);
  });
  busy.begin(0, keeps_thread);
  REQUIRE(becomes(begun));
  Job job = job_of([&] { ++done; });
  node.begin(0, job);
  node.drop();
  dropped = true;
  busy.finish(0, keeps_thread);
  Job last = job_of([] {});  // behind it in the pool's queue
  busy.begin(0, last);
  busy.finish(0, last);
  CHECK(done == 0);
}

TEST_CASE("work pool: nothing begins after a drop") {
  WorkPool pool(2);
  WorkAhead node(&pool);
  node.drop();
  Job job = job_of([] {});
  node.begin(0, job);
  CHECK(job.work);  // unchanged: nobody has taken it
}

TEST_CASE("work pool: without one all work is done at its end") {
  WorkAhead node(nullptr);
  std::vector<int> order;
  Job job = job_of([&] { order.push_back(1); });
  job.prefetch = [&] { order.push_back(2); };
  node.begin(0, job);
  CHECK(order.empty());
  CHECK(node.finish(0, job).loss == 1);
  CHECK(order == std::vector{1, 2});
}

// Gradients too large for the loop; with several layers, in buckets that leave in stages.
Case learning_case(const Protocol& protocol, bool deep) {
  Case each = small_case(std::string(protocol.name), protocol.several_workers ? 4 : 1, 20);
  TrainingSpec& training = each.scenario.training;
  training.batch_size = 64;
  training.evaluate_every = 5;
  if (!deep) return each;
  each.scenario.model.name = "mlp";
  each.scenario.model.options.hidden = {96, 64};
  training.bucket_size = {16'000};
  return each;
}

Record simulate_on(const Case& scenario_case, int cores) {
  const Prepared prepared = prepare(scenario_case, need_of_simulation(scenario_case.scenario));
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return made_up_machine(prepared.model_key); };
  options.cores = cores;
  return sim::simulate(prepared, options);
}

TEST_CASE("work pool: a record does not depend on the cores that computed it") {
  for (const Protocol& protocol : protocols()) {
    for (const bool deep : {false, true}) {
      CAPTURE(protocol.name, deep);
      const Case each = learning_case(protocol, deep);
      const Record alone = simulate_on(each, 1);
      REQUIRE(alone.outcome == Outcome::done);
      CHECK(record_bytes(alone) == record_bytes(simulate_on(each, 3)));
    }
  }
}

TEST_CASE("work pool: a worker dies while its gradient is computed, another takes its place") {
  const int worker = GENERATE(1, 2, 3);
  CAPTURE(worker);
  Case each = learning_case(protocol_called("async"), true);
  const Duration half{simulate_on(each, 1).time.ns / 2};
  each.scenario.faults = {
      {.at = half, .kill = fmt::format("worker{}", worker), .restart_after = Duration{300'000}}};
  const Record alone = simulate_on(each, 1);
  REQUIRE(alone.outcome == Outcome::done);
  REQUIRE(alone.nodes[static_cast<std::size_t>(worker)].away.size() == 1);
  CHECK(record_bytes(alone) == record_bytes(simulate_on(each, 3)));
}

// All nodes restart, some of them while they wait for a batch.
TEST_CASE("work pool: a training is set back while batches are read") {
  Case each = learning_case(protocol_called("sync"), false);
  each.scenario.training.rejoin_limit = Duration{60'000'000'000};
  each.scenario.dataset.input.read_rate = {64 * 784 * 4 / 0.001};  // 1 ms per batch
  const Duration whole = simulate_on(each, 1).time;
  for (const int eighths : {2, 3, 5, 7}) {
    CAPTURE(eighths);
    each.scenario.faults = {{.at = Duration{whole.ns * eighths / 8},
                             .kill = "server0",
                             .restart_after = Duration{500'000}}};
    const Record alone = simulate_on(each, 1);
    REQUIRE(alone.outcome == Outcome::done);
    REQUIRE(alone.restarts.count == 1);
    CHECK(record_bytes(alone) == record_bytes(simulate_on(each, 3)));
  }
}

}  // namespace
}  // namespace foretrain::testing
