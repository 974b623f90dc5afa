// Resources that this process has used, as the kernel counts them.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain::exec {

struct ProcessUsage {
  double cpu_user_s = 0;
  double cpu_system_s = 0;
  Bytes rss;       ///< resident memory at present
  Bytes rss_most;  ///< peak resident memory

  [[nodiscard]] double cpu_s() const { return cpu_user_s + cpu_system_s; }
};

/// From getrusage and /proc/self/status.
ProcessUsage process_usage();

/// CPU seconds that this process has used so far, with its children that have ended and been waited
/// for.
double family_cpu_s();

/// CPU time that the calling thread has used so far.
Duration thread_cpu_time();

}  // namespace foretrain::exec
