// The hosts on which a run starts its nodes through ssh.
#pragma once

#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The hosts of `run --hosts`. The launcher and the record stay on this machine; every node is a
/// process on its host, started by a separate ssh (remote_node.h).
struct SshHosts {
  std::vector<std::string> slots;  ///< host of each node, as ssh knows it; workers first
  std::vector<std::string> ssh;    ///< program and options; a host and a command follow
  std::string address;             ///< address of this machine for the hosts

  /// For the record: `hosts a, b over ssh`.
  [[nodiscard]] std::string describe() const;
};

/// `named`: HOST, or HOST:N for N nodes on it. `ssh`: a program that takes ssh's options, possibly
/// followed by the user's options, separated by spaces. `address`: if empty, the address by which
/// this machine reaches the first host that is known here, or loopback if all are this machine.
/// nullopt if no host is named. @throws InputError (no host, no program, no address)
std::optional<SshHosts> read_hosts(const std::vector<std::string>& named, const std::string& ssh,
                                   const std::string& address);

/// Checks that there is a slot for each node of every case, and that this process is not a
/// launcher's task. @throws InputError that says how many slots to name
void check_hosts(const std::vector<Case>& cases, const SshHosts& hosts);

}  // namespace foretrain::exec
