// Quantities with units in text.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "scenarios/language/money.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain {

// Reading. Decimal prefixes k, M, G, T are powers of 1,000, binary ones Ki, Mi, Gi of 1,024. `Gbps`
// and `Gbit/s` are bits, `GB/s` bytes: bits exist only here. Every function throws BadValue
// (scenarios/language/input_error.h) if the number has no unit or an unknown one, is negative, too
// large, or finer than the type can hold.

Bytes parse_bytes(std::string_view text);          ///< `25 MB`, `64 KiB`
BytesPerSecond parse_rate(std::string_view text);  ///< `10 Gbps`, `100 Mbit/s`, `1.25 GB/s`
Duration parse_duration(std::string_view text);    ///< `30 us`, `2.5 ms`; whole nanoseconds
double parse_seconds(std::string_view text);       ///< `12.25 ns`, in seconds, nearest double
Price parse_price(std::string_view text);          ///< `2.50 per hour`, `$3.06/h`, `0.90 EUR/h`
/// The amount with its currency, if there is one: `20k`, `$20,000`, `50 USD`.
std::pair<double, std::string> parse_money(std::string_view text);
double parse_share(std::string_view text);        ///< `1 %`, of 1
std::int64_t parse_count(std::string_view text);  ///< `110M`, `25.5e6`; 1 or more, whole

/// A name with its number, which is empty if there is none: `4 x dgx-1`, `4 dgx-1`, `dgx-1 x 4`,
/// `dgx-1`.
std::pair<std::string_view, std::string_view> parse_several(std::string_view text);

// Writing: the shortest text that reads back as the same value.

std::string to_text(Bytes size);
std::string to_text(BytesPerSecond rate);
/// For people, rounded: `12.3 GB`.
std::string in_gigabytes(Bytes size);
std::string to_text(Duration time);
std::string seconds_to_text(double seconds);
std::string price_to_text(const Price& price);  ///< `2.5 per hour`, `3.06 USD per hour`
std::string share_to_text(double share);

// For JSON Schema: a regular expression that matches every quantity of the kind.

std::string bytes_pattern();
std::string rate_pattern();
std::string duration_pattern();
std::string price_pattern();
std::string share_pattern();

}  // namespace foretrain
