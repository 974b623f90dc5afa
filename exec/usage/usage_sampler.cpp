#include "exec/usage/usage_sampler.h"

namespace foretrain::exec {

void UsageSampler::start(const std::string& interface) {
  interface_ = interface;
  at_start_ = seen_ = process_usage();
  if (!interface_.empty()) counted_ = interface_bytes(interface_);
}

UsageRow UsageSampler::sample(Instant time, int node, Bytes sent, Bytes received) {
  const ProcessUsage used = process_usage();
  UsageRow row;
  row.time = time;
  row.node = node;
  row.cpu_user_s = used.cpu_user_s - seen_.cpu_user_s;
  row.cpu_system_s = used.cpu_system_s - seen_.cpu_system_s;
  row.rss = used.rss;
  row.tx = sent - sent_;
  row.rx = received - received_;
  if (!interface_.empty()) {
    const InterfaceBytes counted = interface_bytes(interface_);
    row.nic_tx = counted.tx - counted_.tx;
    row.nic_rx = counted.rx - counted_.rx;
    counted_ = counted;
  }
  seen_ = used;
  sent_ = sent;
  received_ = received;
  return row;
}

}  // namespace foretrain::exec
