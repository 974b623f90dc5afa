#include "sim/whatif/in_parts.h"

#include "models/protocol/registry.h"
#include "scenarios/check.h"
#include "scenarios/node_counts.h"

#include <fmt/format.h>

#include <string_view>

namespace foretrain::sim {
namespace {

std::optional<std::string> set_shard(Scenario& scenario, std::string_view shard) {
  if (!protocol_called(scenario.training.strategy).shards) return std::nullopt;
  if (node_counts(scenario).workers == 1) return std::nullopt;  // it has all there is
  if (scenario.training.shard == shard) return std::nullopt;
  scenario.training.shard = shard;
  const auto against = against_shard(scenario);
  return against ? fmt::format("{} is set: {}", against->key, against->why) : "";
}

}  // namespace

std::optional<std::string> optimizer_in_parts(Scenario& scenario) {
  return set_shard(scenario, TrainingSpec{}.shard);
}

std::optional<std::string> parameters_in_parts(Scenario& scenario) {
  return set_shard(scenario, "parameters");
}

}  // namespace foretrain::sim
