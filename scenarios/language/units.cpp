// Units as powers of ten or two.
#include "scenarios/language/units.h"

#include "models/base/check.h"
#include "scenarios/language/decimal.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <regex>
#include <span>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// A unit is 10^power x 2^binary x times of the base unit; rates in bits have 2^-3, a division by
/// 8.
struct Unit {
  std::string_view name;
  int power = 0;
  int binary = 0;
  bool listed = true;  ///< appears in messages and schema; false for other spellings
  int times = 1;
};

constexpr Unit kSizes[] = {{"B", 0},       {"kB", 3},      {"MB", 6},
                           {"GB", 9},      {"TB", 12},     {"KiB", 0, 10},
                           {"MiB", 0, 20}, {"GiB", 0, 30}, {"KB", 3, 0, false}};
constexpr Unit kRates[] = {{"bps", 0, -3},
                           {"kbps", 3, -3},
                           {"Mbps", 6, -3},
                           {"Gbps", 9, -3},
                           {"Tbps", 12, -3},
                           {"bit/s", 0, -3},
                           {"kbit/s", 3, -3},
                           {"Mbit/s", 6, -3},
                           {"Gbit/s", 9, -3},
                           {"Tbit/s", 12, -3},
                           {"B/s", 0},
                           {"kB/s", 3},
                           {"MB/s", 6},
                           {"GB/s", 9},
                           {"KiB/s", 0, 10},
                           {"MiB/s", 0, 20},
                           {"GiB/s", 0, 30},
                           {"KB/s", 3, 0, false},
                           {"GbE", 9, -3, false},   // as network hardware is sold: 10 GbE
                           {"kb/s", 3, -3, false},  // b is a bit, B a byte
                           {"Mb/s", 6, -3, false},
                           {"Gb/s", 9, -3, false}};
