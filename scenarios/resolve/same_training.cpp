// Finds differences between two scenarios.
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "scenarios/language/value.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/read.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

// The weights have the same bits for any number of `threads`. They also do for any number of
// `servers`, unless each bucket sends a share of its own numbers.
constexpr std::array<std::string_view, 16> kOther{"name",
                                                  "question",
                                                  "cluster",
                                                  "transport",
                                                  "checkpoint",
                                                  "numerics",
                                                  "stragglers",
                                                  "faults",
                                                  "framework",
                                                  "neighbours",
                                                  "foretrain",
                                                  "training.servers",
                                                  "training.silence_limit",
                                                  "training.rejoin_limit",
                                                  "training.compression.encode",
                                                  "training.threads"};

/// Whether the cluster's links decide which sums use trees, and so the order of additions.
bool is_ruled_by_cluster(const TrainingSpec& training) {
  return reads(protocol_called(training.strategy), kAlgorithm) &&
         training.protocol.word(kAlgorithm) == "auto";
}

/// `left_out`: keys that may differ, including the keys below them.
std::optional<Difference> difference(const Value* first, const Value* second,
                                     const std::string& path,
                                     std::span<const std::string_view> left_out) {
  if (std::ranges::find(left_out, path) != left_out.end()) return {};
  const auto is_map = [](const Value* value) {
    return value != nullptr && value->kind == Value::Kind::map;
  };
  if (!is_map(first) || !is_map(second)) {
    const auto said = [](const Value* value) { return value ? to_flow(*value) : std::string(); };
    if (said(first) == said(second)) return {};
    return Difference{path, said(first), said(second)};
  }
  const auto below = [&](const Entry& entry) {
    return path.empty() ? entry.key : path + "." + entry.key;
  };
  const auto value_of = [](const Entry* entry) { return entry ? &entry->value : nullptr; };
  for (const Entry& entry : first->entries) {
    auto found =
        difference(&entry.value, value_of(second->find(entry.key)), below(entry), left_out);
    if (found) return found;
  }
  for (const Entry& entry : second->entries) {
    if (first->find(entry.key) != nullptr) continue;
    if (auto found = difference(nullptr, &entry.value, below(entry), left_out)) return found;
  }
  return {};
}

}  // namespace

std::optional<Difference> difference_in_training(const Scenario& first, const Scenario& second) {
  const Value a = parse_yaml(to_yaml(first), "first");
  const Value b = parse_yaml(to_yaml(second), "second");
  const int servers = first.training.servers;
  if (first.training.compression.keeps_rest() && servers != second.training.servers) {
    return Difference{"training.servers", std::to_string(servers),
                      std::to_string(second.training.servers)};
  }
  std::vector<std::string_view> left_out(kOther.begin(), kOther.end());
  if (is_ruled_by_cluster(first.training)) std::erase(left_out, "cluster");
  return difference(&a, &b, "", left_out);
}

std::optional<Difference> difference_in_scenario(const Scenario& first, const Scenario& second) {
  const Value a = parse_yaml(to_yaml(first), "first");
  const Value b = parse_yaml(to_yaml(second), "second");
  constexpr std::array<std::string_view, 1> kForPeople{"question"};
  return difference(&a, &b, "", kForPeople);
}

}  // namespace foretrain
