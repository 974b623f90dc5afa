// What the nodes of a simulated training share: time, cores, network, costs.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/training.h"
#include "scenarios/machine.h"
#include "scenarios/scenario.h"
#include "sim/cpu/cpu.h"
#include "sim/cpu/job_time.h"
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
  std::unique_ptr<JobTime> job_time;
  TransportCost transport;
  Duration slice;
  Bytes memory_base;  ///< of a node's process
};

/// Where a node lives.
struct Place {
  std::size_t host = 0;
  int core = 0;
  int threads = 1;  ///< that compute: on this core, on the ones after it
};

/// A message on its way.
struct Mail {
  NodeId from{};
  NodeId to{};
  Message message;
};

/// Built from a scenario: its cluster, or, where it has none, this machine with everything on its
/// loopback. Nodes of a host are pinned to its cores round robin, as a run pins them.
struct World {
  World(const Scenario& scenario, const Training& training, const MachineLookup& machines);

  Engine engine;
  std::vector<Host> hosts;
  std::unique_ptr<Network> network;  ///< null on loopback
  std::vector<Place> places;         ///< by node
  Slots<Mail> mail;
  Effects effects;  ///< memory for those of a node that is fed
  /// Of each node's process, before it holds anything; by node.
  [[nodiscard]] std::vector<Bytes> memory_bases() const;
  std::string machine_name;
  std::string uncalibrated;  ///< machines whose compute is described, not measured; may be empty

 private:
  void note(const Machine& machine, const JobTime& job_time);
  void add_host(const std::string& name, int cores, const Machine* machine,
                const std::string& model, std::optional<Duration> compute);
};

}  // namespace foretrain::sim
