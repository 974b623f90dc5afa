// The share of CPU time that control groups leave this process, as containers set it.
#pragma once

#include <filesystem>
#include <optional>

namespace foretrain::exec {

/// Cores' worth of CPU time, `1.5`: the least of cpu.max (cgroup v2) or cpu.cfs_quota_us (v1) of
/// the process's groups and of those above them. Nothing: none has a bound. `root`: prefix of /proc
/// and /sys.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace foretrain::exec
