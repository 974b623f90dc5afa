// The counted cost of a piece of work, the same on every machine.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain {

/// Bytes that pass between a core and memory, by what they are of.
struct Traffic {
  Bytes parameters{};
  Bytes state{};        ///< the optimizer's, beside the parameters
  Bytes gradients{};    ///< by the parameters
  Bytes activations{};  ///< what layers make, what they keep, the loss's gradient by it
  Bytes batch{};        ///< examples, labels, what is known of them
  Bytes messages{};     ///< payloads that are no parameters or gradients as they lie: sparse ones

  [[nodiscard]] constexpr Bytes total() const {
    return parameters + state + gradients + activations + batch + messages;
  }
  constexpr auto operator<=>(const Traffic&) const = default;
  friend constexpr Traffic operator+(const Traffic& a, const Traffic& b) {
    return {a.parameters + b.parameters,   a.state + b.state, a.gradients + b.gradients,
            a.activations + b.activations, a.batch + b.batch, a.messages + b.messages};
  }
};

/// What a job costs on any machine: operations, and bytes moved from and to memory. Of a layer that
/// is known by a profile alone nothing can be counted: it costs the time that somebody's device
/// took, which has the same place here, so that whatever adds up costs adds up profiles, too. So
/// does what a scenario says that something takes.
///
/// `models/cost/work.h` says what each piece of work costs.
struct Cost {
  Flops flops{};
  Traffic read{};
  Traffic written{};
  Duration measured{};  ///< of a profile's layers, of what a scenario gives the time of

  [[nodiscard]] constexpr Bytes bytes() const { return read.total() + written.total(); }
  constexpr bool operator==(const Cost&) const = default;
  friend constexpr Cost operator+(const Cost& a, const Cost& b) {
    return {a.flops + b.flops, a.read + b.read, a.written + b.written, a.measured + b.measured};
  }
};

/// A cost added up, as drivers ask for it: where its work runs, how long it takes. Jobs carry this
/// one: with a Cost they would have 240 bytes instead of 144, and thousands of simulated nodes fit
/// no cache.
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
