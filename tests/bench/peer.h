// Other people's programs beside ours.
#pragma once

#include "tests/bench/common/report.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::bench {

/// The folder with the peers' programs. @throws std::runtime_error where it is not there
std::string peers_folder();

/// Says in a remark which PyTorch the peers use, with which BLAS, for which processor; variables
/// that would have OpenBLAS take an older one are unset. @throws std::runtime_error where there is
/// none, or its BLAS is the reference one (common/blas.h)
void check_torch(Report& report);

/// What `command` prints, line by line. @throws std::runtime_error where it cannot be started
std::vector<std::string> lines_of(const std::string& command);

/// The number after `label` in a line; nothing where the label is not in it.
std::optional<double> number_after(const std::string& line, const std::string& label);

}  // namespace foretrain::bench
