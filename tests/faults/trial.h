// A training under faults, checked against invariants.
#pragma once

#include "scenarios/resolve/case_data.h"

#include <cstdint>
#include <string>

namespace foretrain::faults {

/// The outcome of a trial.
struct Trial {
  std::string broken;         ///< violated invariant; empty if none
  std::string scenario;       ///< as a scenario file
  bool done = false;          ///< the training reached its end
  bool lost = false;          ///< a node was missing, at least for a while
  std::int64_t returned = 0;  ///< workers that came back
};

/// Draws a training of `strategy` with faults from the seed and simulates it with numerics, without
/// and with the faults. In addition to the rules for single nodes (invariants.h) it checks the
/// whole:
///
/// 1. It continues soon after the last fault until its end, or names a missing node that a fault
///    has lost (liveness.h). It never fails silently or hangs.
/// 2. A deterministic training ends with the same bits as without faults if nobody was lost or all
///    nodes restarted from a checkpoint.
/// 3. Every byte sent was received, is undeliverable, or is under way.
/// 4. The number of accepted gradients is updates x gradients per update.
/// 5. No two steps of a worker have the same number; all gradients of a shared quota are made.
/// 6. A training that resumes from a checkpoint of all nodes reaches its end (cuts.h).
///
/// If all nodes restart from a checkpoint, they are observed until then.
Trial try_faults(std::uint64_t seed, const std::string& strategy, DataSets& data_sets);

/// The same with kills of workers as the only faults, for a strategy that takes workers back or for
/// sync, which restarts with them, on one or two servers. Most killed workers are started again,
/// with sync all of them. The training has to reach its end, except with backups, if more workers
/// are away than it can spare.
Trial try_returns(std::uint64_t seed, const std::string& strategy, DataSets& data_sets);

/// The same with clogged links as the only faults.
Trial try_clogs(std::uint64_t seed, const std::string& strategy, DataSets& data_sets);

}  // namespace foretrain::faults
