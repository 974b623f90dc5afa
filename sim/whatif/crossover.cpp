#include "sim/whatif/crossover.h"

#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/placement.h"
#include "sim/whatif/intervention.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace foretrain::sim {
namespace {

// From how many workers ------------------------------------------------------------------------

// The critical path of a short training. @throws InputError also if the training fails
CriticalPath short_path(const Trials& trials, const Case& changed) {
  try {
    return trials.path_of(changed, kSearchSteps);
  } catch (const NotDone& error) {
    if (error.outcome() == Outcome::interrupted) throw;
    throw InputError(error.what());
  }
}

// True if the servers' NICs have the largest part of the path.
bool server_binds(const Trials& trials, int workers) {
  Case changed = trials.base();
  const std::string why = set_workers(changed.scenario, workers);
  if (!why.empty()) throw InputError(why);
  const CriticalPath path = short_path(trials, changed);
  const Duration nic = path.time(Resource::server_nic_in) + path.time(Resource::server_nic_out);
  return nic >= path.time(path.longest());
}

// Minimum that the strategy's options allow: its backup workers must leave one to make a step.
int fewest_workers(const Trials& trials) {
  const TrainingSpec& spec = trials.base().scenario.training;
  const Protocol& protocol = protocol_called(spec.strategy);
  int fewest = 1;
  while (fewest < spec.workers && protocol.wrong(spec.protocol, fewest)) ++fewest;
  return fewest;
}

Crossover server_limit(const Trials& trials) {
  Crossover found{"From how many workers does the servers' network limit the training?", {}, {}};
  const int fewest = fewest_workers(trials);
  const int most = std::max(kMostWorkers, fewest);
  int free = fewest - 1;
  int binds = fewest;
  try {
    while (binds <= most && !server_binds(trials, binds)) free = std::exchange(binds, 2 * binds);
  } catch (const InputError& error) {
    if (free < fewest) {
      found.answer = fmt::format("Not tried: {}.", error.what());
      return found;
    }
    binds = most + 1;  // more than possible
  }
  if (binds > most) {
    found.answer = fmt::format("Not with up to {} workers, the most that were tried.", free);
    return found;
  }
  while (binds - free > 1) {
    const int middle = free + (binds - free) / 2;
    (server_binds(trials, middle) ? binds : free) = middle;
  }
  found.value = binds;
  found.answer = fmt::format("From {}.", binds);
  if (binds == fewest) {
    found.answer = fewest == 1 ? "From one worker."
                               : fmt::format("From {}, the fewest that {} allows.", fewest,
                                             trials.base().scenario.training.strategy);
  }
  return found;
}

// Below which jitter ---------------------------------------------------------------------------

// The strategy that waits for all gradients and is compared with one that does not.
const Protocol& weighed() {
  return *std::ranges::find_if(protocols(), [](const Protocol& protocol) {
    return protocol.synchronous && !protocol.weighed_against.empty();
  });
}

// Time of `strategy` if the logarithm of every gradient's time has standard deviation `sigma`.
std::optional<double> time_with(const Trials& trials, std::string_view strategy, double sigma) {
  Case changed = trials.base();
  Scenario& scenario = changed.scenario;
  if (scenario.training.strategy != strategy) set_strategy(scenario, strategy);
  // The question is about waiting for all of them.
  for (const Option* option : weighed().options)
    scenario.training.protocol.set(*option, option->fallback);
  trials.keep_examples(scenario);
  // Replaces the scenario's factors; pauses and deaths remain.
  for (StragglerSpec& straggler : scenario.stragglers) {
    if (straggler.distribution.empty() && straggler.trace.empty()) continue;
    straggler.distribution.clear();
    straggler.trace.clear();
  }
  if (sigma > 0) {
    StragglerSpec jitter;
    jitter.distribution = "lognormal";
    jitter.sigma = sigma;
    scenario.stragglers.push_back(jitter);
  }
  return trials.tried(changed, {}).time_s;
}

// If both times are known: whether waiting takes no longer, with a tolerance of a thousandth.
std::optional<bool> waiting_wins(const Trials& trials, double sigma) {
  const auto waiting = time_with(trials, weighed().name, sigma);
  const auto other = time_with(trials, weighed().weighed_against, sigma);
  if (!other) return waiting ? std::optional(true) : std::nullopt;
  return waiting && *waiting <= *other * 1.001;
}

Crossover jitter_limit(const Trials& trials) {
  const std::string other(weighed().weighed_against);
  Crossover found{fmt::format("Up to which variation of compute times is {} as fast as {}?",
                              weighed().name, other),
                  {},
                  {}};
  const auto wins = [&](double sigma) { return waiting_wins(trials, sigma); };
  const auto steady = wins(0);
  if (!steady) {
    found.answer = trials.has_target() ? fmt::format("Neither reaches {}.", trials.measure())
                                       : "Neither finishes.";
    return found;
  }
  if (!*steady) {
    found.answer = fmt::format("None: {} is faster even on equal machines.", other);
    found.value = 0;
    return found;
  }
  if (wins(kMostJitter).value_or(false)) {
    found.answer =
        fmt::format("Up to a sigma of {} (lognormal), the largest that was tried.", kMostJitter);
    return found;
  }
  double below = 0;
  double above = kMostJitter;
  while (above - below > 0.005) {
    const double middle = (below + above) / 2;
    (wins(middle).value_or(false) ? below : above) = middle;
  }
  found.value = below;
  found.answer = below == 0 ? fmt::format("Any variation makes {} faster.", other)
                            : fmt::format("Below a sigma of {:.2f} (lognormal).", below);
  return found;
}

// The best of ----------------------------------------------------------------------------------

struct Best {
  int value = 0;
  double time_s = 0;
  std::optional<double> start_s{};  // of the scenario's own choice
};

/// Time of a choice; empty if the target is not reached.
using TimeOf = std::function<std::optional<double>(int)>;

std::optional<Best> climb(int start, int least, int most, const TimeOf& time_of) {
  std::optional<Best> best;
  const auto improves = [&](int value) {
    const auto time_s = time_of(value);
    if (!time_s || (best && *time_s >= best->time_s)) return false;
    best = {value, *time_s, value == start ? time_s : best ? best->start_s : std::nullopt};
    return true;
  };
  improves(start);
  int value = start;
  while (value * 2 <= most && improves(value * 2)) value *= 2;
  if (value > start) return best;
  while (value / 2 >= least && improves(value / 2)) value /= 2;
  return best;
}

Crossover best_of(const Trials& trials, const std::string& what, int start, int most,
                  const std::function<std::string(Scenario&, int)>& set,
                  const ForecastRange& range) {
  Crossover found{fmt::format("Which {} reaches {} soonest?", what, trials.measure()), {}, {}};
  const auto best = climb(start, 1, most, [&](int value) -> std::optional<double> {
    Case changed = trials.base();
    if (value != start) {
      if (!set(changed.scenario, value).empty()) return std::nullopt;
      trials.keep_examples(changed.scenario);
    }
    return trials.tried(changed, {}).time_s;
  });
  if (!best) {
    found.answer = "None of those tried reaches it.";
    return found;
  }
  found.value = best->value;
  const bool tie =
      best->value != start && best->start_s && range.same(*best->start_s, best->time_s);
  found.answer =
      fmt::format("{}, after {} s{}.", best->value, figure(best->time_s),
                  tie ? fmt::format(", but {} is as good within the forecast's error", start) : "");
  return found;
}

constexpr int kBytesAKilobyte = 1'000;

std::string set_bucket_kilobytes(Scenario& scenario, int kilobytes) {
  scenario.training.bucket_size = Bytes{kilobytes} * kBytesAKilobyte;
  return {};
}

}  // namespace

