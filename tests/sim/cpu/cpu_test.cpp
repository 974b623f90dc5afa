// Time slices of threads on cores, contention of compute.
#include "sim/cpu/cpu.h"

#include "models/base/random.h"
#include "tests/support/actors.h"

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;
using testing::Ends;
using testing::Later;

TEST_CASE("cpu: a thread alone on its core runs at full speed") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  const auto thread = cpu.add_thread(0);
  cpu.run(thread, 10_ms, Work::compute, {&ends, 0});
  cpu.run(thread, 5_ms, Work::transport, {&ends, 1});
  engine.run();
  CHECK(ends.at[0] == Instant{} + 10_ms);
  CHECK(ends.at[1] == Instant{} + 15_ms);
  CHECK(cpu.used(thread, Work::compute) == 10_ms);
  CHECK(cpu.used(thread, Work::transport) == 5_ms);
}

TEST_CASE("cpu: a core that goes on with another process takes the time of a change") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1, 10_us});
  Ends ends;
  const auto one = cpu.add_process();
  const auto other = cpu.add_process();
  cpu.run(cpu.add_thread(0, one), 4_ms, Work::compute, {&ends, 0});
  cpu.run(cpu.add_thread(0, other), 1_ms, Work::compute, {&ends, 1});
  engine.run();
  // The first begins on an idle core; after its slice the other runs, then the first continues.
  CHECK(ends.at[1] == Instant{} + 4_ms + 10_us);
  CHECK(ends.at[0] == Instant{} + 5_ms + 20_us);
}

TEST_CASE("cpu: threads of one process take over from each other at no cost") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1, 10_us});
  Ends ends;
  const auto process = cpu.add_process();
  for (std::uint64_t i = 0; i < 2; ++i) {
    cpu.run(cpu.add_thread(0, process), 4_ms, Work::compute, {&ends, i});
  }
  engine.run();
  CHECK(ends.at[1] == Instant{} + 8_ms);
}

TEST_CASE("cpu: what was recorded has the changes in it") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1, 10_us});
  Ends ends;
  const auto entry = Cpu::Entry::last;
  for (std::uint64_t i = 0; i < 2; ++i) {
    cpu.run(cpu.add_thread(0, cpu.add_process()), 1_ms, Work::compute, {&ends, i}, entry,
            History::kNoTask, Cpu::ShareMode::recorded);
  }
  engine.run();
  CHECK(ends.at[1] == Instant{} + 2_ms);
}

TEST_CASE("cpu: three barrier workers on two cores take twice as long as one") {
  Engine engine;
  Cpu cpu(engine, 2, {3_ms, 1});
  Ends ends;
  for (std::uint64_t worker = 0; worker < 3; ++worker) {
    cpu.run(cpu.add_thread(static_cast<int>(worker) % 2), 30_ms, Work::compute, {&ends, worker});
  }
  engine.run();
  CHECK(ends.at[1] == Instant{} + 30_ms);
  // Alternating slices of 3 ms: the first thread of core 0 ends one slice before the other.
  CHECK(ends.at[0] == Instant{} + 57_ms);
  CHECK(ends.at[2] == Instant{} + 60_ms);
}

TEST_CASE("cpu: recorded work takes its time beside others, who do not") {
  Engine engine;
  Cpu cpu(engine, 2, {3_ms, 1.5});
  Ends ends;
  cpu.run(cpu.add_thread(0), 10_ms, Work::compute, {&ends, 0}, Cpu::Entry::last, History::kNoTask,
          Cpu::ShareMode::recorded);
  cpu.run(cpu.add_thread(1), 10_ms, Work::compute, {&ends, 1});
  engine.run();
  CHECK(ends.at[0] == Instant{} + 10_ms);
  // At two thirds of its speed for 10 ms, then alone.
  CHECK(ends.at[1].seconds() == Approx(10e-3 + 10e-3 / 3));
}

TEST_CASE("cpu: work shorter than a slice runs first in, first out") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  for (std::uint64_t i = 0; i < 4; ++i) {
    cpu.run(cpu.add_thread(0), 1_ms, Work::transport, {&ends, i});
  }
  engine.run();
  for (std::int64_t i = 0; i < 4; ++i) CHECK(ends.at[i] == Instant{} + 1_ms * (i + 1));
}

