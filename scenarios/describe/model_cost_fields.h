// The keys of what a model costs on a machine.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/machine.h"

namespace foretrain {

template <class Visitor, Described<AffineCost> T>
void describe(Visitor& visit, T& cost) {
  visit.field({.key = "overhead",
               .doc = "time however small the count",
               .least = 0,
               .most = 1e6,
               .required = true,
               .seconds = true},
              cost.overhead_s);
  visit.field({.key = "per_item",
               .doc = "time that each item adds",
               .least = 0,
               .most = 1e6,
               .required = true,
               .seconds = true},
              cost.per_item_s);
}

template <class Visitor, Described<BatchTime> T>
void describe(Visitor& visit, T& row) {
  visit.field({.key = "examples", .doc = "of the batch", .least = 1, .most = 1e7, .required = true},
              row.examples);
  visit.field({.key = "time", .doc = "of its gradient", .least = 0, .most = 1e6, .required = true},
              row.time);
}

/// What other work on the machine costs it; the keys stand among those of the model.
template <class Visitor, Described<ModelCost> T>
void describe_company(Visitor& visit, T& model) {
  visit.field({.key = "contention",
               .doc = "its compute takes this times as long while another core computes; 0: as "
                      "the machine's",
               .least = 0,
               .most = 1e3,
               .written = model.contention > 0},
              model.contention);
  visit.field({.key = "contended",
               .doc = "and a gradient longer by that, however small: its parameters come from a "
                      "memory that others use",
               .least = 0,
               .most = 1e6,
               .written = model.contended.ns > 0},
              model.contended);
  visit.field({.key = "cache_pollution",
               .doc = "its compute takes this times as long where it comes back to a core on which "
                      "another thread computed",
               .least = 1,
               .most = 1e3,
               .written = model.cache_pollution > 1},
              model.cache_pollution);
  visit.field({.key = "streaming",
               .doc = "a byte of its messages takes this times as long as the machine says: its "
                      "parameters lie in memory, not in a cache",
               .least = 1,
               .most = 1e3,
               .written = model.streaming != 1},
              model.streaming);
  visit.field({.key = "crossing",
               .doc = "likewise of messages from one core to another of the same host; 0: as "
                      "streaming",
               .least = 0,
               .most = 1e3,
               .written = model.crossing > 0},
              model.crossing);
}

template <class Visitor, Described<ModelCost> T>
void describe(Visitor& visit, T& model) {
  visit.list({.key = "gradient_times",
              .doc = "instead of gradient: a table over batch sizes, ascending",
              .written = !model.gradient_times.empty()},
             model.gradient_times);
  const bool tabled = !model.gradient_times.empty();
  visit.section({.key = "gradient",
                 .doc = "of a batch, by examples",
                 .required = true,
                 .used = !tabled,
                 .unused_because = "gradient_times says it too"},
                model.gradient);
  visit.section(
      {.key = "evaluate", .doc = "of a part of the test set, by examples", .required = true},
      model.evaluate);
  visit.field({.key = "gradient_jitter",
               .doc = "standard deviation of the logarithm of a gradient's time",
               .least = 0,
               .most = 1},
              model.gradient_jitter);
  const auto known = [](const AffineCost& cost) { return cost != AffineCost{}; };
  visit.section(
      {.key = "apply",
       .doc = "applying its updates after a gradient, by bytes; left out: as the machine's",
       .written = known(model.apply)},
      model.apply);
  visit.section({.key = "scattered",
                 .doc = "likewise of a sparse push, which lies all over the parameters",
                 .written = known(model.scattered)},
                model.scattered);
  visit.section({.key = "merged",
                 .doc = "likewise of several sparse pushes at once; left out: as scattered",
                 .written = known(model.merged)},
                model.merged);
  visit.section({.key = "coding",
                 .doc = "making, or reading, a message of sparse updates, by its bytes",
                 .written = known(model.coding)},
                model.coding);
  visit.field({.key = "growth",
               .doc = "of gradient: examples ^ growth x per_item; above 1: a larger batch leaves "
                      "the caches",
               .least = 1,
               .most = 3,
               .used = !tabled,
               .unused_because = "gradient_times says it too",
               .written = model.growth != 1},
              model.growth);
  describe_company(visit, model);
  visit.field({.key = "checked_batch",
               .doc = "a third batch size that was measured, no part of the fit",
               .least = 0,
               .most = 1e7,
               .written = model.checked_batch > 0},
              model.checked_batch);
  visit.field({.key = "residual",
               .doc = "what the fit says of checked_batch over what was measured, less 1",
               .least = -1,
               .most = 1e6,
               .used = model.checked_batch > 0,
               .unused_because = "no batch was checked",
               .written = model.checked_batch > 0},
              model.residual);
}

}  // namespace foretrain
