#include "scenarios/resolve/faults.h"

#include "scenarios/language/units.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace foretrain {
namespace {

/// The number in a node's name: 12 for `worker12` with role `worker`.
std::optional<int> number_after(std::string_view role, std::string_view name) {
  if (!name.starts_with(role)) return std::nullopt;
  const std::string_view digits = name.substr(role.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool canonical = digits.size() == 1 || !digits.starts_with('0');
  if (error != std::errc() || end != digits.data() + digits.size() || !canonical) return {};
  return number < 0 ? std::nullopt : std::optional(number);
}

}  // namespace

Duration silence_of(const Scenario& scenario) {
  return scenario.training.silence_limit + longest_pause(scenario);
}

std::string silent_for(Duration silence) {
  return fmt::format("was silent for {:g} s", silence.seconds());
}

std::optional<int> node_called(const Scenario& scenario, std::string_view name) {
  const NodeCounts counts = node_counts(scenario);
  if (const auto worker = number_after("worker", name)) {
    return *worker < counts.workers ? worker : std::nullopt;
  }
  const auto server = number_after("server", name);
  if (!server || *server >= counts.servers) return std::nullopt;
  return counts.workers + *server;
}

FaultSchedule fault_schedule_of(const Scenario& scenario, int node) {
  FaultSchedule life;
  for (const FaultSpec& fault : scenario.faults) {
    if (!fault.join.empty() && node_called(scenario, fault.join) == node) {
      life.joins_at = std::max(life.joins_at, fault.at);
    }
    if (fault.kill.empty() || node_called(scenario, fault.kill) != node) continue;
    life.deaths.push_back({fault.at, fault.restart_after});
  }
  std::ranges::stable_sort(life.deaths, {}, &FaultSchedule::Death::at);
  return life;
}

std::string death_at(Duration dies_at) {
  return fmt::format("was killed at {}, as faults: says", to_text(dies_at));
}

std::string failed_with(std::string_view host) {
  return fmt::format("was on {}, which failed", host);
}

bool is_stopped(const Scenario& scenario, int node) {
  return std::ranges::any_of(scenario.faults, [&](const FaultSpec& fault) {
    return !fault.stop.empty() && node_called(scenario, fault.stop) == node;
  });
}

std::vector<std::string> named_by(const FaultSpec& fault) {
  std::vector<std::string> names = fault.cut;
  for (const std::string& name : {fault.kill, fault.join, fault.stop, fault.slow}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace foretrain
