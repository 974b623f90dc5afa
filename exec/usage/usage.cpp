#include "exec/usage/usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>

namespace foretrain::exec {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

Bytes resident() {
  long long total = 0;
  long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return {};
  const int read = std::fscanf(file, "%lld %lld", &total, &pages);
  std::fclose(file);
  return {read == 2 ? pages * sysconf(_SC_PAGESIZE) : 0};
}

}  // namespace

ProcessUsage process_usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {seconds(used.ru_utime), seconds(used.ru_stime), resident(), {used.ru_maxrss * 1024}};
}

Duration thread_cpu_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return {std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec};
}

}  // namespace foretrain::exec