TEST_CASE("cpu: who is woken goes before who computes") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  Later later;
  const auto busy = cpu.add_thread(0);
  const auto carrier = cpu.add_thread(0);
  cpu.run(busy, 20_ms, Work::compute, {&ends, 0});
  later.add(engine, 7_ms, [&] {
    cpu.run(carrier, 1_ms, Work::transport, {&ends, 1}, Cpu::Entry::woken);
  });
  engine.run();
  CHECK(ends.at[1] == Instant{} + 8_ms);
  CHECK(ends.at[0] == Instant{} + 21_ms);
}

TEST_CASE("cpu: of two that compute who has had less goes first when it wakes") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  Later later;
  const auto much = cpu.add_thread(0);
  const auto little = cpu.add_thread(0);
  cpu.run(little, 1_ms, Work::compute, {&ends, 0});
  cpu.run(much, 20_ms, Work::compute, {&ends, 1});
  // It has used 6 ms by now. Sleeping gives the other thread no credit, but it has used no more.
  later.add(engine, 7_ms, [&] {
    cpu.run(little, 1_ms, Work::compute, {&ends, 2}, Cpu::Entry::woken);
  });
  // Now both have used the same, except for a millisecond that the sleeper had first.
  later.add(engine, 8_ms, [&] {
    cpu.run(little, 5_ms, Work::compute, {&ends, 3}, Cpu::Entry::woken);
  });
  engine.run();
  CHECK(ends.at[2] == Instant{} + 8_ms);
  CHECK(ends.at[1] == Instant{} + 27_ms);
  // It waits for the slice of the thread with less CPU time, then they alternate.
  CHECK(ends.at[3] > Instant{} + 13_ms);
}

TEST_CASE("cpu: who carries much waits for the little that another computes") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  Later later;
  const auto carrier = cpu.add_thread(0);
  const auto little = cpu.add_thread(0);
  cpu.run(carrier, 2_ms, Work::transport, {&ends, 0});
  later.add(engine, 500_us, [&] {
    cpu.run(little, 100_us, Work::compute, {&ends, 1}, Cpu::Entry::woken);
  });
  later.add(engine, 2500_us, [&] {
    cpu.run(little, 100_us, Work::compute, {&ends, 2}, Cpu::Entry::woken);
  });
  later.add(engine, 2550_us, [&] {
    cpu.run(carrier, 1_ms, Work::transport, {&ends, 3}, Cpu::Entry::woken);
  });
  engine.run();
  CHECK(ends.at[1] == Instant{} + 600_us);
  CHECK(ends.at[0] == Instant{} + 2100_us);
  CHECK(ends.at[2] == Instant{} + 2600_us);
  CHECK(ends.at[3] == Instant{} + 3600_us);
}

TEST_CASE("cpu: of what it had while the core was idle since then nobody makes a debt") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  Later later;
  const auto carrier = cpu.add_thread(0);
  const auto newcomer = cpu.add_thread(0);
  cpu.run(carrier, 20_ms, Work::transport, {&ends, 0});
  later.add(engine, 30_ms, [&] {
    cpu.run(newcomer, 10_ms, Work::compute, {&ends, 1}, Cpu::Entry::woken);
  });
  // The newcomer has used 4 ms by now, a slice more than it could have saved.
  later.add(engine, 34_ms, [&] {
    cpu.run(carrier, 1_ms, Work::transport, {&ends, 2}, Cpu::Entry::woken);
  });
  engine.run();
  CHECK(ends.at[2] == Instant{} + 35_ms);
  CHECK(ends.at[1] == Instant{} + 41_ms);
}

