#include "tests/bench/bench_tls.h"

#include "exec/calibration/ping_pong.h"
#include "exec/launch/run.h"
#include "exec/system/process.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/read.h"
#include "tests/bench/common/bench_options.h"
#include "tests/support/places.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <utility>

namespace foretrain::bench {
namespace {

constexpr int kRounds = 9;

// TLS and plain in alternating rounds; the note gives the median of the ratios.
Result alternate(const std::string& name, const std::string& unit, int rounds,
                 const std::function<double(bool encrypted)>& measure) {
  std::vector<double> plain;
  std::vector<double> encrypted;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    // The order within a round alternates too.
    const bool first = round % 2 == 1;
    const double one = measure(first);
    const double other = measure(!first);
    plain.push_back(first ? other : one);
    encrypted.push_back(first ? one : other);
    ratios.push_back(encrypted.back() / plain.back());
  }
  Result row = result_of(name, unit, Better::less, encrypted);
  set_peer(row, "plain", plain);
  row.note = fmt::format("{:.2f} times plain", median(ratios).value());
  return row;
}

void bench_messages(int rounds, bool smoke, Report& report) {
  const std::vector<int> cores = ::foretrain::exec::usable_cores();
  struct Kind {
    Bytes payload;
    int rounds;
  };
  for (const Kind kind : {Kind{{1'000}, 3'000}, Kind{{1'000'000}, 200}, Kind{{25'000'000}, 16}}) {
    const std::string name = fmt::format("tls/message/{}", kind.payload.value);
    Result row = alternate(name, "us", rounds, [&](bool encrypted) {
      const auto trip = ::foretrain::exec::measure_round_trip(cores.front(), cores.back(),
                                                              {.payload = kind.payload,
                                                               .rounds = smoke ? 4 : kind.rounds,
                                                               .polling = true,
                                                               .encrypted = encrypted},
                                                              ::foretrain::exec::Hosts({}, false));
      return trip.time_s * 1e6;
    });
    const double more_ps =
        (row.figure - *row.peer_figure) * 1e6 / static_cast<double>(kind.payload.value);
    row.note += fmt::format(", {:+.0f} ps a byte", more_ps);
    report.add(std::move(row));
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
  options.start = ::foretrain::exec::start_here({.on = encrypted});
  const Record record = ::foretrain::exec::run(parse_scenario(text, "bench").front(), options);
  if (record.outcome != Outcome::done) throw std::runtime_error(record.failure);
  const Summary summary = summarize(record);
  return 1e3 * summary.time_s / static_cast<double>(summary.updates);
}

}  // namespace

void tls(const std::vector<std::string>& arguments, Report& report) {
  const Options options = read_options(arguments, {"--smoke", "--rounds"}, {}, {.rounds = kRounds});
  bench_messages(options.rounds, options.smoke, report);
  report.add(alternate(fmt::format("tls/step/{}", options.smoke ? "softmax" : "lenet_large"), "ms",
                       options.rounds,
                       [&](bool encrypted) { return step_ms(encrypted, options.smoke); }));
}

}  // namespace foretrain::bench
