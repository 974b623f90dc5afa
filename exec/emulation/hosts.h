// The hosts of a run: this machine as it is, or emulated hosts of a cluster.
#pragma once

#include "exec/emulation/emulation.h"
#include "scenarios/resolve/prepared.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Host and cores of a node's process.
struct PlacedNode {
  std::string role;  ///< worker0, ..., server0, ...
  std::size_t host = 0;
  std::string host_name;
  std::vector<int> cores;  ///< of this machine, one per thread
};

/// Places of all nodes. The cores of hosts are mapped to `cores` round robin: emulated hosts share
/// them.
std::vector<PlacedNode> placed_nodes(const Prepared& prepared, const std::vector<int>& cores);

/// A launcher's interface to the hosts, emulated or not. One thread.
class Hosts {
 public:
  /// This machine as one host, or the emulated hosts of `cluster`. @throws InputError if that fails
  Hosts(const ClusterSpec& cluster, bool emulate) {
    if (emulate) emulation_.emplace(cluster);
  }

  [[nodiscard]] std::size_t count() const { return emulation_ ? emulation_->hosts() : 1; }
  /// Calls `work` in the network of a host: sockets and processes that it creates belong there.
  void enter(std::size_t host, const std::function<void()>& work) const;
  /// Address at which nodes of other hosts reach this host; the launcher is on every loopback.
  [[nodiscard]] std::string address(std::size_t host) const;
  /// The interface that leads to other hosts; empty if they share a loopback.
  [[nodiscard]] std::string interface() const { return emulation_ ? kHostInterface : ""; }
  /// For emulated hosts only: as in Emulation.
  void set_cut(std::size_t from, std::size_t to, bool cut) {
    emulation_.value().set_cut(from, to, cut);
  }
  void set_pace(std::size_t host, double share) { emulation_.value().set_pace(host, share); }
  /// Bytes so far; negative without such an interface.
  [[nodiscard]] InterfaceBytes counted(std::size_t host) const;
  /// For the record: `this machine`, or the numbers of emulated hosts and of cores.
  [[nodiscard]] std::string describe(std::size_t cores) const;

 private:
  std::optional<Emulation> emulation_;
};

}  // namespace foretrain::exec