TEST_CASE("cpu: who waits in line is hurried before those that have had more, no others") {
  Engine engine;
  Cpu cpu(engine, 1, {30_ms, 1});
  Ends ends;
  Later later;
  const auto runs = cpu.add_thread(0);
  const auto waits = cpu.add_thread(0);
  const auto idle = cpu.add_thread(0);
  cpu.run(runs, 10_ms, Work::compute, {&ends, 0});
  later.add(engine, 4_ms, [&] { cpu.run(waits, 1_ms, Work::transport, {&ends, 1}); });
  later.add(engine, 6_ms, [&] {
    cpu.preempt_others(idle);
    cpu.preempt_others(runs);
    cpu.preempt_others(waits);
    CHECK(cpu.used(runs, Work::compute) == 6_ms);
  });
  engine.run();
  CHECK(ends.at[1] == Instant{} + 7_ms);
  CHECK(ends.at[0] == Instant{} + 11_ms);
}

TEST_CASE("cpu: a newcomer waits for the end of the slice that is running") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  Later later;
  const auto busy = cpu.add_thread(0);
  const auto newcomer = cpu.add_thread(0);
  cpu.run(busy, 20_ms, Work::compute, {&ends, 0});
  // The third slice is from 6 to 9 ms.
  later.add(engine, 7_ms, [&] { cpu.run(newcomer, 1_ms, Work::compute, {&ends, 1}); });
  engine.run();
  CHECK(ends.at[1] == Instant{} + 10_ms);
  CHECK(ends.at[0] == Instant{} + 21_ms);
}

TEST_CASE("cpu: a thread that is stopped does nothing until it goes on") {
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  Ends ends;
  Later later;
  const auto thread = cpu.add_thread(0);
  cpu.run(thread, 10_ms, Work::compute, {&ends, 0});
  later.add(engine, 4_ms, [&] { cpu.stop(thread); });
  later.add(engine, 5_ms, [&] { cpu.run(thread, 1_ms, Work::transport, {&ends, 1}); });
  later.add(engine, 24_ms, [&] { cpu.go_on(thread); });
  later.add(engine, 40_ms, [&] { cpu.stop(thread); });
  later.add(engine, 41_ms, [&] { cpu.run(thread, 1_ms, Work::transport, {&ends, 2}); });
  later.add(engine, 50_ms, [&] { cpu.go_on(thread); });
  engine.run();
  CHECK(ends.at[0] == Instant{} + 30_ms);
  CHECK(ends.at[1] == Instant{} + 31_ms);
  CHECK(ends.at[2] == Instant{} + 51_ms);
  CHECK(cpu.used(thread, Work::compute) == 10_ms);
}

