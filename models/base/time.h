// Time as signed 64-bit nanoseconds: an instant is one type, a duration another.
#pragma once

#include <compare>
#include <cstdint>

namespace foretrain {

/// A length of time, ns. May be negative (a difference of instants).
struct Duration {
  std::int64_t ns = 0;

  /// Nearest nanosecond; for edges (input, records), never inside a model's arithmetic.
  static constexpr Duration from_seconds(double seconds) {
    return {static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))};
  }
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration other) {
    ns += other.ns;
    return *this;
  }
  constexpr Duration& operator-=(Duration other) {
    ns -= other.ns;
    return *this;
  }
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return {a.ns * n}; }
};

/// A point in time, ns since the moment at which every node of the training was ready.
struct Instant {
  std::int64_t ns = 0;

  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ns) * 1e-9; }

  constexpr auto operator<=>(const Instant&) const = default;
  friend constexpr Duration operator-(Instant a, Instant b) { return {a.ns - b.ns}; }
  friend constexpr Instant operator+(Instant a, Duration b) { return {a.ns + b.ns}; }
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
