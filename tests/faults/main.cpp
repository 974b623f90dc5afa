// Trainings under faults from a given number of seeds: `./dev faults`.
#include "models/protocol/registry.h"
#include "reports/studies/parallel/in_parallel.h"
#include "tests/faults/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace foretrain::faults {
namespace {

struct Tally {
  std::mutex mutex;
  std::int64_t done = 0;
  std::int64_t lost = 0;
  std::int64_t broken = 0;
};

void note(Tally& tally, const Trial& trial, const std::string& strategy, std::uint64_t seed) {
  const std::lock_guard lock(tally.mutex);
  tally.done += trial.done ? 1 : 0;
  tally.lost += trial.lost ? 1 : 0;
  if (trial.broken.empty()) return;
  constexpr std::int64_t kShown = 5;
  if (++tally.broken > kShown) return;
  fmt::print("{} {}: {}\n  again: ./dev faults 1 {} {}\n", strategy, seed, trial.broken, strategy,
             seed);
  if (tally.broken == 1) fmt::print("{}\n", trial.scenario);
}

// Returns whether a rule was broken. For each seed also tries clogged links, and returning workers
// if the strategy has servers.
bool try_strategy(const std::string& strategy, std::uint64_t first, std::int64_t count) {
  const bool returns = protocol_called(strategy).servers;
  DataSets data_sets;
  Tally tally;
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  in_parallel(count, threads, [&](std::int64_t i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    note(tally, try_faults(seed, strategy, data_sets), strategy, seed);
    note(tally, try_clogs(seed, strategy, data_sets), strategy, seed);
    if (returns) note(tally, try_returns(seed, strategy, data_sets), strategy, seed);
  });
  fmt::print(
      "{}: {} trainings, seeds from {}: {} ended, {} of them without somebody, {} broke a rule\n",
      strategy, (returns ? 3 : 2) * count, first, tally.done, tally.lost, tally.broken);
  return tally.broken > 0;
}

// Nothing if it is not a number.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace
}  // namespace foretrain::faults

// Arguments: COUNT, a strategy or `all`, the first seed, which `./dev faults` draws.
int main(int argc, char** argv) {
  using namespace foretrain;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool three = arguments.size() == 3;
  const auto count = three ? faults::number_in<std::int64_t>(arguments[0]) : std::nullopt;
  const auto first = three ? faults::number_in<std::uint64_t>(arguments[2]) : std::nullopt;
  if (!count || !first) {
    fmt::print(stderr, "usage: foretrain_faults COUNT STRATEGY|all SEED\n");
    return 2;
  }
  fmt::print("first seed {}\n", *first);
  bool known = false;
  bool broken = false;
  for (const Protocol& protocol : protocols()) {
    if (arguments[1] != "all" && arguments[1] != protocol.name) continue;
    known = true;
    if (faults::try_strategy(std::string(protocol.name), *first, *count)) broken = true;
  }
  if (!known) fmt::print(stderr, "error: there is no strategy {}\n", arguments[1]);
  return !known ? 2 : broken ? 1 : 0;
}
