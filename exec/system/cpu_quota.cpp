// The CPU quota that control groups give this process, as containers set it.
#include "exec/system/process.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

// The quota of one group; nullopt if it says `max` or -1 (no bound), or has no such file.
std::optional<double> quota_of(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream both(group / "cpu.max");
  both >> quota >> period;
  if (!both) {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

}  // namespace

// A line of /proc/self/cgroup is `number:controllers:group`, without controllers for cgroup v2. In
// a container the group may not exist, and the mounted hierarchy is the container's own.
std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> least;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const fs::path mounts = root / "sys/fs/cgroup";
    for (const fs::path& mount :
         {unified ? mounts : mounts / "cpu", mounts / (unified ? "unified" : "cpu,cpuacct")}) {
      fs::path group = fs::path(line.substr(second + 1)).relative_path();
      while (true) {
        const auto quota = quota_of(mount / group);
        if (quota) least = std::min(*quota, least.value_or(*quota));
        if (group.empty()) break;
        group = group.parent_path();
      }
    }
  }
  return least;
}

}  // namespace foretrain::exec
