// What a node uses from one row of usage.csv to the next.
#pragma once

#include "exec/usage/interface.h"
#include "exec/usage/usage.h"
#include "reports/record/record.h"

#include <string>

namespace foretrain::exec {

class UsageSampler {
 public:
  /// From now on. `interface`: of the emulated host; empty: none is counted.
  void start(const std::string& interface);
  /// A row whose interval ends now, at `time`, where the node has sent and received so much in all.
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
