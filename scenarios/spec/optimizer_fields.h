// The keys of an optimizer, with those of its schedule.
#pragma once

#include "models/optimizers/optimizer.h"
#include "scenarios/language/field.h"

#include <type_traits>

namespace foretrain {

template <class Visitor, Described<BiasSpec> T>
void describe(Visitor& visit, T& biases) {
  visit.field({.key = "rate_factor",
               .doc = "factor of the learning rate for biases; 0: biases are not trained",
               .least = 0,
               .most = 1e3},
              biases.rate_factor);
  visit.field({.key = "weight_decay",
               .doc = "L2 penalty on biases, as weight_decay is on weights",
               .least = 0,
               .most = 1e3},
              biases.weight_decay);
}

template <class Visitor, Described<ScheduleSpec> T>
void describe(Visitor& visit, T& schedule) {
  visit.field({.key = "kind",
               .doc = "how the learning rate decreases, by number of examples",
               .choices = schedule_names()},
              schedule.kind);
  visit.field({.key = "warmup",
               .doc = "number of examples over which the rate rises linearly from 0",
               .least = 0,
               .most = kCountMax},
              schedule.warmup);
  const bool step = schedule.kind == "step";
  const bool cosine = schedule.kind == "cosine";
  const std::string_view only_step = "only kind step changes in steps";
  const std::string_view only_cosine = "only kind cosine falls to a floor";
  visit.field({.key = "every",
               .doc = "step: number of examples between two changes",
               .least = 1,
               .most = kCountMax,
               .required = true,
               .used = step,
               .unused_because = only_step},
              schedule.every);
  visit.field({.key = "factor",
               .doc = "step: factor of each change",
               .above = 0,
               .most = 1,
               .used = step,
               .unused_because = only_step},
              schedule.factor);
  visit.field({.key = "examples",
               .doc = "cosine: number of examples over which the rate falls, warm-up included",
               .least = 1,
               .most = kCountMax,
               .required = true,
               .used = cosine,
               .unused_because = only_cosine},
              schedule.examples);
  visit.field({.key = "floor",
               .doc = "cosine: final share of the learning rate",
               .least = 0,
               .most = 1,
               .used = cosine,
               .unused_because = only_cosine},
              schedule.floor);
}

/// The keys that only some optimizers have.
template <class Visitor, Described<OptimizerSpec> T>
void describe_rule(Visitor& visit, T& optimizer) {
  const bool momentum = optimizer.name == "momentum";
  const bool adam = optimizer.name == "adam";
  const bool adagrad = optimizer.name == "adagrad";
  const bool ftrl = optimizer.name == "ftrl";
  const auto field = [](std::string_view key, std::string_view doc, double least, double most,
                        bool used, std::string_view because) {
    return Field{.key = key,
                 .doc = doc,
                 .least = least,
                 .most = most,
                 .used = used,
                 .unused_because = because};
  };
  // Below 1, or an average would never forget; above 0 in single precision, or 0 / 0 could occur.
  constexpr double kBelowOne = 0.999999;
  constexpr double kAboveZero = 1e-30;
  const std::string_view only_momentum = "only momentum has it";
  const std::string_view only_adam = "only adam has it";
  const std::string_view only_ftrl = "only ftrl has it";
  visit.field(field("momentum", "momentum: share of the last step that is added to the next", 0,
                    kBelowOne, momentum, only_momentum),
              optimizer.momentum);
  visit.field({.key = "nesterov",
               .doc = "momentum: use Nesterov's form",
               .used = momentum,
               .unused_because = only_momentum},
              optimizer.nesterov);
  visit.field(field("beta1", "adam: decay of the mean gradient", 0, kBelowOne, adam, only_adam),
              optimizer.beta1);
  visit.field(field("beta2", "adam: decay of the mean square", 0, kBelowOne, adam, only_adam),
              optimizer.beta2);
  visit.field(field("epsilon", "adam, adagrad: added to the root in the denominator", kAboveZero, 1,
                    adam || adagrad, "only adam, adagrad have it"),
              optimizer.epsilon);
  visit.field(field("initial_accumulator", "adagrad: initial value of the sum of squares", 0, 1e6,
                    adagrad, "only adagrad has it"),
              optimizer.initial_accumulator);
  visit.field(
      field("beta", "ftrl: added to the root in the denominator", kAboveZero, 1e6, ftrl, only_ftrl),
      optimizer.beta);
  visit.field(
      field("l1", "ftrl: L1 penalty: weights whose accumulated gradient is at most this are 0", 0,
            1e6, ftrl, only_ftrl),
      optimizer.l1);
  visit.field(field("l2", "ftrl: L2 penalty: pulls weights to 0", 0, 1e6, ftrl, only_ftrl),
              optimizer.l2);
}

template <class Visitor, Described<OptimizerSpec> T>
void describe(Visitor& visit, T& optimizer) {
  visit.field({.key = "name", .doc = "the update rule", .choices = optimizer_names()},
              optimizer.name);
  // While reading, the default is that of the named optimizer. While writing, the key is always
  // present.
  if constexpr (!std::is_const_v<T>) {
    optimizer.learning_rate = default_learning_rate(optimizer.name);
  }
  visit.field({.key = "learning_rate",
               .doc = "learning rate; left out: that of the rule",
               .above = 0,
               .most = 1e6},
              optimizer.learning_rate);
  describe_rule(visit, optimizer);
  visit.field({.key = "weight_decay",
               .doc = "L2 penalty: 0.5 x this x the sum of squared weights is added to the loss",
               .least = 0,
               .most = 1e3},
              optimizer.weight_decay);
  visit.section({.key = "biases", .doc = "settings for biases"}, optimizer.biases);
  visit.field({.key = "penalty_in_loss",
               .doc = "the reported loss includes the L2 penalty",
               .used = optimizer.weight_decay > 0 || optimizer.biases.weight_decay > 0,
               .unused_because = "without weight_decay there is no penalty"},
              optimizer.penalty_in_loss);
  visit.field({.key = "clip_norm",
               .doc = "largest norm of a worker's gradient; larger ones are scaled; 0: no limit",
               .least = 0,
               .most = 1e9},
              optimizer.clip_norm);
  visit.section({.key = "schedule",
                 .doc = "how the learning rate changes",
                 .used = optimizer.name != "ftrl",
                 .unused_because = "ftrl's rates decrease by themselves"},
                optimizer.schedule);
}

}  // namespace foretrain
