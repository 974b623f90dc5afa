#include "scenarios/resolve/node_counts.h"

#include "models/protocol/registry.h"

namespace foretrain {

NodeCounts node_counts(const Scenario& scenario) {
  const Protocol& protocol = protocol_called(scenario.training.strategy);
  return {protocol.several_workers ? scenario.training.workers : 1,
          protocol.servers ? scenario.training.servers : 0};
}

}  // namespace foretrain
