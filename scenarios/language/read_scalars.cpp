// Reads scalars from text.
#include "scenarios/language/decimal.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/scalars.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace foretrain {
namespace {

const std::string& text_of(const Value& value, std::string_view wanted, bool lines = false) {
  if (value.kind == Value::Kind::scalar) {
    if (lines || value.text.find_first_of(kLayout) == std::string::npos) return value.text;
    throw BadValue("a text with a tab or a line break; write one line without tabs");
  }
  if (value.kind == Value::Kind::null) {
    throw BadValue(fmt::format("empty; write {}, or remove the key", wanted));
  }
  throw BadValue(fmt::format("{}; write {}", kind_name(value.kind), wanted));
}

/// A range in words: `1 or more`, `more than 0, up to 1 s`, ...
template <class Text>
std::string range_text(const Field& rule, Text text) {
  std::string range;
  if (rule.least) range = rule.most ? text(*rule.least) : text(*rule.least) + " or more";
  if (rule.above) range = "more than " + text(*rule.above);
  if (rule.most && rule.above) range += ", ";
  if (rule.most)
    range += (range.empty() ? "up to " : (rule.above ? "up to " : " to ")) + text(*rule.most);
  return range;
}

/// `text` writes bounds; it takes a double in the base unit.
template <class Text>
void check_range(const Field& rule, double value, const std::string& written, Text text) {
  const bool inside = !(rule.least && value < *rule.least) &&
                      !(rule.above && !(value > *rule.above)) && !(rule.most && value > *rule.most);
  if (!inside) {
    throw BadValue(fmt::format("{} is out of range; write {}", written, range_text(rule, text)));
  }
}

std::string plain_text(double value) { return to_text(decimal_of(value)); }

struct Prefix {
  std::string_view name;
  int power;
};

/// Reads `110M`; nothing if `text` is no number with a prefix.
std::optional<std::pair<Decimal, int>> with_prefix(std::string_view text) {
  static constexpr Prefix kPrefixes[] = {{"k", 3}, {"K", 3}, {"M", 6},
                                         {"G", 9}, {"B", 9}, {"T", 12}};
  const auto number = take_decimal(text);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto* prefix = std::ranges::find(kPrefixes, text, &Prefix::name);
  if (!number || prefix == std::end(kPrefixes)) return std::nullopt;
  return std::pair(*number, prefix->power);
}

/// A suggestion for `text`, which is not a number: 110e6 for `110M`.
std::string instead_of(std::string_view text, std::string_view wanted) {
  const auto number = with_prefix(text);
  if (!number) return fmt::format("write {}", wanted);
  return fmt::format("did you mean {}e{}?", to_text(number->first), number->second);
}

template <class Integer>
Integer read_integer(const Field& rule, const Value& value) {
  const std::string& text = text_of(value, "a whole number");
  auto number = parse_decimal(text);
  if (const auto prefixed = rule.prefixed ? with_prefix(text) : std::nullopt) {
    number = shifted(prefixed->first, prefixed->second);
  }
  if (!number) {
    throw BadValue(
        fmt::format("'{}' is not a number; {}", text, instead_of(text, "a whole number")));
  }
  if (number->exponent < 0) {
    throw BadValue(fmt::format("{} is not a whole number; write one", text));
  }
  check_range(rule, to_double(*number), text, plain_text);
  const std::string digits = fmt::format("{}{}{}", number->negative ? "-" : "", number->digits,
                                         std::string(std::min(number->exponent, 20), '0'));
  Integer result = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw BadValue(fmt::format("{} is out of range; write {} to {}", text,
                               std::numeric_limits<Integer>::min(),
                               std::numeric_limits<Integer>::max()));
  }
  return result;
}

std::string seconds_text(double seconds) { return seconds_to_text(seconds); }

double read_seconds(const Field& rule, const Value& value) {
  const std::string& text = text_of(value, "a time, for instance 12.5 us");
  const double seconds = parse_seconds(text);
  check_range(rule, seconds, text, seconds_text);
  return seconds;
}

[[noreturn]] void fail_choice(const Field& rule, const std::string& text) {
  const std::string near = nearest(text, rule.choices);
  if (!near.empty()) throw BadValue(fmt::format("{} is unknown; did you mean {}?", text, near));
  throw BadValue(fmt::format("{} is unknown; {} {}", text,
                             rule.choices.size() == 1 ? "there is only" : "choose one of",
                             fmt::join(rule.choices, ", ")));
}

/// Reads the items of a list, each within the rule.
template <class T>
std::vector<T> read_items(const Field& rule, const Value& value, std::string_view wanted) {
  if (value.kind != Value::Kind::list) text_of(value, wanted);
  if (value.kind != Value::Kind::list) {
    throw BadValue(fmt::format("{} is no list; write {}", value.text, wanted));
  }
  std::vector<T> items;
  for (const Value& item : value.items) {
    T read{};
    try {
      read_value(rule, item, read);
    } catch (const BadValue& error) {
      throw BadValue(error.what(), items.size());
    }
    items.push_back(std::move(read));
  }
  return items;
}

double read_share(const Field& rule, const Value& value) {
  const std::string& text = text_of(value, "a share, for instance 1 %");
  const double share = parse_share(text);
  check_range(rule, share, text, [](double bound) { return share_to_text(bound); });
  return share;
}

/// The number before `unit`, which may be written without its s.
std::int64_t counted(const Field& rule, const Value& value, std::string_view unit) {
  Value number = value;
  if (!number.text.ends_with('s')) unit.remove_suffix(1);
  number.text.resize(number.text.size() - unit.size());
  number.text.resize(number.text.find_last_not_of(' ') + 1);
  return read_integer<std::int64_t>(rule, number);
}

}  // namespace