std::vector<Crossover> find_crossovers(const Trials& trials) {
  const Scenario& scenario = trials.base().scenario;
  std::vector<Crossover> found;
  if (trials.training().servers == 0) return found;
  if (!scenario.cluster.hosts.empty()) found.push_back(server_limit(trials));
  if (trials.training().workers > 1) found.push_back(jitter_limit(trials));
  return found;
}

std::string nothing_to_search(const Scenario& scenario) {
  const NodeCounts counts = node_counts(scenario);
  const bool buckets = counts.nodes() > 1 && scenario.training.bucket_size.value >= kBytesAKilobyte;
  if (scenario.training.until.wanted() || counts.servers > 0 || buckets) return {};
  return fmt::format(
      "nothing to search for {} with {} worker{}; the search covers the batch size (with a target, "
      "training.until), the number of servers (of a strategy with servers) and the bucket size "
      "(training.bucket_size, with several nodes)",
      scenario.training.strategy, counts.workers, counts.workers == 1 ? "" : "s");
}

std::vector<Crossover> find_best(const Trials& trials, const ForecastRange& range) {
  std::vector<Crossover> found;
  const TrainingSpec& spec = trials.base().scenario.training;
  constexpr int kMost = 1 << 20;
  // For a fixed number of examples fewer, larger steps are always faster: it needs a target.
  if (trials.has_target()) {
    found.push_back(best_of(trials, "batch size", spec.batch_size, kMost, set_batch, range));
  }
  if (trials.training().servers > 0) {
    found.push_back(best_of(trials, "number of servers", spec.servers, 64, set_servers, range));
  }
  const std::int64_t all = 4 * trials.training().layout->parameters;
  const std::int64_t kilobytes = std::min(spec.bucket_size.value, all) / kBytesAKilobyte;
  if (trials.training().nodes() == 1 || kilobytes == 0) return found;
  found.push_back(best_of(trials, "bucket size in KB", static_cast<int>(kilobytes), kMost,
                          set_bucket_kilobytes, range));
  return found;
}

}  // namespace foretrain::sim
