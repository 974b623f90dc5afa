// The inner loops of the reference kernel, which every build compiles in the same way.
#pragma once

#include <cstddef>

namespace foretrain::exec {

constexpr std::size_t kReferenceSide = 64;           ///< of a square matrix: three are 48 KB
constexpr std::size_t kReferenceVector = 32 * 1024;  ///< floats: two vectors are 256 KB

/// Operands: matrices by rows, then vectors. They do not overlap.
struct ReferenceOperands {
  float* a;
  const float* b;
  float* c;
  const float* x;
  float* y;
};

/// A piece of a fixed computation, about 60 us: c = a b four times, y += 0.001 x eight times. Its
/// time measures the present speed of a core (reference_kernel.h).
///
/// Always optimised, and without sanitizers or coverage counters even in debug builds
/// (exec/CMakeLists.txt): with them a piece took 3 ms (ASan of g++ 12), 6 (TSan), 8 (gcov), 10
/// (ASan of clang 14) on an AMD EPYC (Zen 5) VM, so a calibration took over ten minutes.
void run_reference_piece(const ReferenceOperands& operands);

}  // namespace foretrain::exec
