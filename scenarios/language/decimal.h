// Decimal numbers exactly as they were written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

/// The number digits x 10^exponent. It becomes a double with one rounding, whatever unit follows it
/// in the text, so a value that was written out reads back with the same bits.
struct Decimal {
  bool negative = false;
  std::string digits = "0";  ///< no zeros at either end, except for the number 0
  int exponent = 0;
};

/// Removes the number at the front of `text` (`10`, `2.5`, `-3`, `1e6`) and returns it; returns
/// nothing and leaves `text` unchanged if there is none.
std::optional<Decimal> take_decimal(std::string_view& text);
/// Reads all of `text` as a number.
std::optional<Decimal> parse_decimal(std::string_view text);

/// The shortest decimal that reads back as `value`, which has to be finite.
Decimal decimal_of(double value);
Decimal decimal_of(std::int64_t value);
/// `number` x 10^`power`.
Decimal shifted(Decimal number, int power);

/// The nearest double; infinite if the number is too large.
double to_double(const Decimal& number);
/// The same number; nothing if it has a fraction or needs more than 64 bits.
std::optional<std::int64_t> to_integer(const Decimal& number);
std::string to_text(const Decimal& number);

}  // namespace foretrain
