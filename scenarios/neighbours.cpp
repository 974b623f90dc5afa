#include "scenarios/neighbours.h"

#include "scenarios/describe/reader.h"
#include "scenarios/read.h"
#include "scenarios/training.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

Case read_neighbour(const Case& c, const NeighbourSpec& spec, const std::string& key) {
  const auto fail = [&](const std::string& at, const std::string& what) {
    fail_at(c.place_of(at), at, what);
  };
  std::vector<Case> cases;
  try {
    cases = read_scenario(spec.scenario, {});
  } catch (const InputError& error) {
    fail(key + ".scenario", error.what());
  }
  if (cases.size() != 1) {
    fail(key + ".scenario", fmt::format("{} has a sweep of {} cases; name a file with one",
                                        spec.scenario, cases.size()));
  }
  Case result = std::move(cases.front());
  result.scenario.cluster = c.scenario.cluster;
  result.scenario.cluster.placement = spec.placement;
  result.scenario.neighbours.clear();
  result.scenario.numerics = false;
  const auto check_count = [&](const std::string& kind, std::size_t there, int needed) {
    if (there == static_cast<std::size_t>(needed)) return;
    fail(fmt::format("{}.{}", key, kind),
         fmt::format("names {} hosts, but {} of {} are needed; write one for each", there, needed,
                     spec.scenario));
  };
  const Placement& placement = spec.placement;
  if (placement.workers.empty() && placement.servers.empty()) return result;
  check_count("workers", placement.workers.size(), worker_count(result.scenario));
  check_count("servers", placement.servers.size(), server_count(result.scenario));
  return result;
}

}  // namespace

std::vector<Case> neighbour_cases(const Case& scenario_case) {
  std::vector<Case> cases;
  const auto& neighbours = scenario_case.scenario.neighbours;
  cases.reserve(neighbours.size());
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    cases.push_back(read_neighbour(scenario_case, neighbours[i], fmt::format("neighbours[{}]", i)));
  }
  return cases;
}

}  // namespace foretrain
