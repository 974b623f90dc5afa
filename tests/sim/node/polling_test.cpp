// A polling event loop uses its core for as long as it polls.
#include "sim/node/polling.h"

#include "tests/support/actors.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

// --- Alone ---

/// A host with one core whose loops poll for 2 ms.
struct Alone {
  sim::Engine engine;
  sim::Host host = make_host(engine);
  sim::Polling polling{host, 0};
  Ends ends;

  static sim::Host make_host(sim::Engine& engine) {
    sim::Host host;
    host.cpu = std::make_shared<sim::Cpu>(engine, 1, sim::Cpu::Sharing{.slice = 3_ms});
    host.local.poll = 2_ms;
    return host;
  }
  /// Another thread uses the core for this long; time advances to its end.
  void keep_core_busy(Duration time) {
    host.cpu->run(host.cpu->add_thread(0), time, sim::Work::transport, {&ends, 0});
    engine.run();
  }
};

TEST_CASE("polling: a loop polls for a while after it was active, then sleeps") {
  Alone alone;
  alone.polling.active(Instant{} + 1_ms);
  const Duration before = alone.polling.polled();
  CHECK(alone.polling.polls(Instant{} + 2_ms));
  CHECK_FALSE(alone.polling.polls(Instant{} + 3_ms));
  alone.polling.active(Instant{} + 10_ms);
  CHECK(alone.polling.polled() - before == 2_ms);
  alone.polling.active(Instant{} + 10'500_us);
  CHECK(alone.polling.polled() - before == 2'500_us);
}

TEST_CASE("polling: beside a job of its own a loop sleeps at once") {
  Alone alone;
  alone.polling.job_begins();
  CHECK_FALSE(alone.polling.polls(Instant{} + 1_us));
  alone.polling.active(Instant{} + 1_ms);
  CHECK(alone.polling.polled() == Duration{});
  alone.polling.job_ends();
  CHECK(alone.polling.polls(Instant{} + 2_ms));
  alone.polling.active(Instant{} + 2_ms);
  CHECK(alone.polling.polled() == 1_ms);
}

TEST_CASE("polling: from the first packet of a message until it is there a loop is awake") {
  Alone alone;
  // Asleep from 2 ms to 5, when it is woken.
  alone.polling.packets_came(Instant{} + 5_ms);
  alone.polling.active(Instant{} + 9_ms);
  CHECK(alone.polling.polled() == 6_ms);
  // The transfer began before the loop would have slept.
  alone.polling.packets_came(Instant{} + 10_ms);
  alone.polling.active(Instant{} + 19_ms);
  CHECK(alone.polling.polled() == 16_ms);
}

TEST_CASE("polling: packets that queue behind those of another message keep a loop awake") {
  Alone alone;
  alone.polling.packets_came(Instant{} + 1_ms);
  alone.polling.active(Instant{} + 10_ms);
  CHECK(alone.polling.polled() == 10_ms);
  // Sent while the first message was under way, over the same link.
  alone.polling.packets_came(Instant{} + 1'500_us);
  alone.polling.active(Instant{} + 30_ms);
  CHECK(alone.polling.polled() == 30_ms);
  // Nothing arrived before the next action.
  alone.polling.active(Instant{} + 50_ms);
  CHECK(alone.polling.polled() == 32_ms);
}

TEST_CASE("polling: loops that poll on one core have no more of it than there is") {
  Alone alone;
  sim::Polling other(alone.host, 0);
  for (int ms = 1; ms <= 10; ++ms) {
    other.active(Instant{} + Duration{ms * 1'000'000 - 500'000});
    alone.polling.active(Instant{} + Duration{ms * 1'000'000});
  }
  CHECK(alone.polling.polled() + other.polled() == 10_ms);
  CHECK(alone.polling.polled() == 5_ms);
}

TEST_CASE("polling: a core that others use is not polled on") {
  Alone alone;
  alone.keep_core_busy(1'500_us);
  alone.polling.active(Instant{} + 1'800_us);
  CHECK(alone.polling.polled() == 300_us);
}

TEST_CASE("polling: what counts is from the beginning of the training to the loop's end") {
  Alone alone;
  alone.polling.active(Instant{} + 1_ms);
  alone.polling.begin();
  CHECK(alone.polling.polled() == Duration{});
  alone.polling.active(Instant{} + 2_ms);
  alone.polling.end();
  alone.polling.active(Instant{} + 3_ms);
  CHECK(alone.polling.polled() == 1_ms);
}

// --- In a training ---

/// One worker and one server on two cores; gradients of 10 ms, free messages.
Record simulate_polling(Duration poll, BytesPerSecond nic = {}) {
  Case scenario_case = small_case("sync", 1, 50);
  scenario_case.scenario.numerics = false;
  if (nic.value > 0) {
    HostSpec host;
    host.name = "node";
    host.count = 2;
    host.nic = nic;
    host.machine = "made up";
    scenario_case.scenario.cluster.hosts = {host};
  }
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [poll](const std::string&) {
    Machine machine;
    machine.name = "made up";
    machine.cores = 2;
    machine.models["softmax 784x10"] = {{10e-3, 0}, {}};
    machine.loopback.poll = poll;
    return machine;
  };
  return simulate(scenario_case, options);
}

TEST_CASE("polling: a server looks for a while after every message, then sleeps") {
  const Record asleep = simulate_polling({});
  CHECK(asleep.nodes[1].cpu_s == Approx(0).margin(1e-6));
  const Record record = simulate_polling(2_ms);
  // 2 ms of every 10, fifty times.
  CHECK(record.nodes[1].cpu_s == Approx(0.1).epsilon(0.05));
  CHECK(record.time == asleep.time);
}

TEST_CASE("polling: a server that never sleeps uses its core throughout") {
  const Record record = simulate_polling(20_ms);
  CHECK(record.nodes[1].cpu_s == Approx(record.time.seconds()).epsilon(0.01));
  // Its own compute thread uses the worker's core; its loop does not poll meanwhile.
  CHECK(record.nodes[0].cpu_s == Approx(record.time.seconds()).epsilon(0.01));
}

TEST_CASE("polling: packets that come in keep a loop awake") {
  // 31.4 KB at 1 MB/s take 32.8 ms with headers, in each direction.
  const Record record = simulate_polling(2_ms, {1e6});
  const double wire_s = static_cast<double>(message_size().value) * 1514 / 1448 / 1e6;
  CHECK(record.nodes[1].cpu_s == Approx(50 * (wire_s + 2e-3)).epsilon(0.05));
}

/// One host per node, with these gradient times; messages cost only the wake-up time of a sleeper.
Case hosts_of(Case scenario_case, const std::vector<Duration>& gradients) {
  Scenario& scenario = scenario_case.scenario;
  scenario.numerics = false;
  scenario.cluster.tcp = false;
  for (const Duration gradient : gradients) {
    HostSpec host;
    host.name = "node" + std::to_string(scenario.cluster.hosts.size());
    host.nic = {1e18};
    host.machine = std::to_string(gradient.ns);
    scenario.cluster.hosts.push_back(host);
  }
  return scenario_case;
}

double step_of_sleepers(const Case& scenario_case, Duration wake, Duration preempt) {
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [&](const std::string& name) {
    Machine machine;
    machine.name = name;
    const Duration gradient{std::stoll(name)};
    for (const char* model : {"softmax 784x10", "lenet 784x10"}) {
      machine.models[model] = {{gradient.seconds(), 0}, {}};
    }
    machine.loopback.wake = wake;
    machine.loopback.preempt = preempt;
    return machine;
  };
  const Record record = simulate(scenario_case, options);
  REQUIRE(record.outcome == Outcome::done);
  return mean_step_s(record);
}

TEST_CASE("polling: a server that is woken for one message reads what came meanwhile") {
  const Case scenario_case = hosts_of(small_case("sync", 2, 20), {10_ms, 10'500_us, 0_ms});
  // Woken a millisecond after the first push, it has the second push and wakes the workers.
  CHECK(step_of_sleepers(scenario_case, 1_ms, {}) == Approx(12e-3).epsilon(1e-6));
}

TEST_CASE("polling: a loop that its own job wakes reads what came meanwhile") {
  Case scenario_case = small_case("all_reduce", 2, 20);
  scenario_case.scenario.model.name = "lenet";
  scenario_case = hosts_of(scenario_case, {5_ms, 5'200_us});
  // Long before the kernel would have preempted the job.
  CHECK(step_of_sleepers(scenario_case, {}, 20_ms) == Approx(5.2e-3).epsilon(1e-3));
}

}  // namespace
}  // namespace foretrain::testing
