#include "scenarios/resolve/gradient_counts.h"

#include "models/protocol/registry.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace foretrain {
namespace {

bool adds_up(const Scenario& scenario) {
  return scenario.training.local_reduction && protocol_called(scenario.training.strategy).servers;
}

/// Number of workers, keyed by the name of their host.
std::map<std::string, int> workers_of_hosts(const Scenario& scenario) {
  std::map<std::string, int> workers;
  const std::vector<NodePlace> places = place_nodes(scenario);
  const auto count = static_cast<std::size_t>(node_counts(scenario).workers);
  for (std::size_t worker = 0; worker < count; ++worker) ++workers[places[worker].host_name];
  return workers;
}

constexpr Rule kRules[] = {
    {"training.local_sum", [](const Facts& f) { return f.scenario.numerics; },
     "sums of a host's workers can be forecast, but not computed; write numerics: off"},
    {"training.backup_workers",
     [](const Facts& f) { return f.protocol.drops(f.training.protocol, f.counts.workers); },
     "every sum of a host is needed; remove it, or write training.local_sum: off"},
    {"training.rejoin_limit", [](const Facts& f) { return f.training.rejoin_limit.ns > 0; },
     "a lost worker would lose its host's sums; remove it, or write training.local_sum: off"},
    {"checkpoint.every", [](const Facts& f) { return f.scenario.checkpoint.every.wanted(); },
     "checkpoints do not contain sums of a host's workers; remove it, or write training.local_sum: "
     "off"},
    {"faults", [](const Facts& f) { return !f.scenario.faults.empty(); },
     "losing "
     "a worker with local_sum is not modelled; remove it, or write training.local_sum: off"}};

}  // namespace

int gradients_a_push(const Scenario& scenario) {
  return adds_up(scenario) ? workers_of_hosts(scenario).begin()->second : 1;
}

std::int64_t gradients_an_update(const Scenario& scenario) {
  const TrainingSpec& training = scenario.training;
  const int a_push = gradients_a_push(scenario);
  const int pushers = node_counts(scenario).workers / a_push;
  return protocol_called(training.strategy).gradients_an_update(training.protocol, pushers) *
         a_push;
}

std::optional<BrokenRule> against_local_reduction(const Scenario& scenario) {
  if (!adds_up(scenario)) return std::nullopt;
  if (auto broken = first_broken(kRules, Facts(scenario))) return broken;
  const std::map<std::string, int> workers = workers_of_hosts(scenario);
  const auto& [first, most] = *workers.begin();
  for (const auto& [host, count] : workers) {
    if (count == most) continue;
    return BrokenRule{
        "training.local_sum",
        fmt::format("hosts must push sums of equally many gradients, but {} has {} workers and {} "
                    "has {}; put the same number on each, or write off",
                    first, most, host, count)};
  }
  return std::nullopt;
}

}  // namespace foretrain
