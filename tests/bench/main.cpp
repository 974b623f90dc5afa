// Benchmarks: they print times, nobody asserts them.
#include "exec/calibration/ping_pong.h"
#include "exec/launch/process.h"
#include "models/data/digits.h"
#include "models/data/sampler.h"
#include "models/networks/network.h"
#include "reports/record/statistics.h"
#include "sim/engine/engine.h"
#include "tests/support/cases.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

namespace foretrain {
namespace {
using Clock = std::chrono::steady_clock;

// Seconds of one call, the median of several.
double median_s(int repetitions, const std::function<void()>& body) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = Clock::now();
    body();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return median(times).value();
}

void bench_gradients(bool smoke) {
  const DataSplit data = draw_digits(smoke ? 600 : 10'000, 10, 1);
  const auto network = make_network("softmax", {784, 10});
  const auto workspace = network->make_workspace();
  std::vector<float> parameters(7'850, 0);
  std::vector<float> gradient(7'850);
  for (const int batch : {64, 128, 512}) {
    Sampler sampler(data.train.examples, 0, 1, batch, 1);
    const double seconds = median_s(smoke ? 3 : 500, [&] {
      network->gradient(parameters, data.train, sampler.next(), gradient, *workspace);
    });
    fmt::print("gradient   softmax, batch {:3}      {:8.4f} ms  {:6.1f} GFLOP/s\n", batch,
               seconds * 1e3, network->gradient_cost(batch).flops.value / seconds * 1e-9);
  }
}

// Wakes itself as long as there is something left to count.
struct Ticker : sim::Actor {
  sim::Engine* engine = nullptr;
  std::int64_t left = 0;
  void wake(Instant now, std::uint64_t token) override {
    if (--left > 0) {
      const auto ahead = static_cast<std::int64_t>(token % 7 + 1);
      engine->schedule(now + Duration{ahead}, {this, token + 1});
    }
  }
};

void bench_engine(bool smoke) {
  const std::int64_t events = smoke ? 20'000 : 2'000'000;
  const double seconds = median_s(3, [&] {
    sim::Engine engine;
    Ticker ticker;
    ticker.engine = &engine;
    ticker.left = events;
    for (std::uint64_t i = 0; i < 1'000; ++i) engine.schedule({}, {&ticker, i});
    engine.run();
  });
  fmt::print("engine     1,000 events in queue    {:8.2f} million events/s\n",
             static_cast<double>(events) / seconds * 1e-6);
}

void bench_simulation(bool smoke) {
  for (const char* strategy : {"sync", "async"}) {
    for (const int workers : {8, 64}) {
      const std::int64_t steps = smoke ? 20 : 40'000 / workers;
      Case scenario_case = testing::star_case(strategy, workers, steps, {10'000'000});
      scenario_case.scenario.cluster.hosts[0].nic = {1.25e9};
      scenario_case.scenario.cluster.hosts[0].latency = {25'000};
      const double seconds = median_s(3, [&] { testing::simulate(scenario_case); });
      fmt::print("simulation {:5}, {:2} workers, star  {:8.1f} thousand messages/s\n", strategy,
                 workers, static_cast<double>(2 * workers * steps) / seconds * 1e-3);
    }
  }
}

void bench_transport(bool smoke) {
  const std::vector<int> cores = exec::usable_cores();
  const int rounds = smoke ? 20 : 3'000;
  for (const Bytes payload : {Bytes{0}, Bytes{31'400}}) {
    for (const bool polling : {false, true}) {
      const auto trip = exec::measure_round_trip(
          cores.front(), cores.back(),
          {.payload = payload, .rounds = rounds, .rest = {}, .polling = polling});
      fmt::print("round trip {:6} bytes, {}   {:8.1f} us\n", payload.value,
                 polling ? "polling " : "sleeping", trip.time_s * 1e6);
    }
  }
}

}  // namespace
}  // namespace foretrain

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  foretrain::bench_gradients(smoke);
  foretrain::bench_engine(smoke);
  foretrain::bench_simulation(smoke);
  foretrain::bench_transport(smoke);
  return 0;
}
