// Description of this machine's processor.
#pragma once

#include "reports/record/processor.h"

#include <filesystem>

namespace foretrain::exec {

/// Reads the first core's data from /proc/cpuinfo and /sys/devices/system/cpu, and missing ones,
/// except the shared cache, from the C library; unknown values are empty or 0. `root`: prefix of
/// /proc and /sys. The C library is asked only if it is "/".
Processor this_processor(const std::filesystem::path& root = "/");

}  // namespace foretrain::exec
