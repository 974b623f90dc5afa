// The keys of a model's costs on a machine.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/machine.h"

namespace foretrain {

template <class Visitor, Described<AffineCost> T>
void describe(Visitor& visit, T& cost) {
  visit.field({.key = "overhead",
               .doc = "time in addition to that of the items; left out: none",
               .least = 0,
               .most = 1e6,
               .written = cost.overhead_s > 0,
               .seconds = true},
              cost.overhead_s);
  visit.field({.key = "per_item",
               .doc = "additional time of each item",
               .least = 0,
               .most = 1e6,
               .required = true,
               .seconds = true},
              cost.per_item_s);
}

template <class Visitor, Described<BatchTime> T>
void describe(Visitor& visit, T& row) {
  visit.field({.key = "examples",
               .doc = "number of examples of the batch",
               .least = 1,
               .most = 1e7,
               .required = true},
              row.examples);
  visit.field(
      {.key = "time", .doc = "time of its gradient", .least = 0, .most = 1e6, .required = true},
      row.time);
}

template <class Visitor, Described<ModelCost> T>
void describe(Visitor& visit, T& model) {
  visit.list({.key = "gradient_times",
              .doc = "instead of gradient: a table over batch sizes, ascending",
              .written = !model.gradient_times.empty()},
             model.gradient_times);
  const bool tabled = !model.gradient_times.empty();
  visit.section({.key = "gradient",
                 .doc = "time of the gradient of a batch, by examples",
                 .required = true,
                 .used = !tabled,
                 .unused_because = "gradient_times gives it, too"},
                model.gradient);
  visit.section({.key = "evaluate",
                 .doc = "time to evaluate a part of the test set, by examples",
                 .required = true},
                model.evaluate);
  visit.field({.key = "gradient_jitter",
               .doc = "standard deviation of the logarithm of a gradient's time",
               .least = 0,
               .most = 1},
              model.gradient_jitter);
  const auto known = [](const AffineCost& cost) { return cost != AffineCost{}; };
  visit.section({.key = "apply",
                 .doc = "time to apply its updates, by bytes; left out: apply of the machine",
                 .written = known(model.apply)},
                model.apply);
  visit.section({.key = "sparse_apply",
                 .doc = "time to apply its sparse pushes, whose parameters are scattered, by bytes",
                 .written = known(model.sparse_apply)},
                model.sparse_apply);
  visit.section({.key = "coding",
                 .doc = "time to encode or decode a message of sparse updates, by its bytes",
                 .written = known(model.coding)},
                model.coding);
  visit.field({.key = "checked_batch",
               .doc = "the middle one of the measured batch sizes",
               .least = 0,
               .most = 1e7,
               .written = model.checked_batch > 0},
              model.checked_batch);
  visit.field({.key = "residual",
               .doc = "relative error of the fit at checked_batch, against the measured time",
               .least = -1,
               .most = 1e6,
               .used = model.checked_batch > 0,
               .unused_because = "no batch was checked",
               .written = model.checked_batch > 0},
              model.residual);
}

}  // namespace foretrain
