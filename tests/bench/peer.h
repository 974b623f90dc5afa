// Other people's programs beside ours.
#pragma once

#include "tests/bench/common/report.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::bench {

/// The folder with the peers' programs. @throws std::runtime_error where it is not there
std::string peers_folder();

/// Has the peers use the kernels of OpenBLAS that are fastest here; says in remarks which those
/// are, which PyTorch it is, with which BLAS. @throws std::runtime_error where there is none, or
/// its BLAS is the reference one (common/blas.h)
void check_torch(Report& report);

/// What `command` prints, line by line. @throws std::runtime_error where it cannot be started
std::vector<std::string> lines_of(const std::string& command);

/// The number after `label` in a line; nothing where the label is not in it.
std::optional<double> number_after(const std::string& line, const std::string& label);

}  // namespace foretrain::bench
