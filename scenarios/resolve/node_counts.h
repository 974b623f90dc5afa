// How many nodes of each role a scenario has.
#pragma once

#include "scenarios/spec/scenario.h"

namespace foretrain {

struct NodeCounts {
  int workers = 1;
  int servers = 0;  ///< shards of the parameters

  [[nodiscard]] int nodes() const { return workers + servers; }
};

/// What `training.workers`, `training.servers` come to by the strategy: one worker, no server where
/// it has none. Of what is prepared, `Training` has them.
NodeCounts node_counts(const Scenario& scenario);

}  // namespace foretrain
