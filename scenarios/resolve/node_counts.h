// Numbers of workers, servers of a scenario.
#pragma once

#include "scenarios/spec/scenario.h"

namespace foretrain {

struct NodeCounts {
  int workers = 1;
  int servers = 0;  ///< shards of the parameters

  [[nodiscard]] int nodes() const { return workers + servers; }
};

/// `training.workers` and `training.servers` as the strategy uses them: one worker or no server if
/// it does not use several. For a prepared case, `Training` has them.
NodeCounts node_counts(const Scenario& scenario);

}  // namespace foretrain