TEST_CASE("cpu: who is stopped leaves the core to the others") {
  Engine engine;
  Cpu cpu(engine, 2, {3_ms, 1.5});
  Ends ends;
  Later later;
  const auto stopped = cpu.add_thread(0);
  const auto waiting = cpu.add_thread(0);
  const auto colocated_job = cpu.add_thread(1);
  cpu.run(stopped, 6_ms, Work::compute, {&ends, 0});
  cpu.run(waiting, 1_ms, Work::transport, {&ends, 1});
  cpu.run(colocated_job, 20_ms, Work::compute, {&ends, 2});
  later.add(engine, 1'500_us, [&] { cpu.stop(stopped); });
  later.add(engine, 100_ms, [&] { cpu.go_on(stopped); });
  engine.run();
  CHECK(ends.at[1] == Instant{} + 2'500_us);
  // Both computed for 1.5 ms at two thirds of full speed: 1 ms of work each.
  CHECK(ends.at[2] == Instant{} + 1'500_us + 19_ms);
  CHECK(ends.at[0] == Instant{} + 105_ms);
}

TEST_CASE("cpu: compute on two cores at once is slower by the contention factor") {
  Engine engine;
  Cpu cpu(engine, 2, {3_ms, 1.5});
  Ends ends;
  cpu.run(cpu.add_thread(0), 20_ms, Work::compute, {&ends, 0});
  cpu.run(cpu.add_thread(1), 40_ms, Work::compute, {&ends, 1});
  cpu.run(cpu.add_thread(1), 0_ms, Work::transport, {&ends, 2});
  engine.run();
  CHECK(ends.at[0] == Instant{} + 30_ms);
  // It did 20 of its 40 ms at two thirds of full speed, the rest alone.
  CHECK(ends.at[1] == Instant{} + 50_ms);
}

TEST_CASE("cpu: work done is work asked, whatever the order") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  Stream stream(seed, "test");
  Engine engine;
  Cpu cpu(engine, 3, {1_ms, 1});
  Ends ends;
  Duration asked;
  std::vector<Cpu::ThreadId> threads;
  for (int i = 0; i < 12; ++i) threads.push_back(cpu.add_thread(i % 3));
  for (std::uint64_t item = 0; item < 200; ++item) {
    const Duration amount{static_cast<std::int64_t>(stream.below(5'000'000))};
    asked += amount;
    cpu.run(threads[stream.below(12)], amount, Work::compute, {&ends, item});
  }
  engine.run();
  Duration used;
  for (const auto thread : threads) used += cpu.used(thread, Work::compute);
  CHECK(used == asked);
  CHECK(ends.at.size() == 200);
}

// A closed loop: N customers think for an exponential time, then queue for one core.
double closed_loop_rate(int customers, double think_s, double service_s, int services) {
  struct Loop : Actor {
    void wake(Instant now, std::uint64_t token) override { on_event(now, token); }
    std::function<void(Instant, std::uint64_t)> on_event;
  } loop;
  Engine engine;
  Cpu cpu(engine, 1, {1'000'000_s, 1});
  Stream stream(11, "closed loop");
  std::vector<Cpu::ThreadId> threads;
  int served = 0;
  for (int i = 0; i < customers; ++i) threads.push_back(cpu.add_thread(0));
  const auto draw = [&](double mean) {
    return Duration::from_seconds(mean * stream.exponential());
  };
  loop.on_event = [&](Instant now, std::uint64_t token) {
    const std::uint64_t customer = token / 2;
    if (token % 2 == 0) {
      cpu.run(threads[customer], draw(service_s), Work::transport, {&loop, token + 1});
    } else {
      ++served;
      engine.schedule(now + draw(think_s), {&loop, token - 1});
    }
  };
  for (int i = 0; i < customers; ++i) {
    engine.schedule(Instant{} + draw(think_s), {&loop, static_cast<std::uint64_t>(2 * i)});
  }
  while (served < services) engine.step();
  return served / engine.now().seconds();
}

TEST_CASE("cpu: a closed loop of exponential times gives what mean value analysis says") {
  // R = s (1 + Q), X = n / (Z + R), Q = X R, with Z = 10 and s = 1.
  const auto [customers, rate] =
      GENERATE(table<int, double>({{1, 0.0909}, {4, 0.3533}, {8, 0.6617}, {16, 0.9777}}));
  CAPTURE(customers);
  CHECK(closed_loop_rate(customers, 10, 1, 200'000) == Approx(rate).epsilon(0.01));
}

// Customers arrive at exponential intervals; each is served for one second.
double mean_wait_s(double load, int customers) {
  struct Door : Actor {
    void wake(Instant now, std::uint64_t token) override {
      if (token == 1) {
        waits_s += (now - come.front()).seconds() - 1;
        come.erase(come.begin());
        ++served;
        return;
      }
      come.push_back(now);
      cpu->run(thread, 1_s, Work::compute, {this, 1});
      engine->schedule(now + Duration::from_seconds(stream.exponential() / load), {this, 0});
    }
    Engine* engine = nullptr;
    Cpu* cpu = nullptr;
    Cpu::ThreadId thread = 0;
    Stream stream{7, "test"};
    double load = 0;
    std::vector<Instant> come;
    double waits_s = 0;
    int served = 0;
  } door;
  Engine engine;
  Cpu cpu(engine, 1, {3_ms, 1});
  door.engine = &engine;
  door.cpu = &cpu;
  door.thread = cpu.add_thread(0);
  door.load = load;
  engine.schedule({}, {&door, 0});
  while (door.served < customers) engine.step();
  return door.waits_s / door.served;
}

TEST_CASE("cpu: an open queue of equal jobs waits as Pollaczek and Khinchine say") {
  // M/D/1: s rho / (2 (1 - rho)).
  const double load = GENERATE(0.3, 0.6, 0.8);
  CAPTURE(load);
  CHECK(mean_wait_s(load, 4'000'000) == Approx(load / (2 * (1 - load))).epsilon(0.01));
}

}  // namespace
}  // namespace foretrain::sim
