// The loops of the reference kernel, which every build compiles alike.
#pragma once

#include <cstddef>

namespace foretrain::exec {

constexpr std::size_t kReferenceSide = 64;           ///< of a square matrix: three are 48 KB
constexpr std::size_t kReferenceVector = 32 * 1024;  ///< floats: two vectors are 256 KB

/// What they work on: matrices by rows, then vectors. Nothing overlaps.
struct ReferenceOperands {
  float* a;
  const float* b;
  float* c;
  const float* x;
  float* y;
};

/// A piece of the kernel, some 60 us: c = a b four times, y += 0.001 x eight times.
///
/// Optimised, without sanitizers, without counters in debug builds, too (exec/CMakeLists.txt): with
/// them it took 20 ms, so that each look at a machine's cores, of which a calibration has dozens,
/// took more than a minute.
void run_reference_piece(const ReferenceOperands& operands);

}  // namespace foretrain::exec
