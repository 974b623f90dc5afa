// The hosts on which a run starts its nodes through ssh.
#pragma once

#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// What `run --hosts` names. The launcher stays on this machine, so does the record; every node is
/// a process of its host, started by an ssh of its own (remote_node.h).
struct SshHosts {
  std::vector<std::string> slots;  ///< of each node the host, as ssh knows it; workers first
  std::vector<std::string> ssh;    ///< the program, its options; a host and a command follow
  std::string address;             ///< of this machine, where the hosts reach it

  /// For the record: `hosts a, b over ssh`.
  [[nodiscard]] std::string describe() const;
};

/// `named`: HOST or HOST:N each, N nodes on it. `ssh`: a program that takes ssh's options, behind
/// it options of the user's, spaces between. `address` empty: that by which this machine reaches
/// the first of them that is known here; loopback where all are this machine. Nothing, where no
/// host is named. @throws InputError (no host, no program, no address)
std::optional<SshHosts> read_hosts(const std::vector<std::string>& named, const std::string& ssh,
                                   const std::string& address);

/// There is a slot for each node of every case, and nobody has started this process as a task.
/// @throws InputError that says how many slots to name
void check_hosts(const std::vector<Case>& cases, const SshHosts& hosts);

}  // namespace foretrain::exec
