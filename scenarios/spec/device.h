// An accelerator by its data sheet, with the share of the sheet that trainings reach.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/spec/machine.h"

#include <string>
#include <vector>

namespace foretrain {

/// Defaults of devices whose shares nobody fitted: those of A100.
inline constexpr double kAssumedShare = 0.7;
inline constexpr double kAssumedHalfSize = 30;
inline constexpr double kAssumedAttention = 0.3;
/// The share of a memory's bandwidth that kernels reach: a rule of thumb, as BabelStream measures.
inline constexpr double kBandwidthShare = 0.8;

/// `device.precisions[]` - the arithmetic of trainings in one format of numbers.
///
/// A product [m, k] x [k, n] runs at
///
///     peak x share / (1 + half_size (1/m + 1/n + 1/k))
///
/// so at half of what large ones reach if its edges' harmonic sum is 1 / half_size: Hockney's
/// n_1/2 (Hockney 1982), with an edge in place of a vector's length. Fused attention runs at
/// peak x attention.
struct PrecisionSpec {
  std::string name;      ///< fp32 | tf32 | fp16 | bf16 | fp8
  double gflops = 0;     ///< peak, without sparsity
  double share = 0;      ///< 0: kAssumedShare
  double half_size = 0;  ///< 0 with a share of 0: kAssumedHalfSize
  double attention = 0;  ///< 0: kAssumedAttention

  bool fitted = false;  ///< measured trainings on this device gave the shares

  bool operator==(const PrecisionSpec&) const = default;
};

/// `cluster.hosts[].device` - also an entry of scenarios/devices.
///
/// The last three figures are what devices lose together. With N workers in lockstep, each on a
/// device, a gradient takes
///
///     its time x (1 + variation x E[largest of N normal deviates]) x (1 + together if N' > 1)
///
/// since all wait for the slowest device, and since the N' workers of a host share its input, its
/// launches, its memory. `compute:` and measured rows are times of one device alone, so all count
/// there, too. While a message between two devices is on its way, whatever they compute takes
///
///     its time x (1 + slowed_by_collectives)
///
/// since a collective's kernels take units and memory bandwidth from it.
///
/// Sources: Sinha and others 2022, "Not All GPUs Are Created Equal", measured the spread of equal
/// devices; Lee and others 2025, "Characterizing Compute-Communication Overlap", what collectives
/// cost; the files of scenarios/devices have the other's. A scenario that leaves them out has none.
struct DeviceSpec : Roofline {
  Bytes memory{};  ///< 0: unknown
  std::vector<PrecisionSpec> precisions{};
  double variation = 0;  ///< standard deviation of equal devices' times, a share
  double together = 0;
  double slowed_by_collectives = 0;

  /// The factor of a gradient's time with `workers` in lockstep, `in_host` of them in a host.
  [[nodiscard]] double slowed(int workers, int in_host) const;
  /// The figures of a precision; null if it is not listed.
  [[nodiscard]] const PrecisionSpec* precision(const std::string& name) const {
    for (const PrecisionSpec& each : precisions) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
  bool operator==(const DeviceSpec&) const = default;
};

}  // namespace foretrain
