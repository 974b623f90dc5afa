#include "exec/usage/usage.h"

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace foretrain::exec {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// A figure of /proc/self/status, in kB there; 0: it is not there.
Bytes status(const char* format) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return {};
  long long kilobytes = 0;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), file) != nullptr) {
    if (std::sscanf(line.data(), format, &kilobytes) == 1) break;
  }
  std::fclose(file);
  return {kilobytes * 1024};
}

}  // namespace

ProcessUsage process_usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  // Not ru_maxrss, in which a process begins with what the one that started it has held.
  return {seconds(used.ru_utime), seconds(used.ru_stime), status("VmRSS: %lld"),
          status("VmHWM: %lld")};
}

Duration thread_cpu_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return {std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec};
}

}  // namespace foretrain::exec
