// Which processor this machine has.
#pragma once

#include "reports/record/processor.h"

#include <filesystem>

namespace foretrain::exec {

/// As /proc/cpuinfo and /sys/devices/system/cpu say it of the first core; what they do not say is
/// empty, or 0. `root`: where these folders are.
Processor this_processor(const std::filesystem::path& root = "/");

}  // namespace foretrain::exec
