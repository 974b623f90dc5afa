// What all nodes of a simulation share: time, hosts with their cores, the network.
#pragma once

#include "models/protocol/node.h"
#include "scenarios/machine.h"
#include "scenarios/scenario.h"
#include "sim/cpu/cpu.h"
#include "sim/driver/host_machine.h"
#include "sim/driver/slots.h"
#include "sim/engine/engine.h"
#include "sim/network/network.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain::sim {

/// A simulated host.
struct Host {
  std::string name;
  std::unique_ptr<Cpu> cpu;
  TransportCost transport;
  Duration slice;
  Bytes memory_base;    ///< of a node's process
  Instant disk_free{};  ///< its disk reads until then
};

/// A message on its way.
struct Mail {
  NodeId from{};
  NodeId to{};
  Message message;
};

/// Built from a scenario: its cluster, or, where it has none, this machine with everything on its
/// loopback.
struct World {
  /// `profiled`: the training's own times are those of a profile.
  World(const Scenario& scenario, bool profiled, const MachineLookup& machines);

  Engine engine;
  std::vector<Host> hosts;
  std::unique_ptr<Network> network;  ///< null on loopback
  Slots<Mail> mail;
  Effects effects;  ///< memory for those of a node that is fed

 private:
  void add_host(const std::string& name, int cores, const Machine& costs);
};

}  // namespace foretrain::sim