constexpr Unit kTimes[] = {{"s", 0},
                           {"ms", -3},
                           {"us", -6},
                           {"ns", -9},
                           {"\u00b5s", -6, 0, false},  // micro sign
                           {"\u03bcs", -6, 0, false},  // Greek mu
                           {"ps", -12},
                           {"min", 0, 0, true, 60},
                           {"h", 0, 0, true, 3600},
                           {"d", 0, 0, true, 86'400}};
constexpr Unit kShares[] = {{"%", -2}};
constexpr Unit kPrices[] = {{"per hour", 0}, {"/hour", 0, 0, false}, {"/h", 0, 0, false}};

/// Currency signs with the codes that they mean.
constexpr std::pair<std::string_view, std::string_view> kCurrencySigns[] = {
    {"$", "USD"}, {"\u20ac", "EUR"}, {"\u00a3", "GBP"}};

struct Quantity {
  Decimal number;
  Unit unit;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string list_of(std::span<const Unit> units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) {
    if (unit.listed) names.push_back(unit.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void fail_unit(const Decimal& number, std::string_view name,
                            std::span<const Unit> units) {
  const auto alike = std::ranges::find_if(
      units, [&](const Unit& unit) { return unit.listed && lower(unit.name) == lower(name); });
  if (alike != units.end()) {
    throw BadValue(
        fmt::format("{} is no unit; did you mean {} {}?", name, to_text(number), alike->name));
  }
  // `10G` is ambiguous: bits or bytes?
  std::vector<std::string> begun;
  for (const Unit& unit : units) {
    if (!unit.listed || !lower(unit.name).starts_with(lower(name))) continue;
    begun.push_back(fmt::format("{} {}", to_text(number), unit.name));
  }
  if (!begun.empty()) {
    throw BadValue(fmt::format("{} is no unit; did you mean {}?", name, fmt::join(begun, ", or ")));
  }
  throw BadValue(fmt::format("{} is no unit here; use one of {}", name, list_of(units)));
}

Quantity parse_quantity(std::string_view text, std::span<const Unit> units,
                        std::string_view example) {
  const std::string_view all = text;
  const auto number = take_decimal(text);
  if (!number) {
    throw BadValue(
        fmt::format("'{}' is not a number with a unit; write for instance {}", all, example));
  }
  const std::string_view unit_of_example = example.substr(example.find(' ') + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.empty()) {
    throw BadValue(fmt::format("{} has no unit; write for instance {} {}", all, to_text(*number),
                               unit_of_example));
  }
  const auto unit = std::ranges::find(units, text, &Unit::name);
  if (unit == units.end()) fail_unit(*number, text, units);
  if (number->negative && number->digits != "0") {
    throw BadValue(fmt::format("{} is negative; write for instance {}", all, example));
  }
  return {*number, *unit};
}

/// The quantity in its base unit, with one rounding: a power of two does not change the digits of a
/// double.
double in_base_unit(const Quantity& quantity) {
  const double number = to_double(shifted(quantity.number, quantity.unit.power));
  return std::ldexp(number, quantity.unit.binary) * quantity.unit.times;
}

std::string pattern_of(std::span<const Unit> units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return fmt::format(R"(^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)? *({})$)",
                     fmt::join(names, "|"));
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Removes a currency from the front of `text` and returns its code; empty if there is none.
std::string take_currency(std::string_view& text) {
  for (const auto& [sign, code] : kCurrencySigns) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    return std::string(code);
  }
  constexpr std::size_t kCodeLetters = 3;
  const std::size_t end =
      std::min(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), text.size());
  if (end != kCodeLetters) return {};
  std::string code(text.substr(0, end));
  text.remove_prefix(end);
  return code;
}

/// `text` without its currency, which stands before or behind the amount, with all digits:
/// `$20,000 per hour`, `20k USD per hour` are `20000 per hour`.
std::string plain_money(std::string_view text, std::string& currency) {
  static const std::regex kGroups("([0-9]),(?=[0-9]{3}([^0-9]|$))");
  text = trimmed(text);
  currency = take_currency(text);
  std::string amount = std::regex_replace(std::string(trimmed(text)), kGroups, "$1");
  std::string_view rest = amount;
  const auto number = take_decimal(rest);
  if (!number) return amount;
  std::string digits = amount.substr(0, amount.size() - rest.size());
  rest = trimmed(rest);
  // `MXN` is a currency.
  const bool is_mega = rest.starts_with('M') && (rest.size() < 2 || rest[1] < 'A' || rest[1] > 'Z');
  const int power = rest.starts_with('k') ? 3 : is_mega ? 6 : 0;
  if (power > 0) {
    digits = to_text(shifted(*number, power));
    rest = trimmed(rest.substr(1));
  }
  if (currency.empty()) currency = take_currency(rest);
  return std::string(trimmed(digits.append(" ").append(rest)));
}

/// `number` of the base unit, in the largest unit of `units` (largest first) in which it is at
/// least 1.
std::string in_largest(const Decimal& number, std::span<const Unit> units) {
  const int magnitude = static_cast<int>(number.digits.size()) + number.exponent - 1;
  const Unit* best = &units.back();
  for (const Unit& unit : units) {
    if (number.digits == "0" ? unit.power == 0 : magnitude >= unit.power) {
      best = &unit;
      break;
    }
  }
  return fmt::format("{} {}", to_text(shifted(number, -best->power)), best->name);
}

}  // namespace

Bytes parse_bytes(std::string_view text) {
  const Quantity size = parse_quantity(text, kSizes, "25 MB");
  std::optional<std::int64_t> bytes;
  if (const auto whole = to_integer(shifted(size.number, size.unit.power))) {
    if (*whole <= std::numeric_limits<std::int64_t>::max() >> size.unit.binary) {
      bytes = *whole << size.unit.binary;
    }
  } else if (const double exact = in_base_unit(size);
             exact < 0x1p53 && exact == std::floor(exact)) {
    bytes = static_cast<std::int64_t>(exact);
  }
  if (bytes) return {*bytes};
  const bool large = in_base_unit(size) >= 0x1p53;
  throw BadValue(fmt::format("{} is {}", text,
                             large ? "more bytes than 64 bits can count; write a smaller size"
                                   : "not a whole number of bytes; write one that is"));
}

BytesPerSecond parse_rate(std::string_view text) {
  const double rate = in_base_unit(parse_quantity(text, kRates, "10 Gbps"));
  if (std::isinf(rate)) throw BadValue(fmt::format("{} is too large; write a lower rate", text));
  return {rate};
}

Duration parse_duration(std::string_view text) {
  const Quantity time = parse_quantity(text, kTimes, "30 us");
  const auto ns = to_integer(shifted(time.number, time.unit.power + 9));
  if (ns && *ns <= std::numeric_limits<std::int64_t>::max() / time.unit.times) {
    return {*ns * time.unit.times};
  }
  const bool large = in_base_unit(time) > 1;
  throw BadValue(fmt::format("{} is {}", text,
                             large ? "longer than 292 years or finer than a nanosecond; round it"
                                   : "finer than a nanosecond; round it"));
}

double parse_seconds(std::string_view text) {
  const double seconds = in_base_unit(parse_quantity(text, kTimes, "12.5 us"));
  if (std::isinf(seconds)) throw BadValue(fmt::format("{} is too long; round it down", text));
  return seconds;
}

Price parse_price(std::string_view text) {
  std::string currency;
  const std::string plain = plain_money(text, currency);
  const std::string example =
      currency.empty() ? "2.50 per hour" : fmt::format("2.50 {} per hour", currency);
  const double per_hour = in_base_unit(parse_quantity(plain, kPrices, example));
  if (std::isinf(per_hour)) throw BadValue(fmt::format("{} is too much; write less", text));
  return {per_hour, std::move(currency)};
}

std::pair<double, std::string> parse_money(std::string_view text) {
  std::string currency;
  const auto number = parse_decimal(plain_money(text, currency));
  const double amount = number ? to_double(*number) : 0;
  if (amount > 0 && std::isfinite(amount)) return {amount, std::move(currency)};
  throw BadValue("is no amount of money above 0; write for instance 20000, 20k, or 20,000 USD");
}

std::pair<std::string_view, std::string_view> parse_several(std::string_view text) {
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  for (const std::size_t cross : {text.rfind('x'), text.find('x')}) {
    if (cross == std::string_view::npos) break;
    const std::string_view before = trimmed(text.substr(0, cross));
    const std::string_view behind = trimmed(text.substr(cross + 1));
    const bool apart = text.substr(0, cross).find_last_of(" 0123456789") + 1 == cross;
    if (apart && is_number(behind)) return {before, behind};  // not dgx1
    const bool ends_word = text.substr(cross + 1).starts_with(' ') || text.find(' ') > cross;
    if (is_number(before) && ends_word) return {behind, before};  // not 2 xl170
  }
  text = trimmed(text);
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::string_view name = trimmed(text.substr(space));
  const bool is_word = !name.empty() && name.find(' ') == std::string_view::npos;
  if (is_word && is_number(text.substr(0, space))) return {name, text.substr(0, space)};
  return {text, {}};
}

double parse_share(std::string_view text) {
  const double share = in_base_unit(parse_quantity(text, kShares, "1 %"));
  if (std::isinf(share)) throw BadValue(fmt::format("{} is too much; write less", text));
  return share;
}

std::int64_t parse_count(std::string_view text) {
  static constexpr Unit kCounts[] = {{"k", 3}, {"M", 6}, {"B", 9}, {"G", 9, 0, false}};
  std::string_view rest = text;
  auto number = take_decimal(rest);
  if (number && !rest.empty()) {
    const Quantity quantity = parse_quantity(text, kCounts, "110 M");
    number = shifted(quantity.number, quantity.unit.power);
  }
  const auto count = number ? to_integer(*number) : std::nullopt;
  if (count && *count >= 1) return *count;
  throw BadValue(fmt::format("'{}' is no count; write a whole number, 110M for instance", text));
}

std::string to_text(Bytes size) {
  static constexpr Unit kDecimal[] = {{"TB", 12}, {"GB", 9}, {"MB", 6}, {"kB", 3}, {"B", 0}};
  static constexpr Unit kBinary[] = {{"GiB", 0, 30}, {"MiB", 0, 20}, {"KiB", 0, 10}};
  std::string best = in_largest(decimal_of(size.value), kDecimal);
  for (const Unit& unit : kBinary) {
    const std::int64_t one = std::int64_t{1} << unit.binary;
    if (size.value == 0 || size.value % one != 0) continue;
    const std::string text = fmt::format("{} {}", size.value / one, unit.name);
    if (text.size() < best.size()) best = text;
  }
  return best;
}

std::string in_gigabytes(Bytes size) {
  constexpr double kGigabyte = 1e9;
  return fmt::format("{:.1f} GB", static_cast<double>(size.value) / kGigabyte);
}

std::string to_text(BytesPerSecond rate) {
  static constexpr Unit kBits[] = {{"Tbps", 12}, {"Gbps", 9}, {"Mbps", 6}, {"kbps", 3}, {"bps", 0}};
  FT_CHECK(std::isfinite(rate.value * 8));
  return in_largest(decimal_of(rate.value * 8), kBits);
}

namespace {
constexpr Unit kTimesDown[] = {{"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}, {"ps", -12}};
}

std::string to_text(Duration time) {
  // A difference of instants may be negative; a duration in a file may not.
  return in_largest(shifted(decimal_of(time.ns), -9), std::span(kTimesDown).first(4));
}

std::string seconds_to_text(double seconds) { return in_largest(decimal_of(seconds), kTimesDown); }

std::string price_to_text(const Price& price) {
  const std::string number = to_text(decimal_of(price.per_hour));
  if (price.currency.empty()) return number + " per hour";
  return fmt::format("{} {} per hour", number, price.currency);
}

std::string share_to_text(double share) { return in_largest(decimal_of(share), kShares); }

std::string bytes_pattern() { return pattern_of(kSizes); }
std::string rate_pattern() { return pattern_of(kRates); }
std::string duration_pattern() { return pattern_of(kTimes); }
std::string price_pattern() {
  const std::string currency = "([A-Z]{3}|\\$|\u20ac|\u00a3)? *";
  return "^" + currency + R"(\+?[0-9.][0-9.,eE+-]* *[kM]? *)" + currency + "(per hour|/hour|/h)$";
}
std::string share_pattern() { return pattern_of(kShares); }

}  // namespace foretrain
