// The keys of a training that say when a node is lost, who waits for it.
#pragma once

#include "models/protocol/registry.h"
#include "scenarios/describe/field.h"
#include "scenarios/scenario.h"

#include <string_view>

namespace foretrain {

template <class Visitor, Described<TrainingSpec> T>
void describe_losses(Visitor& visit, T& training) {
  const Protocol* protocol = find_protocol(training.strategy);
  visit.field({.key = "silence_limit",
               .doc = "a node that says nothing for so long, beyond the longest pause, is lost",
               .least = 0.1,
               .most = 3600},
              training.silence_limit);
  const bool waits = protocol == nullptr || protocol->several_workers;
  visit.field({.key = "rejoin_limit",
               .doc = "so long others wait for a lost node that they cannot go on without; 0: not",
               .least = 0,
               .most = 1e6,
               .used = waits,
               .unused_because = "nobody is left to wait for its worker; run --max-restarts begins "
                                 "again from the newest checkpoint",
               .written = training.rejoin_limit.ns > 0},
              training.rejoin_limit);
}

}  // namespace foretrain
