#include "exec/system/others_use.h"

#include "exec/system/process.h"
#include "exec/usage/usage.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace foretrain::exec {
namespace {

// The columns of a core: user, nice, system, idle, iowait, irq, softirq, steal.
constexpr std::size_t kIdle = 3;
constexpr std::size_t kWaitsForDisk = 4;
constexpr std::size_t kInterrupt = 5;
constexpr std::size_t kSoftInterrupt = 6;
constexpr std::size_t kColumns = 8;

}  // namespace

std::optional<CoreTimes> core_times(std::string_view stat, const std::vector<int>& cores) {
  const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  CoreTimes times;
  std::size_t found = 0;
  std::istringstream lines{std::string(stat)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::array<std::int64_t, kColumns> ticks{};
    words >> name;
    for (std::int64_t& each : ticks) words >> each;
    const auto is_it = [&](int core) { return name == fmt::format("cpu{}", core); };
    if (!words || std::ranges::none_of(cores, is_it)) continue;
    ++found;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const double seconds = static_cast<double>(ticks.at(i)) / ticks_a_second;
      times.all += seconds;
      const bool counts =
          i != kIdle && i != kWaitsForDisk && i != kInterrupt && i != kSoftInterrupt;
      if (counts) times.busy += seconds;
    }
  }
  if (found != cores.size() || cores.empty()) return std::nullopt;
  return times;
}

OthersUse::OthersUse() : cores_(usable_cores()), begun_(look()) {}

OthersUse::Look OthersUse::look() const {
  std::ifstream file("/proc/stat");
  std::ostringstream text;
  text << file.rdbuf();
  return {core_times(text.str(), cores_), family_cpu_s()};
}

std::optional<double> OthersUse::share() const {
  const Look now = look();
  if (!now.cores || !begun_.cores) return std::nullopt;
  const double all_s = now.cores->all - begun_.cores->all;
  if (all_s < kLeast_s * static_cast<double>(cores_.size())) return std::nullopt;
  const double busy_s = now.cores->busy - begun_.cores->busy;
  const double share = std::clamp((busy_s - (now.ours_s - begun_.ours_s)) / all_s, 0.0, 1.0);
  constexpr double kFinest = 1e-4;  // the resolution of ticks
  return std::round(share / kFinest) * kFinest;
}

}  // namespace foretrain::exec
