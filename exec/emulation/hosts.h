// The hosts of a run: this machine as it is, or the networks that it makes of a cluster.
#pragma once

#include "exec/emulation/emulation.h"
#include "scenarios/resolve/prepared.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Where a node's process lives.
struct Seat {
  std::string role;  ///< worker0, ..., server0, ...
  std::size_t host = 0;
  std::string host_name;
  std::vector<int> cores;  ///< of this machine, one a thread
};

/// Seats of all nodes. A core of a host that a node takes is one of
/// `cores`, round robin: emulated hosts share them.
std::vector<Seat> seats_of(const Prepared& prepared, const std::vector<int>& cores);

/// What a launcher asks of the hosts, emulated or not. One thread.
class Hosts {
 public:
  /// This machine, as one host; or those of `cluster`. @throws InputError where they cannot be made
  Hosts(const ClusterSpec& cluster, bool emulate) {
    if (emulate) emulation_.emplace(cluster);
  }

  [[nodiscard]] std::size_t count() const { return emulation_ ? emulation_->hosts() : 1; }
  /// Calls `work` in the network of a host: what it opens or starts belongs there.
  void enter(std::size_t host, const std::function<void()>& work) const;
  /// Where nodes of other hosts reach a node of this one; the launcher is on every loopback.
  [[nodiscard]] std::string address(std::size_t host) const;
  /// The interface that leads to other hosts; empty where they share their loopback.
  [[nodiscard]] std::string interface() const { return emulation_ ? kHostInterface : ""; }
  /// Emulated ones alone: Emulation's.
  void set_cut(std::size_t from, std::size_t to, bool cut) {
    emulation_.value().set_cut(from, to, cut);
  }
  void set_pace(std::size_t host, double share) { emulation_.value().set_pace(host, share); }
  /// Bytes so far; none without such an interface.
  [[nodiscard]] InterfaceBytes counted(std::size_t host) const;
  /// For the record: `this machine`, or what it emulates on how many cores.
  [[nodiscard]] std::string describe(std::size_t cores) const;

 private:
  std::optional<Emulation> emulation_;
};

}  // namespace foretrain::exec
