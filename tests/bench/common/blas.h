// Which BLAS another program multiplies matrices with.
#pragma once

#include <string>
#include <vector>

namespace foretrain::bench {

/// The library's path, as the lines of the program's /proc/PID/maps have it: OpenBLAS, MKL, BLIS.
/// @throws std::runtime_error where it is the reference one, which is 3 to 8 times slower, so that
/// nothing would be shown by a comparison, or where there is none; says what to install
std::string fast_blas_in(const std::vector<std::string>& maps);

/// The processor whose kernels OpenBLAS computes with, which it prints as a line "Core: Haswell"
/// where it is asked to; empty where no line says it.
std::string openblas_core_in(const std::vector<std::string>& lines);

}  // namespace foretrain::bench
