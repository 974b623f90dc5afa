// Decimal numbers as strings of digits.
#include "scenarios/decimal.h"

#include "models/base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace foretrain {
namespace {

constexpr int kExponentMax = 100'000;  // beyond it everything is 0 or infinite anyway
constexpr int kPlainMax = 24;          // characters of a number without an exponent

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void take_digits(std::string_view& text, std::string& digits) {
  while (!text.empty() && is_digit(text.front())) {
    digits += text.front();
    text.remove_prefix(1);
  }
}

// The exponent that `text` begins with; 0 where it begins with something else (`1 eV`).
int take_exponent(std::string_view& text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) return 0;
  std::string_view rest = text.substr(1);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || !is_digit(rest.front())) return 0;
  int exponent = 0;
  while (!rest.empty() && is_digit(rest.front())) {
    exponent = std::min(exponent * 10 + (rest.front() - '0'), kExponentMax);
    rest.remove_prefix(1);
  }
  text = rest;
  return negative ? -exponent : exponent;
}

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
  number.digits.clear();
  number.negative = rest.starts_with('-');
  if (number.negative || rest.starts_with('+')) rest.remove_prefix(1);
  take_digits(rest, number.digits);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::size_t whole = number.digits.size();
    take_digits(rest, number.digits);
    number.exponent = -static_cast<int>(number.digits.size() - whole);
  }
  if (number.digits.empty()) return std::nullopt;
  number.exponent += take_exponent(rest);
  text = rest;
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
