// A training in virtual time.
#pragma once

#include "reports/record/record.h"
#include "scenarios/resolve/prepared.h"
#include "sim/world/world.h"

#include <functional>
#include <memory>
#include <span>

namespace foretrain::sim {

inline constexpr std::size_t kMostUsageRows = 10'000;        // per node
inline constexpr std::size_t kMostUsageRowsOfAll = 2 << 20;  // over all nodes: 150 MB

struct SimulateOptions {
  MachineLookup machines;
  /// True: as with `run --emulate`, hosts are network namespaces of this machine, share its cores,
  /// and have the costs of its calibration. False: the cluster that the scenario describes.
  bool emulated = false;
  /// Interval of rows of usage.csv, in virtual time; no rows if zero. Doubled whenever a node has
  /// more than kMostUsageRows, or all together more than kMostUsageRowsOfAll.
  Duration usage_interval{100'000'000};
  /// Other speeds of resources, and a log of all activities.
  Variant variant;
  /// Inputs of a run of the case. If set, jobs take the times that it recorded instead of the
  /// machine's (sim/cpu/recorded_times.h). They outlive the simulation.
  std::span<const InputRow> recorded{};
  /// Wraps each node's program, except neighbours', to observe its inputs and effects.
  std::function<std::unique_ptr<Node>(NodeId, std::unique_ptr<Node>)> around{};
  /// Number of this machine's cores that compute; the record does not depend on it.
  int cores = 1;
  /// Simulate all hosts, even those that are alike (sim/world/fold.h).
  bool whole = false;
  /// Store no rows of steps and usage, only totals of the steps.
  bool summary_only = false;
  /// Polled regularly; true ends the simulation with the record so far.
  std::function<bool()> interrupted;
  /// Called regularly with the steps done by all workers, the planned steps, virtual time, and the
  /// record so far with its evaluations; totals, nodes and outcome are filled in at the end.
  std::function<void(std::int64_t done, std::int64_t all, Instant now, const Record& so_far)>
      progress;
};

/// Simulates one case: the node programs of a run in modelled time. The record is a function of the
/// case and the machines alone. `prepared`: with the data that `need_of_simulation` names.
/// @throws InputError
Record simulate(const Prepared& prepared, const SimulateOptions& options);

}  // namespace foretrain::sim
