// Shared helpers for tests of the simulator's parts: actors, small clusters.
#pragma once

#include "scenarios/spec/scenario.h"
#include "sim/engine/engine.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace foretrain::testing {

/// Records when it is woken, by token; the last wake-up counts.
struct Ends : sim::Actor {
  void wake(Instant now, std::uint64_t token) override {
    if (token >= at.size()) at.resize(token + 1);
    at[token] = now;
  }
  std::vector<Instant> at;
};

/// Runs actions at given instants.
struct Later : sim::Actor {
  void wake(Instant /*now*/, std::uint64_t token) override { what.at(token)(); }
  void add(sim::Engine& engine, Instant at, std::function<void()> action) {
    engine.schedule(at, {this, what.size()});
    what.push_back(std::move(action));
  }
  void add(sim::Engine& engine, Duration after_begin, std::function<void()> action) {
    add(engine, Instant{} + after_begin, std::move(action));
  }
  std::vector<std::function<void()>> what;
};

/// Equal hosts node0, node1, ... around a switch, each with a link of this `latency`.
inline ClusterSpec star_of(int hosts, BytesPerSecond nic, Duration latency, bool tcp) {
  ClusterSpec cluster;
  cluster.hosts.resize(1);
  cluster.hosts[0].name = "node";
  cluster.hosts[0].count = hosts;
  cluster.hosts[0].nic = nic;
  cluster.hosts[0].latency = latency;
  cluster.tcp = tcp;
  return cluster;
}

}  // namespace foretrain::testing
