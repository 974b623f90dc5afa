// The counted cost of a piece of work, the same on every machine.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain {

/// Bytes moved between a core and memory, by their kind.
struct Traffic {
  Bytes parameters{};
  Bytes state{};        ///< of the optimizer, without parameters
  Bytes gradients{};    ///< gradients by the parameters
  Bytes activations{};  ///< outputs of layers, saved values, gradients by outputs
  Bytes batch{};        ///< examples, labels, and data derived from them
  Bytes messages{};     ///< payloads with a format of their own, such as sparse ones

  [[nodiscard]] constexpr Bytes total() const {
    return parameters + state + gradients + activations + batch + messages;
  }
  constexpr auto operator<=>(const Traffic&) const = default;
  friend constexpr Traffic operator+(const Traffic& a, const Traffic& b) {
    return {a.parameters + b.parameters,   a.state + b.state, a.gradients + b.gradients,
            a.activations + b.activations, a.batch + b.batch, a.messages + b.messages};
  }
};

/// The cost of a job, the same on any machine: operations, and bytes moved from and to memory.
/// Nothing can be counted for a layer that is known only by a profile: its cost is the time
/// measured on another device, in `measured`, so that code that adds up costs also adds up
/// profiles. The same holds for times that a scenario gives.
///
/// `models/cost/work.h` defines the cost of each piece of work.
struct Cost {
  Flops flops{};
  Traffic read{};
  Traffic written{};
  Duration measured{};  ///< time of a profile's layers, or given by a scenario

  [[nodiscard]] constexpr Bytes bytes() const { return read.total() + written.total(); }
  constexpr bool operator==(const Cost&) const = default;
  friend constexpr Cost operator+(const Cost& a, const Cost& b) {
    return {a.flops + b.flops, a.read + b.read, a.written + b.written, a.measured + b.measured};
  }
};

/// A cost as totals, which drivers need to place work and to time it. Jobs carry totals: with a
/// Cost they would have 240 bytes instead of 144, and thousands of simulated nodes would not fit in
/// a cache.
struct TotalCost {
  Flops flops{};
  Bytes bytes{};
  Duration measured{};

  constexpr TotalCost() = default;
  constexpr TotalCost(const Cost& cost)
      : flops(cost.flops), bytes(cost.bytes()), measured(cost.measured) {}

  constexpr bool operator==(const TotalCost&) const = default;
  friend constexpr TotalCost operator+(TotalCost a, const TotalCost& b) {
    a.flops = a.flops + b.flops;
    a.bytes += b.bytes;
    a.measured += b.measured;
    return a;
  }
};

}  // namespace foretrain
