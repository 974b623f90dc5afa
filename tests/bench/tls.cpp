#include "tests/bench/tls.h"

#include "exec/calibration/ping_pong.h"
#include "exec/launch/run.h"
#include "exec/system/process.h"
#include "exec/system/processor.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"
#include "scenarios/read.h"
#include "tests/support/places.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <stdexcept>

namespace foretrain::bench {
namespace {

// Medians of rounds that alternate.
struct Compared {
  double plain = 0;
  double encrypted = 0;
  double ratio = 0;
};

Compared alternate(int rounds, const std::function<double(bool encrypted)>& measure) {
  std::vector<double> plain;
  std::vector<double> encrypted;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    // Who goes first changes, too.
    const bool first = round % 2 == 1;
    const double one = measure(first);
    const double other = measure(!first);
    plain.push_back(first ? other : one);
    encrypted.push_back(first ? one : other);
    ratios.push_back(encrypted.back() / plain.back());
  }
  return {median(plain).value(), median(encrypted).value(), median(ratios).value()};
}

void print_messages(int rounds, bool smoke) {
  const std::vector<int> cores = ::foretrain::exec::usable_cores();
  struct Kind {
    Bytes payload;
    int rounds;
  };
  for (const Kind kind : {Kind{{1'000}, 3'000}, Kind{{1'000'000}, 200}, Kind{{25'000'000}, 16}}) {
    const Compared us = alternate(rounds, [&](bool encrypted) {
      const auto trip = ::foretrain::exec::measure_round_trip(cores.front(), cores.back(),
                                                              {.payload = kind.payload,
                                                               .rounds = smoke ? 4 : kind.rounds,
                                                               .polling = true,
                                                               .encrypted = encrypted},
                                                              ::foretrain::exec::Hosts({}, false));
      return trip.time_s * 1e6;
    });
    const double more_ps =
        (us.encrypted - us.plain) * 1e6 / static_cast<double>(kind.payload.value);
    fmt::print(
        "message of {:9} bytes there, none back {:11.1f} us {:11.1f} us {:6.2f} {:+9.0f} ps\n",
        kind.payload.value, us.plain, us.encrypted, us.ratio, more_ps);
    std::fflush(stdout);
  }
}

double step_ms(bool encrypted, bool smoke) {
  const std::string text = fmt::format(
      "foretrain: 1\nname: bench\nmodel: {}\ndataset: {{format: digits, take: 2000, test_take: "
      "100}}\ntraining: {{strategy: sync, workers: 2, servers: 1, batch_size: 64, steps: {}, "
      "optimizer: {{name: sgd, learning_rate: 0.01}}}}\n",
      smoke ? "softmax" : "lenet_large", smoke ? 5 : 40);
  ::foretrain::exec::RunOptions options;
  options.program = program_path();
  options.tls.on = encrypted;
  const Record record = ::foretrain::exec::run(parse_scenario(text, "bench").front(), options);
  if (record.outcome != Outcome::done) throw std::runtime_error(record.failure);
  const Summary summary = summarize(record);
  return 1e3 * summary.time_s / static_cast<double>(summary.updates);
}

}  // namespace

int tls(const std::vector<std::string>& arguments) {
  bool smoke = false;
  int rounds = 9;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--smoke") {
      smoke = true;
    } else if (arguments[i] == "--rounds" && i + 1 < arguments.size()) {
      rounds = std::stoi(arguments[++i]);
    } else {
      throw std::runtime_error(arguments[i] + ": no such option, or no value; there is --rounds");
    }
  }
  if (smoke) rounds = 1;
  fmt::print("{}\n{:44} {:>14} {:>14} {:>6} {:>12}\n", ::foretrain::exec::this_processor().name,
             "encryption", "plain", "TLS", "ratio", "a byte");
  print_messages(rounds, smoke);
  const Compared ms = alternate(rounds, [&](bool encrypted) { return step_ms(encrypted, smoke); });
  fmt::print("step of {}, sync, 2 workers {:17.2f} ms {:11.2f} ms {:6.2f}\n",
             smoke ? "softmax" : "lenet_large", ms.plain, ms.encrypted, ms.ratio);
  return 0;
}

}  // namespace foretrain::bench
