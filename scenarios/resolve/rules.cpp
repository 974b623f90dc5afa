#include "scenarios/resolve/rules.h"

#include "models/protocol/registry.h"

#include <fmt/args.h>
#include <fmt/format.h>

namespace foretrain {
namespace {

std::string filled(std::string_view what, const Facts& facts) {
  fmt::dynamic_format_arg_store<fmt::format_context> args;
  args.push_back(fmt::arg("strategy", facts.training.strategy));
  args.push_back(fmt::arg("shard", facts.training.shard));
  args.push_back(fmt::arg("model", facts.scenario.model.label()));
  args.push_back(fmt::arg("workers", facts.counts.workers));
  args.push_back(fmt::arg("servers", facts.counts.servers));
  if (facts.network != nullptr) {
    args.push_back(fmt::arg("parameters", facts.network->parameters()));
    args.push_back(fmt::arg("tensors", facts.network->blocks().size()));
  }
  return fmt::vformat(what, args);
}

}  // namespace

Facts::Facts(const Scenario& of, const Network* network_of)
    : scenario(of),
      training(of.training),
      protocol(protocol_called(of.training.strategy)),
      counts(node_counts(of)),
      network(network_of) {}

std::optional<BrokenRule> first_broken(std::span<const Rule> rules, const Facts& facts) {
  for (const Rule& rule : rules) {
    if (rule.broken(facts)) return BrokenRule{std::string(rule.key), filled(rule.what, facts)};
  }
  return std::nullopt;
}

}  // namespace foretrain
