#include "exec/launch/node_computing.h"

#include "scenarios/stragglers.h"

#include <optional>

namespace foretrain::exec {
namespace {

// What a gradient takes on the node's host, where the scenario says it.
std::optional<Duration> given_time(const Prepared& prepared, NodeId id) {
  const auto& hosts = prepared.scenario_case.scenario.cluster.hosts;
  return hosts.empty() ? std::nullopt : hosts[prepared.places.at(index_of(id)).spec].compute;
}

}  // namespace

Computing computing_of(const Prepared& prepared, NodeId id, std::int64_t begun) {
  StragglerDraws draws(prepared.scenario_case.scenario, static_cast<int>(index_of(id)));
  for (std::int64_t i = 0; i < begun; ++i) draws.next();
  return {GradientTimes(draws, given_time(prepared, id), true), prepared.training->threads};
}

}  // namespace foretrain::exec
