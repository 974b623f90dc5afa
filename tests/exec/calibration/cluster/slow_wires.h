// Hosts of this machine whose wires have a rate, a latency, whatever queues its kernel knows.
#pragma once

#include "exec/emulation/network_namespace.h"
#include "models/base/quantity.h"
#include "models/base/time.h"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::testing {

/// Networks that are joined by a process: what a host sends passes its port to the switch and that
/// of the other host, each as fast as the rate, as late as the latency. A port holds 1 MB, then
/// drops. Packets of 1500 bytes take the time of 1538, as those of Ethernet do.
class SlowWires {
 public:
  /// @throws std::exception where this machine makes no such networks
  SlowWires(std::size_t hosts, BytesPerSecond rate, Duration latency);
  SlowWires(const SlowWires&) = delete;
  SlowWires& operator=(const SlowWires&) = delete;
  ~SlowWires();

  void enter(std::size_t host, const std::function<void()>& work) const {
    networks_.at(host).enter(work);
  }
  [[nodiscard]] static std::string address(std::size_t host);

 private:
  std::vector<exec::NetworkNamespace> networks_;
  std::vector<int> devices_;
  pid_t switch_ = 0;
};

}  // namespace foretrain::testing
