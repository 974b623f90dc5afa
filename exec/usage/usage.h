// What this process has used so far, as the kernel counts it.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain::exec {

struct ProcessUsage {
  double cpu_user_s = 0;
  double cpu_system_s = 0;
  Bytes rss;       ///< resident memory now
  Bytes rss_most;  ///< the most that was resident

  [[nodiscard]] double cpu_s() const { return cpu_user_s + cpu_system_s; }
};

/// From getrusage and /proc/self/status.
ProcessUsage process_usage();

/// Seconds of CPU that this process has used so far, with its children that have ended and been
/// waited for.
double family_cpu_s();

/// CPU time that the calling thread has used so far.
Duration thread_cpu_time();

}  // namespace foretrain::exec
