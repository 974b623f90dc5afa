// The keys of a training: its nodes, its length, its optimizer.
#pragma once

#include "models/protocol/registry.h"
#include "scenarios/language/field.h"
#include "scenarios/language/scalars.h"
#include "scenarios/spec/optimizer_fields.h"
#include "scenarios/spec/protocol_fields.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/spec/travel_fields.h"

namespace foretrain {

std::vector<std::string> strategy_names();

template <class Visitor, Described<InitSpec> T>
void describe(Visitor& visit, T& init) {
  visit.field({.key = "from",
               .doc = "weights to start from: a .safetensors file, as run --save writes it",
               .written = !init.from.empty()},
              init.from);
  visit.field({.key = "kind",
               .doc = "distribution of all initial weights; left out: that of the network's source",
               .choices = initializer_names(),
               .used = init.from.empty(),
               .unused_because = "from gives the initial weights",
               .written = !init.kind.empty()},
              init.kind);
}

template <class Visitor, Described<Target> T>
void describe(Visitor& visit, T& target) {
  visit.field({.key = "loss",
               .doc = "the target is this test loss or less, in nats",
               .above = 0,
               .written = target.loss > 0},
              target.loss);
  visit.field({.key = "accuracy",
               .doc = "the target is this share of correct test examples or more; or write loss",
               .above = 0,
               .most = 1,
               .required = !std::is_const_v<T> && target.loss == 0,  // not of the schema
               .written = target.accuracy > 0},
              target.accuracy);
}

/// The length of the training: one of these keys gives it.
template <class Visitor, Described<TrainingSpec> T>
void describe_length(Visitor& visit, T& training) {
  visit.field({.key = "steps",
               .doc = "length: gradients of each worker",
               .least = 1,
               .most = kCountMax,
               .written = training.steps > 0},
              training.steps);
  visit.field({.key = "epochs",
               .doc = "length: passes over the training examples, by all workers together",
               .above = 0,
               .most = 1e6,
               .written = training.epochs > 0},
              training.epochs);
  visit.field({.key = "updates",
               .doc = "length: updates of the parameters",
               .least = 1,
               .most = kCountMax,
               .written = training.updates > 0},
              training.updates);
  visit.field({.key = "tokens",
               .doc = "length of a network that reads text: tokens of all workers, such as 100B; "
                      "8 steps are simulated, and stand for all",
               .least = 1,
               .most = 1e18,
               .written = training.tokens > 0,
               .prefixed = true},
              training.tokens);
}

/// The memory of a counted network's devices.
template <class Visitor, Described<TrainingSpec> T>
void describe_memory(Visitor& visit, T& training) {
  visit.field(
      {.key = "recompute",
       .doc = "of a network known by its shape: activations that the backward pass computes "
              "again: none; selective: all but products and attention; full: all of a block",
       .choices = {"none", "selective", "full"},
       .written = training.recompute != TrainingSpec{}.recompute},
      training.recompute);
  visit.field({.key = "master_weights",
               .doc = "of a network known by its shape: below 32 bits, updates use a copy of the "
                      "parameters in 32 bits",
               .written = training.master_weights != TrainingSpec{}.master_weights},
              training.master_weights);
}

template <class Visitor, Described<TrainingSpec> T>
void describe(Visitor& visit, T& training) {
  visit.field({.key = "strategy", .doc = "how the workers cooperate", .choices = strategy_names()},
              training.strategy);
  const Protocol* protocol = find_protocol(training.strategy);
  const bool workers = protocol == nullptr || protocol->several_workers;
  const bool servers = protocol == nullptr || protocol->servers;
  visit.field({.key = "workers",
               .doc = "number of nodes that compute gradients",
               .least = 1,
               .most = kNodesMax,
               .used = workers,
               .unused_because = "this strategy has one worker"},
              training.workers);
  visit.field({.key = "servers",
               .doc = "number of nodes that hold the parameters, a shard each",
               .least = 1,
               .most = kNodesMax,
               .used = servers,
               .unused_because = "this strategy has no servers"},
              training.servers);
  describe_options(visit, protocol, training.protocol);
  visit.field({.key = "batch_size", .doc = "batch size of each worker", .least = 1, .most = 1e7},
              training.batch_size);
  visit.field({.key = "accumulate",
               .doc = "batches per gradient: a worker computes them one after another and "
                      "exchanges their mean",
               .least = 1,
               .most = kAccumulateMax,
               .written = training.accumulate != 1},
              training.accumulate);
  describe_length(visit, training);
  visit.field({.key = "threads",
               .doc = "number of threads that a worker computes with",
               .least = 1,
               .most = 256},
              training.threads);
  visit.section({.key = "init",
                 .doc = "initial weights; left out: random, as in the network's source",
                 .written = training.init != InitSpec{},
                 .shorthand = "kind"},
                training.init);
  visit.section({.key = "optimizer", .doc = "how a gradient changes the parameters"},
                training.optimizer);
  StepsOrExamples every{training.evaluate_every, training.evaluate_by_examples};
  visit.field({.key = "evaluate_every",
               .doc = "distance between evaluations: steps (100; with servers, updates), or "
                      "training examples of all workers (5000 examples), which is independent of "
                      "the batch size; 0: only at the end",
               .least = 0,
               .most = kCountMax},
              every);
  if constexpr (!std::is_const_v<T>) {
    training.evaluate_every = every.count;
    training.evaluate_by_examples = every.examples;
  }
  visit.section({.key = "until",
                 .doc = "target: the training stops when an evaluation of the chief reaches it",
                 .written = training.until.wanted()},
                training.until);
  describe_losses(visit, training);
  describe_travel(visit, training);
  describe_memory(visit, training);
}

}  // namespace foretrain
