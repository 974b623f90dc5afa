// Tables of rules between keys: a row has the key, the condition that breaks it, the message.
#pragma once

#include "models/networks/network.h"
#include "models/protocol/protocol.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foretrain {

/// Input of a rule.
struct Facts {
  const Scenario& scenario;
  const TrainingSpec& training;  ///< the scenario's
  const Protocol& protocol;      ///< of its strategy
  NodeCounts counts;
  const Network* network = nullptr;  ///< null if the rules are checked before it is built

  explicit Facts(const Scenario& scenario, const Network* network = nullptr);
};

struct Rule {
  std::string_view key;
  bool (*broken)(const Facts& facts);
  /// The message. {strategy}, {shard}, {model}, {workers}, {servers} are filled in, and, if there
  /// is a network, {parameters}, {tensors}.
  std::string_view what;
};

/// A rule that a scenario breaks.
struct BrokenRule {
  std::string key;
  std::string what;
};

/// The first broken rule in the order of the table; nothing if all hold.
std::optional<BrokenRule> first_broken(std::span<const Rule> rules, const Facts& facts);

}  // namespace foretrain
