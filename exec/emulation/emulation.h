// A described cluster as networks of this machine.
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

/// Every host of a cluster as a network namespace, wired by a pair of virtual interfaces to a
/// bridge in a namespace of its own: the machine's network is not touched, no address can be taken.
/// What leaves a host, and what the switch sends it, passes a token bucket (`tc` tbf) of the rate
/// of `nic:`; `latency:` is added by netem, in both directions. A host's loopback is not shaped:
/// messages within the host use it, so does the conversation with the launcher.
///
/// All of it goes with this object, or with the process, however that ends (network_namespace.h).
/// One thread.
class Emulation {
 public:
  /// @throws InputError where it cannot be made: no root, no iproute2, hosts that cannot be shaped
  explicit Emulation(const ClusterSpec& cluster);

  [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }
  /// Of a host, counted from 0 as expanded by `count:`.
  [[nodiscard]] const NetworkNamespace& network(std::size_t host) const { return hosts_[host]; }
  [[nodiscard]] static std::string address(std::size_t host);
  /// What the host sends the other, `to`, is lost from now on, or no more.
  void set_cut(std::size_t from, std::size_t to, bool cut);
  /// Its port has this share of its rate from now on, in both directions.
  void set_pace(std::size_t host, double share);
  /// What has passed the host's interface so far.
  [[nodiscard]] InterfaceBytes counted(std::size_t host) const;

 private:
  void wire(const std::string& ip);
  void shape(const std::string& tc);

  std::vector<HostSpec> specs_;  // by host
  NetworkNamespace switch_;
  std::vector<NetworkNamespace> hosts_;
};

}  // namespace foretrain::exec
