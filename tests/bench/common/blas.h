// The BLAS of another program.
#pragma once

#include <string>
#include <vector>

namespace foretrain::bench {

/// Returns the library's path from the program's /proc/PID/maps: OpenBLAS, MKL or BLIS.
/// @throws std::runtime_error if there is none or if it is the reference BLAS, which is 3 to 8
/// times slower and makes a comparison meaningless; the message says what to install
std::string fast_blas_in(const std::vector<std::string>& maps);

/// The processor type that OpenBLAS selected its kernels for, from a line such as "Core: Haswell",
/// which it prints on request; empty if there is no such line.
std::string openblas_core_in(const std::vector<std::string>& lines);

}  // namespace foretrain::bench
