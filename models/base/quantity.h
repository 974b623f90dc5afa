// Quantities with a dimension, each with only the operators that are meaningful for it.
#pragma once

#include "models/base/time.h"

#include <compare>
#include <cstdint>

namespace foretrain {

/// A number of bytes.
struct Bytes {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    value += other.value;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.value - b.value}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return {a.value * n}; }
};

/// A rate of transfer. Bits per second are used only where text is read.
struct BytesPerSecond {
  double value = 0;

  constexpr auto operator<=>(const BytesPerSecond&) const = default;
};

/// The time that `size` takes at `rate`, rounded up to a nanosecond. A rate of zero is an error,
/// never zero time.
Duration transfer_time(Bytes size, BytesPerSecond rate);

/// A number of floating-point operations; a multiply-add counts as two.
struct Flops {
  double value = 0;

  constexpr auto operator<=>(const Flops&) const = default;
  friend constexpr Flops operator+(Flops a, Flops b) { return {a.value + b.value}; }
};

/// A count that orders events of one kind: it can be compared, advanced, and subtracted.
template <class Tag>
struct Ordinal {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Ordinal&) const = default;
  constexpr Ordinal& operator++() {
    ++value;
    return *this;
  }
  [[nodiscard]] constexpr Ordinal next() const { return {value + 1}; }
  friend constexpr std::int64_t operator-(Ordinal a, Ordinal b) { return a.value - b.value; }
};

/// One gradient of one worker, counted from 0.
using Step = Ordinal<struct StepTag>;
/// The number of updates that a server shard has applied to its parameters.
using Version = Ordinal<struct VersionTag>;

/// A node of the training: workers first (0 is the chief), then server shards.
enum class NodeId : std::uint32_t {};
constexpr std::uint32_t index_of(NodeId id) { return static_cast<std::uint32_t>(id); }

}  // namespace foretrain