void read_value(const Field& /*rule*/, const Value& value, bool& member) {
  const std::string& text = text_of(value, "on or off");
  const bool on = text == "on" || text == "true";
  if (!on && text != "off" && text != "false") {
    throw BadValue(fmt::format("'{}' is neither on nor off; write one of them", text));
  }
  member = on;
}

void read_value(const Field& rule, const Value& value, int& member) {
  member = read_integer<int>(rule, value);
}
void read_value(const Field& rule, const Value& value, std::int64_t& member) {
  member = read_integer<std::int64_t>(rule, value);
}
void read_value(const Field& rule, const Value& value, std::uint64_t& member) {
  member = read_integer<std::uint64_t>(rule, value);
}

void read_value(const Field& rule, const Value& value, double& member) {
  if (rule.seconds) {
    member = read_seconds(rule, value);
    return;
  }
  if (rule.share || (rule.fraction() && value.text.ends_with('%'))) {
    member = read_share(rule, value);
    return;
  }
  const std::string& text = text_of(value, "a number");
  const auto number = parse_decimal(text);
  if (!number) {
    throw BadValue(fmt::format("'{}' is not a number; {}", text, instead_of(text, "one")));
  }
  check_range(rule, to_double(*number), text, plain_text);
  if (std::isinf(to_double(*number))) {
    throw BadValue(fmt::format("{} is too large; write less", text));
  }
  member = to_double(*number);
}

void read_value(const Field& rule, const Value& value, std::string& member) {
  const std::string& text = text_of(value, "a text", rule.lines);
  if (!rule.choices.empty() && std::ranges::find(rule.choices, text) == rule.choices.end()) {
    fail_choice(rule, text);
  }
  if (rule.required && text.empty()) throw BadValue("empty; write a text");
  member = text;
}

void read_value(const Field& rule, const Value& value, Bytes& member) {
  const std::string& text = text_of(value, "a size, for instance 25 MB");
  if (!rule.zero.empty() && text == rule.zero) {
    member = {};
    return;
  }
  const Bytes size = parse_bytes(text);
  check_range(rule, static_cast<double>(size.value), text,
              [](double bytes) { return to_text(Bytes{static_cast<std::int64_t>(bytes)}); });
  member = size;
}

void read_value(const Field& rule, const Value& value, BytesPerSecond& member) {
  const std::string& text = text_of(value, "a rate, for instance 10 Gbps");
  const BytesPerSecond rate = parse_rate(text);
  check_range(rule, rate.value, text, [](double bytes) { return to_text(BytesPerSecond{bytes}); });
  member = rate;
}

void read_value(const Field& rule, const Value& value, Price& member) {
  const std::string& text = text_of(value, "a price, for instance 2.50 USD per hour");
  Price price = parse_price(text);
  check_range(rule, price.per_hour, text, [&](double bound) {
    return price_to_text({bound, price.currency});
  });
  member = std::move(price);
}

void read_value(const Field& rule, const Value& value, Duration& member) {
  const std::string& text = text_of(value, "a time, for instance 30 us");
  const Duration time = parse_duration(text);
  check_range(rule, time.seconds(), text, seconds_text);
  member = time;
}

void read_value(const Field& rule, const Value& value, std::optional<Duration>& member) {
  Duration time;
  read_value(rule, value, time);
  member = time;
}

void read_value(const Field& /*rule*/, const Value& value, CheckpointRule& member) {
  const std::string& text = text_of(value, "how often, 500 steps or 60 s");
  const bool steps = text.ends_with("steps") || text.ends_with("step");
  if (!steps) {
    try {
      member = {0, parse_duration(text)};
    } catch (const BadValue&) {
      throw BadValue(
          fmt::format("'{}' is neither steps nor a time; write 500 steps, or 60 s", text));
    }
    constexpr std::int64_t kLeastNs = 10'000'000;
    if (member.time.ns < kLeastNs) throw BadValue(text + " is too often; write 10 ms or more");
    return;
  }
  const Field count{.key = "", .doc = "", .least = 1, .most = 1e12};
  member = {counted(count, value, "steps"), {}};
}

void read_value(const Field& rule, const Value& value, StepsOrExamples& member) {
  const std::string& text = text_of(value, "a number of steps, 100, or of examples, 5000 examples");
  const bool examples = text.ends_with("examples") || text.ends_with("example");
  const bool steps = text.ends_with("steps") || text.ends_with("step");
  const std::string_view unit = examples ? "examples" : "steps";
  const bool plain = !examples && !steps;
  member = {plain ? read_integer<std::int64_t>(rule, value) : counted(rule, value, unit), examples};
}

void read_value(const Field& rule, const Value& value, std::vector<std::string>& member) {
  member = read_items<std::string>(rule, value, "a list: [a, b]");
}

void read_value(const Field& rule, const Value& value, std::vector<int>& member) {
  if (!rule.indices) {
    auto numbers = read_items<int>(rule, value, "a list of numbers: [20, 10]");
    if (numbers.empty()) throw BadValue("an empty list; write numbers");
    member = std::move(numbers);
    return;
  }
  if (value.kind == Value::Kind::scalar && value.text == "all") {
    member.clear();
    return;
  }
  auto items = read_items<int>(rule, value, "a list of indices, [0, 2], or all");
  if (items.empty()) throw BadValue("an empty list; write indices, or all");
  std::vector<int> sorted = items;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) throw BadValue(fmt::format("{} occurs twice; write it once", *twice));
  member = std::move(items);
}

}  // namespace foretrain
