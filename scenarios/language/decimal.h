// Decimal numbers exactly as they were written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

/// digits x 10^exponent. Text becomes a double in one rounding, whatever unit stands behind the
/// number, so a value that was written out reads back as the same bits.
struct Decimal {
  bool negative = false;
  std::string digits = "0";  ///< no zero at either end, but for the number 0
  int exponent = 0;
};

/// Takes the number that `text` begins with (`10`, `2.5`, `-3`, `1e6`) off its front; nothing, and
/// `text` as it was, where there is none.
std::optional<Decimal> take_decimal(std::string_view& text);
/// All of `text` as a number.
std::optional<Decimal> parse_decimal(std::string_view text);

/// The fewest digits that read back as `value`, which is finite.
Decimal decimal_of(double value);
Decimal decimal_of(std::int64_t value);
/// `number` x 10^`power`.
Decimal shifted(Decimal number, int power);

/// The nearest double; infinite where there is none.
double to_double(const Decimal& number);
/// The same number; nothing where it has a fraction or needs more than 64 bits.
std::optional<std::int64_t> to_integer(const Decimal& number);
std::string to_text(const Decimal& number);

}  // namespace foretrain
