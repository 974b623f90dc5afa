// State that all nodes of a simulation share: time, hosts with their cores, the network.
#pragma once

#include "models/protocol/node.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/spec/machine.h"
#include "sim/cpu/cpu.h"
#include "sim/engine/engine.h"
#include "sim/engine/slots.h"
#include "sim/history/recorder.h"
#include "sim/network/fabric.h"
#include "sim/world/fold.h"
#include "sim/world/host_machine.h"
#include "sim/world/work_pool.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::sim {

/// A simulated host.
struct Host {
  std::string name;
  std::shared_ptr<Cpu> cpu;        ///< the host's own; emulated hosts share this machine's
  TransportCost one_core;          ///< costs of messages between nodes on one of its cores
  TransportCost local;             ///< costs of messages within the host, between its cores
  TransportCost remote;            ///< costs of messages from and to other hosts
  Duration slice;                  ///< time slice of a thread while another waits for its core
  Bytes memory_base;               ///< of a node's process
  int simd = 0;                    ///< floats per register of its kernels
  std::shared_ptr<Caches> caches;  ///< of `cpu`; null if every access hits
  DiskCost disk{};                 ///< costs of checkpoints, from its machine file
  Instant disk_free{};             ///< its disk is busy until then
  std::shared_ptr<Cpu> devices{};  ///< its accelerators, a core each; null if there are none
  bool device_links = false;       ///< messages between devices take time
  bool rdma = false;               ///< messages between hosts with RDMA cost no core anything
};

class Mailbox;

/// A message in transit.
struct Mail {
  NodeId from{};
  NodeId to{};
  const Mailbox* sender = nullptr;  ///< the process of `from` that sent it
  Mailbox* receiver = nullptr;      ///< the process of `to` that it was sent to
  Message message;
  Instant coming;           ///< earliest arrival of its first packet at the receiver's host
  ActivityId activity = 0;  ///< of the history: the last activity of this message
};

/// A variation of the plain simulation: other speeds of resources, a log of all activities.
struct Variant {
  TimeFactors time_factors;
  History* history = nullptr;  ///< the log; null if there is none
};

/// Built from a case. Without a cluster, all nodes run on this machine and talk over loopback.
struct World {
  /// `emulated`: the hosts of the cluster are network namespaces of this machine and share its
  /// cores. `cores`: number of this machine's cores that the simulation may use. `fold`: if not
  /// empty, nodes of the first host are simulated for those of all others.
  World(const Prepared& prepared, bool emulated, const MachineLookup& machines,
        const Variant& variant = {}, int cores = 1, std::optional<Fold> fold = {});

  Engine engine;
  TimeFactors time_factors;
  Recorder history;
  std::vector<Host> hosts;
  std::unique_ptr<Fabric> fabric;  ///< null on loopback
  std::optional<Fold> fold;        ///< empty if all hosts are simulated
  bool real_cores = false;         ///< nodes run on the cores of this machine, as in a run
  std::unique_ptr<WorkPool> pool;  ///< null unless gradients are computed on several cores
  Slots<Mail> mail;
  Effects effects;  ///< buffer for the effects of the node that handles an input

 private:
  [[nodiscard]] std::vector<bool> serving_hosts(const Prepared& prepared) const;
  struct Cores {
    std::shared_ptr<Cpu> cpu;
    std::shared_ptr<Caches> caches;
  };
  [[nodiscard]] Cores make_cores(int cores, const Machine& machine);
  Host& add_host(const std::string& name, const Cores& cores, const Machine& machine);
};

}  // namespace foretrain::sim
