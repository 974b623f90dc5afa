// The keys of a scenario's faults.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/scenario.h"

namespace foretrain {

template <class Visitor, Described<FaultSpec> T>
void describe(Visitor& visit, T& fault) {
  visit.field({.key = "at",
               .doc = "so long after the training began",
               .above = 0,
               .most = 1e6,
               .required = true},
              fault.at);
  visit.field({.key = "kill",
               .doc = "the process of this node ends: worker1, server0",
               .written = !fault.kill.empty()},
              fault.kill);
  visit.field({.key = "restart_after",
               .doc = "kill: so long after it another process takes this node's place, where the "
                      "strategy takes it back, or training.rejoin_limit waits for it",
               .least = 0,
               .most = 1e6,
               .used = !fault.kill.empty(),
               .unused_because = "only who is killed is started again",
               .written = fault.restart_after.has_value()},
              fault.restart_after);
  visit.field(
      {.key = "join", .doc = "this worker begins only then", .written = !fault.join.empty()},
      fault.join);
  visit.field({.key = "stop",
               .doc = "the process of this node stands still",
               .written = !fault.stop.empty()},
              fault.stop);
  visit.field({.key = "cut",
               .doc = "simulate, run --emulate: nothing moves between the hosts of these two nodes",
               .written = !fault.cut.empty()},
              fault.cut);
  visit.field({.key = "one_way",
               .doc = "cut: what the second node's host sends the first one's still arrives",
               .used = !fault.cut.empty(),
               .unused_because = "only cut has two ways",
               .written = fault.one_way},
              fault.one_way);
  visit.field({.key = "slow",
               .doc = "simulate, run --emulate: the link of this node's host is slower",
               .written = !fault.slow.empty()},
              fault.slow);
  const bool slow = !fault.slow.empty();
  visit.field({.key = "to",
               .doc = "slow: share of its rate that the link keeps, 1 %",
               .above = 0,
               .most = 1,
               .required = true,
               .used = slow,
               .unused_because = "only slow says how fast a link still is",
               .written = slow,
               .share = true},
              fault.to);
  const bool lasts = slow || !fault.stop.empty() || !fault.cut.empty();
  visit.field({.key = "for",
               .doc = "stop, cut, slow: how long it lasts",
               .above = 0,
               .most = 1e6,
               .required = true,
               .used = lasts,
               .unused_because = "only stop, cut, slow come to an end",
               .written = lasts},
              fault.lasting);
}

}  // namespace foretrain
