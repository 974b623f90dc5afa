// Other programs to compare with.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::bench {

/// The folder with the peers' programs. @throws std::runtime_error if it does not exist
std::string peers_folder();

/// Selects the fastest OpenBLAS kernels of this machine for the peers; adds remarks on the kernels,
/// the PyTorch version, its BLAS. @throws std::runtime_error if there is no PyTorch, or if its BLAS
/// is the reference one (common/blas.h)
void check_torch(Report& report);

/// The output of `command`, line by line. @throws std::runtime_error if it cannot be started
std::vector<std::string> lines_of(const std::string& command);

/// The number after `label` in a line; nothing if the label is missing.
std::optional<double> number_after(const std::string& line, const std::string& label);

}  // namespace foretrain::bench
