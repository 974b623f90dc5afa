// Which processor this machine has.
#pragma once

#include "reports/record/processor.h"

#include <filesystem>

namespace foretrain::exec {

/// As /proc/cpuinfo and /sys/devices/system/cpu say it of the first core, else, but for the shared
/// cache, the C library; what nobody says is empty, or 0. `root`: where these folders are; of
/// another than / the library is not asked.
Processor this_processor(const std::filesystem::path& root = "/");

}  // namespace foretrain::exec
