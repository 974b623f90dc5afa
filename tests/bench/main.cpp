// Benchmarks: they print times, nobody asserts them.
#include "exec/calibration/ping_pong.h"
#include "exec/launch/process.h"
#include "reports/record/statistics.h"
#include "sim/engine/engine.h"
#include "tests/bench/exec.h"
#include "tests/bench/link_use.h"
#include "tests/bench/models.h"
#include "tests/bench/products.h"
#include "tests/support/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
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

int part_or_error(const std::string& part, const std::vector<std::string>& arguments) {
  try {
    return part == "models" ? bench::models(arguments) : bench::exec_runs(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace foretrain

int main(int argc, char** argv) {
  using namespace foretrain;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool smoke = std::ranges::count(arguments, "--smoke") > 0;
  if (!arguments.empty() && (arguments.front() == "models" || arguments.front() == "exec")) {
    return part_or_error(arguments.front(), {arguments.begin() + 1, arguments.end()});
  }
  bench::models({"--smoke"});
  bench::exec_runs({"--smoke"});
  bench::products(smoke);
  bench_engine(smoke);
  bench_simulation(smoke);
  bench_transport(smoke);
  bench::link_use(smoke);
  return 0;
}
