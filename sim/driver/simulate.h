// A training in virtual time.
#pragma once

#include "reports/record/record.h"
#include "scenarios/resolve/prepared.h"
#include "sim/world/world.h"

#include <functional>
#include <memory>
#include <span>

namespace foretrain::sim {

inline constexpr std::size_t kMostUsageRows = 10'000;        // of a node
inline constexpr std::size_t kMostUsageRowsOfAll = 2 << 20;  // of all nodes: 150 MB

struct SimulateOptions {
  MachineLookup machines;
  /// As `run --emulate` has the cluster: its hosts are networks of this machine, they share its
  /// cores, and cost what its calibration says. Else: the cluster as the scenario describes it.
  bool emulated = false;
  /// Between rows of usage.csv, in virtual time; zero: none. Doubled whenever a node has more than
  /// kMostUsageRows, or all together more than kMostUsageRowsOfAll.
  Duration usage_interval{100'000'000};
  /// As if resources were faster; with a history.
  Variant variant;
  /// Inputs of a run of the case: its jobs take what that run recorded of them, not what the
  /// machine says (sim/cpu/recorded_times.h). They outlive the simulation.
  std::span<const InputRow> recorded{};
  /// Put around each node's program, but a neighbour's: who watches what it is told, what it wants
  /// done.
  std::function<std::unique_ptr<Node>(NodeId, std::unique_ptr<Node>)> around{};
  /// Of this machine, that jobs may be worked on. The record does not depend on it.
  int cores = 1;
  /// Keep no row of a step or of usage, but what the steps come to.
  bool summary_only = false;
  /// Asked now and then; true ends the simulation with the record so far.
  std::function<bool()> interrupted;
  /// Called now and then with the steps done by all workers, those to do, virtual time, and the
  /// record so far: its evaluations; totals, nodes and outcome come at the end.
  std::function<void(std::int64_t done, std::int64_t all, Instant now, const Record& so_far)>
      progress;
};

/// Simulates one case: the node programs of a run, with modelled time. The record is a function of
/// the case and the machines alone. `prepared`: with what `need_of_simulation` says.
/// @throws InputError
Record simulate(const Prepared& prepared, const SimulateOptions& options);

}  // namespace foretrain::sim
