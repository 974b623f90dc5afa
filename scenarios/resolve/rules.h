// Rules between keys as tables: a line says when it is broken, at which key, what to write instead.
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
  /// The message; {strategy}, {shard}, {model}, {workers}, {servers}, {parameters}, {tensors} are
  /// filled in.
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
