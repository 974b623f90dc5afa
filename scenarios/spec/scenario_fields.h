// The keys of a scenario file.
#pragma once

#include "models/protocol/registry.h"
#include "scenarios/language/field.h"
#include "scenarios/language/scalars.h"
#include "scenarios/spec/cluster_fields.h"
#include "scenarios/spec/dataset_fields.h"
#include "scenarios/spec/fault_fields.h"
#include "scenarios/spec/framework_fields.h"
#include "scenarios/spec/model_fields.h"
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
}

template <class Visitor, Described<Scenario> T>
void describe_data(Visitor& visit, T& scenario) {
  const Field dataset{.key = "dataset", .doc = "what is learned from"};
  if (!scenario.model.profiled()) return visit.section(dataset, scenario.dataset);
  CountedDataset counted{scenario.dataset};
  visit.section(dataset, counted);
  if constexpr (!std::is_const_v<T>) scenario.dataset = counted.spec;
}

template <class Visitor, Described<Scenario> T>
void describe(Visitor& visit, T& scenario) {
  visit.field({.key = "name", .doc = "name; left out: that of the file"}, scenario.name);
  visit.field(
      {.key = "question", .doc = "the question that it answers, for readers", .lines = true},
      scenario.question);
  visit.field({.key = "seed", .doc = "seed of all random numbers but the data set's"},
              scenario.seed);
  visit.section({.key = "model",
                 .doc = "what is trained: a network by name, a list of layers, a profile",
                 .shorthand = "name",
                 .list_shorthand = "layers"},
                scenario.model);
  describe_data(visit, scenario);
  visit.section({.key = "training", .doc = "how it is trained; one of steps, epochs, updates"},
                scenario.training);
  visit.section({.key = "cluster",
                 .doc = "the machines of the forecast; left out: this machine",
                 .written = !scenario.cluster.hosts.empty()},
                scenario.cluster);
  visit.section({.key = "transport",
                 .doc = "tuning of processes and sockets of a run",
                 .written = scenario.transport != TransportSpec{}},
                scenario.transport);
  describe_checkpoint(visit, scenario);
  visit.field({.key = "numerics",
               .doc = "simulate: compute real gradients; off (always for a profile): only times"},
              scenario.numerics);
  visit.section({.key = "framework",
                 .doc = "simulate: overhead of another program; left out: none",
                 .written = scenario.framework != FrameworkSpec{},
                 .library = "frameworks"},
                scenario.framework);
  visit.list({.key = "stragglers",
              .doc = "slows the compute of gradients, or pauses workers",
              .written = !scenario.stragglers.empty()},
             scenario.stragglers);
  visit.list({.key = "faults",
              .doc = "single events: nodes that die, stop or lose their connection",
              .written = !scenario.faults.empty()},
             scenario.faults);
  visit.list({.key = "neighbours",
              .doc = "simulate: other trainings that share hosts and network",
              .written = !scenario.colocated_jobs.empty()},
             scenario.colocated_jobs);
}

}  // namespace foretrain
