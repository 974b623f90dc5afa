// The keys of a scenario's stragglers.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/scenario.h"

namespace foretrain {

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

}  // namespace foretrain
