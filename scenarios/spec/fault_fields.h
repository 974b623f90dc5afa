// The keys of faults, stragglers, checkpoints.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

template <class Visitor, Described<FaultSpec> T>
void describe(Visitor& visit, T& fault) {
  visit.field({.key = "at",
               .doc = "time after the start of the training",
               .above = 0,
               .most = 1e6,
               .required = true},
              fault.at);
  visit.field({.key = "kill",
               .doc = "kills the process of this node: worker1, server0",
               .written = !fault.kill.empty()},
              fault.kill);
  visit.field({.key = "restart_after",
               .doc = "kill: after this time a new process takes its place, if the strategy lets "
                      "it return or training.rejoin_limit waits for it",
               .least = 0,
               .most = 1e6,
               .used = !fault.kill.empty(),
               .unused_because = "only a killed node is restarted",
               .written = fault.restart_after.has_value()},
              fault.restart_after);
  visit.field({.key = "join",
               .doc = "this worker starts only at this time",
               .written = !fault.join.empty()},
              fault.join);
  visit.field({.key = "stop",
               .doc = "stops the process of this node for a while",
               .written = !fault.stop.empty()},
              fault.stop);
  visit.field({.key = "cut",
               .doc = "simulate, run --emulate: cuts the connection between the hosts of these two "
                      "nodes",
               .written = !fault.cut.empty()},
              fault.cut);
  visit.field({.key = "one_way",
               .doc = "cut: only from the first host to the second; the other direction works",
               .used = !fault.cut.empty(),
               .unused_because = "only cut has two directions",
               .written = fault.one_way},
              fault.one_way);
  visit.field({.key = "slow",
               .doc = "simulate, run --emulate: slows the link of this node's host",
               .written = !fault.slow.empty()},
              fault.slow);
  const bool slow = !fault.slow.empty();
  visit.field({.key = "to",
               .doc = "slow: remaining share of the rate, such as 1 %",
               .above = 0,
               .most = 1,
               .required = true,
               .used = slow,
               .unused_because = "only slow has a remaining rate",
               .written = slow,
               .share = true},
              fault.to);
  const bool lasts = slow || !fault.stop.empty() || !fault.cut.empty();
  visit.field({.key = "for",
               .doc = "stop, cut, slow: duration",
               .above = 0,
               .most = 1e6,
               .required = true,
               .used = lasts,
               .unused_because = "only stop, cut, slow have a duration",
               .written = lasts},
              fault.lasting);
}

template <class Visitor, Described<StragglerSpec> T>
void describe_trace(Visitor& visit, T& straggler) {
  visit.field({.key = "trace",
               .doc = "a CSV file of step times: each time divided by their mean is the slowdown "
                      "of a gradient",
               .written = !straggler.trace.empty()},
              straggler.trace);
  visit.field({.key = "column",
               .doc = "trace: name of the column with the times; left out: the last one",
               .used = !straggler.trace.empty(),
               .unused_because = "only a trace has columns",
               .written = !straggler.column.empty()},
              straggler.column);
}

template <class Visitor, Described<StragglerSpec> T>
void describe(Visitor& visit, T& straggler) {
  visit.field({.key = "workers",
               .doc = "workers affected: indices from 0, or all",
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
               .doc = "shifted_exponential: smallest factor",
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
               .doc = "pareto: exponent of the tail; above 1, so that the mean is finite",
               .above = 1,
               .most = 1e6,
               .required = true,
               .used = drawn == "pareto",
               .unused_because = "only distribution pareto has a shape"},
              straggler.shape);
  visit.field({.key = "pause",
               .doc = "pauses the worker's process for this long, repeatedly",
               .above = 0,
               .most = 1e6,
               .written = straggler.pause.ns > 0},
              straggler.pause);
  visit.field({.key = "every",
               .doc = "pause: mean time from the end of a pause to the next one (exponential "
                      "distribution)",
               .above = 0,
               .most = 1e6,
               .required = true,
               .used = straggler.pause.ns > 0,
               .unused_because = "only pause repeats"},
              straggler.every);
  describe_trace(visit, straggler);
}

template <class Visitor, Described<CheckpointSpec> T>
void describe(Visitor& visit, T& checkpoint) {
  visit.field({.key = "every",
               .doc = "how often each node saves its state: 500 steps of a worker, or 60 s",
               .required = true},
              checkpoint.every);
  visit.field({.key = "keep",
               .doc = "number of newest checkpoints that are kept in the run's folder",
               .least = 1,
               .most = 1e6},
              checkpoint.keep);
  visit.field({.key = "write_rate",
               .doc = "simulate: rate at which a node writes its part, copying and hash included; "
                      "left out: that of the host's machine, else 4.8 Gbps",
               .above = 0,
               .written = checkpoint.write_rate.value > 0},
              checkpoint.write_rate);
  visit.field({.key = "write_latency",
               .doc = "simulate: time of a part in addition to its bytes; left out: that of the "
                      "host's machine, else 3 ms",
               .least = 0,
               .most = 60,
               .written = checkpoint.write_latency.has_value()},
              checkpoint.write_latency);
}

template <class Visitor, Described<Scenario> T>
void describe_checkpoint(Visitor& visit, T& scenario) {
  visit.section({.key = "checkpoint",
                 .doc = "save the states of all nodes, so that run --resume can continue from them",
                 .written = scenario.checkpoint != CheckpointSpec{},
                 .shorthand = "every"},
                scenario.checkpoint);
}

}  // namespace foretrain
