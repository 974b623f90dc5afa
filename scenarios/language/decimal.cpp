// Decimal numbers as strings of digits.
#include "scenarios/language/decimal.h"

#include "models/base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace foretrain {
namespace {

constexpr int kExponentMax = 100'000;  // beyond it every double is 0 or infinite
constexpr int kPlainMax = 24;          // characters of a number without an exponent

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Decimal normalized(Decimal number) {
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  while (number.digits.ends_with('0')) {
    number.digits.pop_back();
    ++number.exponent;
  }
  if (number.digits.empty()) return {number.negative, "0", 0};
  return number;
}

}  // namespace

std::optional<Decimal> take_decimal(std::string_view& text) {
  std::string_view rest = text;
  Decimal number;
  number.negative = rest.starts_with('-');
  if (number.negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (!rest.starts_with('.') && (rest.empty() || !is_digit(rest.front()))) return std::nullopt;
  double rounded = 0;  // unused: only the end counts, before the e of `1 eV`
  const char* const end = rest.data() + rest.size();
  const auto [ptr, error] = std::from_chars(rest.data(), end, rounded);
  if (error == std::errc::invalid_argument) return std::nullopt;
  const std::string_view written = rest.substr(0, static_cast<std::size_t>(ptr - rest.data()));
  const std::size_t e = std::min(written.find_first_of("eE"), written.size());
  number.digits = written.substr(0, e);
  if (const std::size_t point = number.digits.find('.'); point != std::string::npos) {
    number.digits.erase(point, 1);
    number.exponent = -static_cast<int>(number.digits.size() - point);
  }
  if (e < written.size()) {
    const std::size_t first = written[e + 1] == '+' ? e + 2 : e + 1;
    int exponent = 0;
    const bool fits = std::from_chars(written.data() + first, ptr, exponent).ec == std::errc();
    if (!fits) exponent = written[first] == '-' ? -kExponentMax : kExponentMax;
    number.exponent += std::clamp(exponent, -kExponentMax, kExponentMax);
  }
  text = rest.substr(written.size());
  return normalized(std::move(number));
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  auto number = take_decimal(text);
  return text.empty() ? number : std::nullopt;
}

Decimal decimal_of(double value) {
  FT_CHECK(std::isfinite(value));
  return parse_decimal(fmt::format("{}", value)).value();
}

Decimal decimal_of(std::int64_t value) { return parse_decimal(fmt::format("{}", value)).value(); }

Decimal shifted(Decimal number, int power) {
  if (number.digits != "0") number.exponent += power;
  return number;
}

double to_double(const Decimal& number) {
  const std::string text =
      fmt::format("{}{}e{}", number.negative ? "-" : "", number.digits, number.exponent);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return value;
  const bool large = static_cast<int>(number.digits.size()) + number.exponent > 0;
  const double magnitude = large ? std::numeric_limits<double>::infinity() : 0;
  return number.negative ? -magnitude : magnitude;
}

std::optional<std::int64_t> to_integer(const Decimal& number) {
  constexpr int kDigitsMax = 19;
  if (number.exponent < 0) return std::nullopt;
  if (static_cast<int>(number.digits.size()) + number.exponent > kDigitsMax) return std::nullopt;
  const std::string text = fmt::format("{}{}{}", number.negative ? "-" : "", number.digits,
                                       std::string(static_cast<std::size_t>(number.exponent), '0'));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::string to_text(const Decimal& number) {
  const int length = static_cast<int>(number.digits.size());
  const int point = length + number.exponent;  // digits before the decimal point
  const char* sign = number.negative ? "-" : "";
  if (std::max(point, length) - std::min(point, 0) > kPlainMax) {
    return fmt::format("{}{}e{}", sign, number.digits, number.exponent);
  }
  const auto zeros = [](int count) { return std::string(static_cast<std::size_t>(count), '0'); };
  if (number.exponent >= 0) return sign + number.digits + zeros(number.exponent);
  if (point <= 0) return fmt::format("{}0.{}{}", sign, zeros(-point), number.digits);
  const auto split = static_cast<std::size_t>(point);
  return fmt::format("{}{}.{}", sign, number.digits.substr(0, split), number.digits.substr(split));
}

}  // namespace foretrain
