// Time as signed 64-bit nanoseconds: an instant is one type, a duration another.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace foretrain {

// 292 years are enough for every training. Longer times come from a damaged record or a hostile
// peer: arithmetic saturates at the longest time, in either direction.
namespace saturated {

using Limits = std::numeric_limits<std::int64_t>;

constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t all = 0;
  if (!__builtin_add_overflow(a, b, &all)) [[likely]]
    return all;
  return b < 0 ? Limits::min() : Limits::max();
}
constexpr std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t rest = 0;
  if (!__builtin_sub_overflow(a, b, &rest)) [[likely]]
    return rest;
  return b < 0 ? Limits::max() : Limits::min();
}
constexpr std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t all = 0;
  if (!__builtin_mul_overflow(a, b, &all)) [[likely]]
    return all;
  return (a < 0) == (b < 0) ? Limits::max() : Limits::min();
}

}  // namespace saturated

/// A length of time, ns. May be negative (a difference of instants).
struct Duration {
  std::int64_t ns = 0;

  /// The nearest nanosecond, zero for NaN; for edges (input, records), never inside a model's
  /// arithmetic.
  static constexpr Duration from_seconds(double seconds) {
    constexpr double kMost = 9223372036854775808.0;  // 2^63, one above the largest value
    const double ns = seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5);
    if (ns >= kMost) return {saturated::Limits::max()};
    if (ns >= -kMost) return {static_cast<std::int64_t>(ns)};
    return {ns < -kMost ? saturated::Limits::min() : 0};
  }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration other) {
    ns = saturated::sum(ns, other.ns);
    return *this;
  }
  constexpr Duration& operator-=(Duration other) {
    ns = saturated::difference(ns, other.ns);
    return *this;
  }
  friend constexpr Duration operator+(Duration a, Duration b) {
    return {saturated::sum(a.ns, b.ns)};
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return {saturated::difference(a.ns, b.ns)};
  }
  friend constexpr Duration operator*(Duration a, std::int64_t n) {
    return {saturated::product(a.ns, n)};
  }
};

/// A point in time, ns since the moment at which every node of the training was ready.
struct Instant {
  std::int64_t ns = 0;

  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }

  constexpr auto operator<=>(const Instant&) const = default;
  friend constexpr Duration operator-(Instant a, Instant b) {
    return {saturated::difference(a.ns, b.ns)};
  }
  friend constexpr Instant operator+(Instant a, Duration b) { return {saturated::sum(a.ns, b.ns)}; }
};

namespace literals {
constexpr Duration operator""_ns(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }
constexpr Duration operator""_us(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * 1'000};
}
constexpr Duration operator""_ms(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Duration operator""_s(unsigned long long n) {
  return {static_cast<std::int64_t>(n) * 1'000'000'000};
}
}  // namespace literals

}  // namespace foretrain
