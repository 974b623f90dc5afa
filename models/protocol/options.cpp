#include "models/protocol/options.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain {

std::string Option::path() const {
  if (section == nullptr) return std::string(key);
  return std::string(section->key) + '.' + std::string(key);
}

const Option::Value& ProtocolOptions::value(const Option& option) const {
  const auto found = set_.find(&option);
  return found == set_.end() ? option.fallback : found->second;
}

std::int64_t ProtocolOptions::integer(const Option& option) const {
  return std::get<std::int64_t>(value(option));
}

double ProtocolOptions::number(const Option& option) const {
  return std::get<double>(value(option));
}

const std::string& ProtocolOptions::word(const Option& option) const {
  return std::get<std::string>(value(option));
}

void ProtocolOptions::set(const Option& option, Option::Value value) {
  FT_CHECK_OP(value.index(), ==, option.fallback.index());
  if (value == option.fallback) {
    set_.erase(&option);
  } else {
    set_.insert_or_assign(&option, std::move(value));
  }
}

bool ProtocolOptions::has_any(const OptionSection& section) const {
  return std::ranges::any_of(set_, [&](const auto& set) { return set.first->section == &section; });
}

ProtocolOptions ProtocolOptions::only(const std::vector<const Option*>& options) const {
  ProtocolOptions some;
  for (const Option* option : options) some.set(*option, value(*option));
  return some;
}

}  // namespace foretrain
