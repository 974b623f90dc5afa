// A described cluster as virtual networks of this machine.
#pragma once

#include "exec/emulation/network_namespace.h"
#include "exec/usage/interface.h"
#include "scenarios/spec/scenario.h"

#include <cstddef>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The interface of every emulated host that leads to the switch.
inline constexpr const char* kHostInterface = "eth0";

/// Makes every host of a cluster a network namespace, connected by a pair of virtual interfaces to
/// a bridge in a separate namespace: the machine's network is not touched, and its addresses do not
/// matter. Traffic from a host, and from the switch to it, passes a token bucket (`tc` tbf) with
/// the rate of `nic:`; netem adds `latency:` in both directions. A host's loopback is not shaped:
/// messages within the host use it, and so does the connection to the launcher.
///
/// Everything disappears with this object, or with the process, however it ends
/// (network_namespace.h). One thread.
class Emulation {
 public:
  /// @throws InputError if it cannot be made: no root, no iproute2, hosts that cannot be shaped
  explicit Emulation(const ClusterSpec& cluster);

  [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }
  /// The network of a host; hosts are numbered from 0 with `count:` expanded.
  [[nodiscard]] const NetworkNamespace& network(std::size_t host) const { return hosts_[host]; }
  [[nodiscard]] static std::string address(std::size_t host);
  /// Drops, or no longer drops, everything that host `from` sends to `to`.
  void set_cut(std::size_t from, std::size_t to, bool cut);
  /// Sets the rate of the host's port to this share, in both directions.
  void set_pace(std::size_t host, double share);
  /// Bytes that have passed the host's interface so far.
  [[nodiscard]] InterfaceBytes counted(std::size_t host) const;

 private:
  void wire(const std::string& ip);
  void shape(const std::string& tc);

  std::vector<HostSpec> specs_;  // by host
  NetworkNamespace switch_;
  std::vector<NetworkNamespace> hosts_;
};

}  // namespace foretrain::exec
