// One training under faults, held against what must not happen.
#pragma once

#include "scenarios/resolve/case_data.h"

#include <cstdint>
#include <string>

namespace foretrain::faults {

/// How a trial went.
struct Trial {
  std::string broken;         ///< what happened that may not; empty: nothing
  std::string scenario;       ///< as a file
  bool done = false;          ///< the training reached its end
  bool lost = false;          ///< without somebody, at least for a while
  std::int64_t returned = 0;  ///< workers that came back
};

/// Draws a training of `strategy` with faults from the seed, simulates it, with its numbers,
/// without and with the faults. Beside the invariants (invariants.h), of the whole:
///
/// 1. It goes on soon after the last fault, until its end, or says which node is missing, which a
///    fault has lost (liveness.h): never silently, never not at all.
/// 2. Where it is deterministic and nobody was lost, or all were set back, it ends with the bits
/// that
///    it has without faults.
/// 3. Every byte that was sent was received, could not be delivered, or is under way.
/// 4. Gradients that were accepted are updates x what an update takes.
/// 5. No two steps of a worker have one number, and of a shared quota all gradients are made.
/// 6. From each cut that all nodes have kept a training goes on to its end (cuts.h).
///
/// Where all are set back to a checkpoint the programs are watched until then.
Trial try_faults(std::uint64_t seed, const std::string& strategy, DataSets& data_sets);

/// The same of a strategy that takes workers back, or of sync, which is set back with them, on one
/// or two servers, where all that happens is that workers are killed, and most of them, of sync
/// all, are started again. It comes to its end, but where there are backups, of which more may be
/// away than it has.
Trial try_returns(std::uint64_t seed, const std::string& strategy, DataSets& data_sets);

/// The same where all that happens is that links are clogged.
Trial try_clogs(std::uint64_t seed, const std::string& strategy, DataSets& data_sets);

}  // namespace foretrain::faults
