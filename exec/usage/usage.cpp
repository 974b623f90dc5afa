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

rusage used_by(int whom) {
  rusage used{};
  getrusage(whom, &used);
  return used;
}

// A figure of /proc/self/status, in kB there; 0 if it is missing.
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
  const rusage used = used_by(RUSAGE_SELF);
  // Not ru_maxrss, which a process inherits from the one that started it.
  return {seconds(used.ru_utime), seconds(used.ru_stime), status("VmRSS: %lld"),
          status("VmHWM: %lld")};
}

double family_cpu_s() {
  const rusage own = used_by(RUSAGE_SELF);
  const rusage children = used_by(RUSAGE_CHILDREN);
  return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(children.ru_utime) +
         seconds(children.ru_stime);
}

Duration thread_cpu_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return {std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec};
}

}  // namespace foretrain::exec
