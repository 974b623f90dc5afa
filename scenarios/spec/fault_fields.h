// The keys of faults, stragglers, checkpoints.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/scenario.h"

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

template <class Visitor, Described<StragglerSpec> T>
void describe_trace(Visitor& visit, T& straggler) {
  visit.field(
      {.key = "trace",
       .doc = "a CSV file of step times: each, over their mean, is the factor of a gradient",
       .written = !straggler.trace.empty()},
      straggler.trace);
  visit.field({.key = "column",
               .doc = "trace: the name of the one with the times; left out: the last",
               .used = !straggler.trace.empty(),
               .unused_because = "only a trace has columns",
               .written = !straggler.column.empty()},
              straggler.column);
}

template <class Visitor, Described<StragglerSpec> T>
void describe(Visitor& visit, T& straggler) {
  visit.field({.key = "workers",
               .doc = "whom it concerns: indices from 0, or all",
               .least = 0,
               .most = kNodesMax},
              straggler.workers);
  visit.field({.key = "slowdown",
               .doc = "constant factor of the time of a gradient",
               .above = 0,
               .most = 1e6},
              straggler.slowdown);
  visit.field({.key = "distribution",
               .doc = "random factor of mean 1, drawn for each gradient",
               .choices = {"exponential", "shifted_exponential", "lognormal", "pareto"},
               .written = !straggler.distribution.empty()},
              straggler.distribution);
  const std::string& drawn = straggler.distribution;
  visit.field({.key = "shift",
               .doc = "shifted_exponential: the least factor",
               .least = 0,
               .most = 1,
               .required = true,
               .used = drawn == "shifted_exponential",
               .unused_because = "only distribution shifted_exponential has a shift"},
              straggler.shift);
  visit.field({.key = "sigma",
               .doc = "lognormal: standard deviation of the logarithm",
               .least = 0,
               .most = 10,
               .required = true,
               .used = drawn == "lognormal",
               .unused_because = "only distribution lognormal has a sigma"},
              straggler.sigma);
  visit.field({.key = "shape",
               .doc = "pareto: exponent of the tail; its mean is finite above 1",
               .above = 1,
               .most = 1e6,
               .required = true,
               .used = drawn == "pareto",
               .unused_because = "only distribution pareto has a shape"},
              straggler.shape);
  visit.field({.key = "pause",
               .doc = "stops the worker's process for this long, again and again",
               .above = 0,
               .most = 1e6,
               .written = straggler.pause.ns > 0},
              straggler.pause);
  visit.field({.key = "every",
               .doc = "pause: mean time from the end of one to the next, exponential",
               .above = 0,
               .most = 1e6,
               .required = true,
               .used = straggler.pause.ns > 0,
               .unused_because = "only a pause comes every so often"},
              straggler.every);
  describe_trace(visit, straggler);
}

template <class Visitor, Described<CheckpointSpec> T>
void describe(Visitor& visit, T& checkpoint) {
  visit.field({.key = "every",
               .doc = "how often each node keeps its state: 500 steps of a worker, or 60 s",
               .required = true},
              checkpoint.every);
  visit.field({.key = "keep",
               .doc = "so many of the newest stay in the run's folder",
               .least = 1,
               .most = 1e6},
              checkpoint.keep);
  visit.field({.key = "write_rate",
               .doc = "simulate: bytes of a node's part that its disk takes, copying and hash "
                      "included; left out: as the host's machine says, else 4.8 Gbps",
               .above = 0,
               .written = checkpoint.write_rate.value > 0},
              checkpoint.write_rate);
  visit.field({.key = "write_latency",
               .doc = "simulate: what a part takes beside its bytes; left out: as the host's "
                      "machine says, else 3 ms",
               .least = 0,
               .most = 60,
               .written = checkpoint.write_latency.has_value()},
              checkpoint.write_latency);
}

template <class Visitor, Described<Scenario> T>
void describe_checkpoint(Visitor& visit, T& scenario) {
  visit.section({.key = "checkpoint",
                 .doc = "the states of all nodes are kept, so that run --resume goes on from them",
                 .written = scenario.checkpoint != CheckpointSpec{},
                 .shorthand = "every"},
                scenario.checkpoint);
}

}  // namespace foretrain
