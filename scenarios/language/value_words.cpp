// The allowed values of keys, in words.
#include "scenarios/language/reference_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace foretrain {
namespace {

/// From this bound on, a limit only catches typing mistakes.
constexpr double kSlip = 1e5;

std::string with_bounds(const Field& rule, std::string what) {
  const bool most = rule.most && *rule.most < kSlip;
  if (rule.least && most) return what + fmt::format(", {:g} to {:g}", *rule.least, *rule.most);
  if (rule.least) what += fmt::format(", {:g} or more", *rule.least);
  if (rule.above) what += fmt::format(", above {:g}", *rule.above);
  if (most) what += fmt::format(", up to {:g}", *rule.most);
  return what;
}

std::string words_of(const Field& rule) {
  if (rule.choices.empty()) return "text";
  return fmt::format("{}", fmt::join(rule.choices, ", "));
}

}  // namespace

std::string value_words(const Field& /*rule*/, bool /*member*/) { return "on, off"; }
std::string value_words(const Field& rule, int /*member*/) {
  return with_bounds(rule, "whole number");
}
std::string value_words(const Field& rule, std::int64_t /*member*/) {
  return with_bounds(rule, "whole number");
}
std::string value_words(const Field& /*rule*/, std::uint64_t /*member*/) {
  return "whole number, 0 or more";
}
std::string value_words(const Field& rule, double /*member*/) {
  if (rule.share) return "per cent";
  if (rule.seconds) return "time";
  return with_bounds(rule, "number") + (rule.fraction() ? ", or per cent" : "");
}
std::string value_words(const Field& rule, const std::string& /*member*/) { return words_of(rule); }
std::string value_words(const Field& rule, Bytes /*member*/) {
  return rule.zero.empty() ? "size" : fmt::format("size, {}", rule.zero);
}
std::string value_words(const Field& /*rule*/, BytesPerSecond /*member*/) { return "rate"; }
std::string value_words(const Field& /*rule*/, Duration /*member*/) { return "time"; }
std::string value_words(const Field& /*rule*/, const Price& /*member*/) { return "price"; }
std::string value_words(const Field& /*rule*/, const std::optional<Duration>& /*member*/) {
  return "time";
}
std::string value_words(const Field& /*rule*/, const CheckpointRule& /*member*/) {
  return "steps, time";
}
std::string value_words(const Field& /*rule*/, const StepsOrExamples& /*member*/) {
  return "steps, examples";
}
std::string value_words(const Field& rule, const std::vector<std::string>& /*member*/) {
  return rule.choices.empty() ? "list of texts" : "list of " + words_of(rule);
}
std::string value_words(const Field& rule, const std::vector<int>& /*member*/) {
  const std::string list = with_bounds(rule, "list of whole numbers");
  return rule.indices ? "all; or " + list : list;
}

std::string mapping_words(const Field& rule) {
  std::string words = "mapping";
  for (const std::string_view key : {rule.shorthand, rule.list_shorthand}) {
    if (!key.empty()) words += fmt::format(", or its {} alone", key);
  }
  return words;
}

}  // namespace foretrain
