// A node's resource usage between two rows of usage.csv.
#pragma once

#include "exec/usage/interface.h"
#include "exec/usage/usage.h"
#include "reports/record/record.h"

#include <string>

namespace foretrain::exec {

class UsageSampler {
 public:
  /// Begins now. `interface`: of the emulated host; empty if none is counted.
  void start(const std::string& interface);
  /// Row of the interval that ends now, at `time`; `sent` and `received` are totals so far.
  UsageRow sample(Instant time, int node, Bytes sent, Bytes received);
  /// CPU time since the start.
  [[nodiscard]] double cpu_s() const { return process_usage().cpu_s() - at_start_.cpu_s(); }

 private:
  std::string interface_;
  ProcessUsage at_start_;
  ProcessUsage seen_;
  InterfaceBytes counted_;
  Bytes sent_;
  Bytes received_;
};

}  // namespace foretrain::exec
