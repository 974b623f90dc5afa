// The keys that only some strategies read.
#pragma once

#include "models/protocol/registry.h"
#include "scenarios/language/field.h"

#include <type_traits>
#include <variant>

namespace foretrain {

/// The options of one section, or of `training` itself, with their values.
struct OptionGroup {
  const Protocol* protocol = nullptr;      ///< strategy in use; null: not known
  const OptionSection* section = nullptr;  ///< null: `training` itself
  ProtocolOptions values{};

  bool operator==(const OptionGroup&) const = default;
};

inline bool is_read(const Protocol* protocol, const Option& option) {
  return protocol == nullptr || reads(*protocol, option);
}

template <class Visitor, Described<OptionGroup> T>
void describe(Visitor& visit, T& group) {
  for (const Option* option : protocol_options()) {
    if (option->section != group.section) continue;
    const Field rule{.key = option->key,
                     .doc = option->doc,
                     .least = option->least,
                     .most = option->most,
                     .choices = option->choices,
                     .used = is_read(group.protocol, *option),
                     .unused_because = option->unused_because};
    Option::Value value = group.values.value(*option);
    std::visit([&](auto& member) { visit.field(rule, member); }, value);
    if constexpr (!std::is_const_v<T>) group.values.set(*option, std::move(value));
  }
}

/// All options. `protocol`: the strategy in use; null if not known: then each option may be used.
template <class Visitor, Described<ProtocolOptions> T>
void describe_options(Visitor& visit, const Protocol* protocol, T& options) {
  OptionGroup group{protocol, nullptr, options};
  describe(visit, group);
  for (const Option* option : protocol_options()) {
    if (option->section == group.section || option->section == nullptr) continue;
    group.section = option->section;
    visit.section({.key = group.section->key,
                   .doc = group.section->doc,
                   .used = is_read(protocol, *option),
                   .unused_because = option->unused_because,
                   .written = group.values.has_any(*group.section)},
                  group);
  }
  if constexpr (!std::is_const_v<T>) options = group.values;
}

}  // namespace foretrain
