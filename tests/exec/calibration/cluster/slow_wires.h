// Emulated hosts with a given rate, a given latency, for kernels without traffic shaping.
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

/// Networks that a process joins: packets of a host pass its port to the switch, then the port of
/// the other host, each with the given rate and latency. A port holds 1 MB, then drops packets.
/// Packets of 1500 bytes take the time of 1538, as on Ethernet.
class SlowWires {
 public:
  /// @throws std::exception if this machine cannot create such networks
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
