// What all nodes of a simulation share: time, hosts with their cores, the network.
#pragma once

#include "models/protocol/node.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/spec/machine.h"
#include "sim/cpu/cpu.h"
#include "sim/engine/engine.h"
#include "sim/engine/slots.h"
#include "sim/history/recorder.h"
#include "sim/network/fabric.h"
#include "sim/world/host_machine.h"
#include "sim/world/work_pool.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain::sim {

/// A simulated host.
struct Host {
  std::string name;
  std::shared_ptr<Cpu> cpu;  ///< of its own; of the machine that emulates it
  TransportCost one_core;    ///< messages between nodes of one of its cores
  TransportCost local;       ///< messages within the host, between its cores
  TransportCost remote;      ///< messages from, to other hosts
  Duration slice;
  Bytes memory_base;               ///< of a node's process
  int simd = 0;                    ///< floats of a register of its kernels
  std::shared_ptr<Caches> caches;  ///< of its own, or of the machine that emulates it; null: every
                                   ///< byte is there
  DiskCost disk{};                 ///< of checkpoints, as its machine says
  Instant disk_free{};             ///< its disk is busy until then
  std::shared_ptr<Cpu> devices{};  ///< its accelerators, a core each; null: it has none
  bool device_links = false;       ///< messages between them take time
  bool rdma = false;               ///< to, from others that have it no core moves messages
};

class Mailbox;

/// A message on its way.
struct Mail {
  NodeId from{};
  NodeId to{};
  const Mailbox* sender = nullptr;  ///< the process of `from` that sent it
  Mailbox* receiver = nullptr;      ///< the one of `to` that it was sent to
  Message message;
  Instant coming;           ///< its first packet could be at the receiver's host
  ActivityId activity = 0;  ///< of the history: what brought it so far
};

/// A simulation beside the plain one: as if some resources were faster; with its history.
struct Variant {
  TimeFactors time_factors;
  History* history = nullptr;  ///< null: none is kept
};

/// Built from a case: its cluster, or, where it has none, this machine with everything on its
/// loopback.
struct World {
  /// `emulated`: the hosts of the cluster are networks of this machine, whose cores they share.
  /// `cores`: of this machine, that the simulation may use.
  World(const Prepared& prepared, bool emulated, const MachineLookup& machines,
        const Variant& variant = {}, int cores = 1);

  Engine engine;
  TimeFactors time_factors;
  Recorder history;
  std::vector<Host> hosts;
  std::unique_ptr<Fabric> fabric;  ///< null on loopback
  bool real_cores = false;         ///< nodes are those of a run on this machine
  std::unique_ptr<WorkPool> pool;  ///< null: jobs have no work, or one core does all of it
  Slots<Mail> mail;
  Effects effects;  ///< memory for those of a node that is fed

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
