// The keys of an optimizer.
#include "models/optimizers/optimizer.h"

#include "scenarios/resolve/read.h"
#include "scenarios/spec/reference.h"
#include "tests/scenarios/messages.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace foretrain;

namespace {

std::string text_of(const std::string& optimizer) {
  return "foretrain: 1\ntraining: {optimizer: {" + optimizer + "}}\n";
}

OptimizerSpec read_optimizer(const std::string& optimizer) {
  return only(text_of(optimizer)).training.optimizer;
}

std::string optimizer_complaint(const std::string& optimizer) {
  return scenario_error(text_of(optimizer));
}

}  // namespace

TEST_CASE("optimizer keys: every key reaches its member") {
  OptimizerSpec momentum;
  momentum.name = "momentum";
  momentum.learning_rate = 0.5;
  momentum.momentum = 0.8;
  momentum.nesterov = true;
  momentum.weight_decay = 0.1;
  momentum.penalty_in_loss = true;
  momentum.clip_norm = 5;
  momentum.biases = {.rate_factor = 2, .weight_decay = 0.2};
  momentum.schedule = {.kind = "step", .warmup = 10, .every = 100, .factor = 0.5};
  CHECK(read_optimizer(
            "name: momentum, learning_rate: 0.5, momentum: 0.8, nesterov: on, weight_decay: 0.1, "
            "biases: {rate_factor: 2, weight_decay: 0.2}, penalty_in_loss: on, clip_norm: 5, "
            "schedule: {kind: step, warmup: 10, every: 100, factor: 0.5}") == momentum);
  OptimizerSpec adam;
  adam.name = "adam";
  adam.learning_rate = 0.001;
  adam.beta1 = 0.8;
  adam.beta2 = 0.9;
  adam.epsilon = 0.1;
  adam.schedule = {.kind = "cosine", .examples = 1000, .floor = 0.1};
  CHECK(read_optimizer("name: adam, beta1: 0.8, beta2: 0.9, epsilon: 0.1, "
                       "schedule: {kind: cosine, examples: 1000, floor: 0.1}") == adam);
  OptimizerSpec adagrad;
  adagrad.name = "adagrad";
  adagrad.learning_rate = 0.01;
  adagrad.initial_accumulator = 0.1;
  CHECK(read_optimizer("name: adagrad, initial_accumulator: 0.1") == adagrad);
  OptimizerSpec ftrl;
  ftrl.name = "ftrl";
  ftrl.beta = 2;
  ftrl.l1 = 3;
  ftrl.l2 = 4;
  CHECK(read_optimizer("name: ftrl, beta: 2, l1: 3, l2: 4") == ftrl);
}

TEST_CASE("optimizer keys: the learning rate left out is the rule's own in each case of a sweep") {
  CHECK(read_optimizer("").learning_rate == 0.1);
  for (const std::string& name : optimizer_names()) {
    CHECK(read_optimizer("name: " + name).learning_rate == default_learning_rate(name));
    CHECK(read_optimizer("learning_rate: 0.7, name: " + name).learning_rate == 0.7);
  }
  const auto cases = parse_scenario(
      "foretrain: 1\nsweep: {training.optimizer.name: [adam, sgd, momentum]}\n", "x.yaml");
  REQUIRE(cases.size() == 3);
  CHECK(cases[0].scenario.training.optimizer.learning_rate == 0.001);
  CHECK(cases[1].scenario.training.optimizer.learning_rate == 0.1);
  CHECK(cases[2].scenario.training.optimizer.learning_rate == 0.01);
}

TEST_CASE("optimizer keys: the resolved scenario says them all to be read back") {
  for (const char* optimizer :
       {"name: sgd", "name: adam", "name: momentum, nesterov: on", "name: adagrad",
        "name: ftrl, l1: 1, learning_rate: 0.3", "weight_decay: 5e-4, penalty_in_loss: on",
        "name: adam, schedule: {kind: cosine, warmup: 5, examples: 100}",
        "schedule: {kind: step, every: 7, factor: 0.3}",
        "clip_norm: 1, biases: {rate_factor: 2}"}) {
    INFO(optimizer);
    const Scenario scenario = only(text_of(optimizer));
    const std::string yaml = to_yaml(scenario);
    INFO(yaml);
    CHECK(only(yaml) == scenario);
    CHECK(yaml.find("learning_rate: ") != std::string::npos);
    CHECK(yaml.find("rate_factor: ") != std::string::npos);
  }
}

TEST_CASE("optimizer keys: a key that the rule does not use is an error with its place") {
  CHECK(optimizer_complaint("beta1: 0.5") ==
        "x.yaml:2:31: training.optimizer.beta1: set to 0.5, but no case uses it (only adam has "
        "it); remove it");
  for (const char* optimizer :
       {"name: adam, momentum: 0.5", "name: sgd, nesterov: on", "name: ftrl, epsilon: 0.1",
        "name: sgd, initial_accumulator: 1", "name: adagrad, l1: 1", "name: adam, l2: 1",
        "name: sgd, beta: 2", "penalty_in_loss: on", "schedule: {every: 10}",
        "schedule: {kind: cosine, examples: 10, factor: 0.5}",
        "schedule: {kind: step, every: 10, floor: 0.5}", "schedule: {examples: 10}",
        "name: ftrl, schedule: {warmup: 10}",
        "name: ftrl, schedule: {kind: cosine, examples: 10}"}) {
    INFO(optimizer);
    CHECK(optimizer_complaint(optimizer).find("but no case uses it") != std::string::npos);
  }
}

TEST_CASE("optimizer keys: a schedule that one case of a sweep uses is fine") {
  const auto cases = parse_scenario(
      "foretrain: 1\ntraining: {optimizer: {schedule: {warmup: 10}}}\n"
      "sweep: {training.optimizer.name: [ftrl, sgd]}\n",
      "x.yaml");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].scenario.training.optimizer.schedule == ScheduleSpec{});
  CHECK(cases[1].scenario.training.optimizer.schedule.warmup == 10);
}

TEST_CASE("optimizer keys: a schedule misses what it cannot do without") {
  CHECK(optimizer_complaint("schedule: {kind: step}")
            .find("training.optimizer.schedule.every: missing; write every: ...") !=
        std::string::npos);
  CHECK(optimizer_complaint("schedule: {kind: cosine}")
            .find("training.optimizer.schedule.examples: missing; write examples: ...") !=
        std::string::npos);
}

TEST_CASE("optimizer keys: numbers that no training can have are refused") {
  for (const char* optimizer : {"name: momentum, momentum: 1",
                                "name: momentum, momentum: -0.1",
                                "name: adam, beta1: 1",
                                "name: adam, beta2: 1",
                                "name: adam, epsilon: 0",
                                "name: adagrad, epsilon: 0",
                                "name: adagrad, initial_accumulator: -1",
                                "name: ftrl, beta: 0",
                                "name: ftrl, l1: -1",
                                "name: ftrl, l2: -1",
                                "weight_decay: -1",
                                "clip_norm: -1",
                                "clip_norm: nan",
                                "biases: {rate_factor: -1}",
                                "biases: {weight_decay: -1}",
                                "schedule: {warmup: -1}",
                                "schedule: {kind: step, every: 0}",
                                "schedule: {kind: step, every: 1, factor: 0}",
                                "schedule: {kind: step, every: 1, factor: 1.5}",
                                "schedule: {kind: cosine, examples: 0}",
                                "schedule: {kind: cosine, examples: 1, floor: 2}"}) {
    INFO(optimizer);
    const std::string said = optimizer_complaint(optimizer);
    INFO(said);
    CHECK(said.find("x.yaml:2:") == 0);
    CHECK((said.find("is out of range") != std::string::npos ||
           said.find("is not a number") != std::string::npos));
  }
  CHECK(optimizer_complaint("schedule: {kind: cosin, examples: 1}").find("did you mean cosine?") !=
        std::string::npos);
  CHECK(optimizer_complaint("schedule: {warm_up: 1}").find("did you mean") != std::string::npos);
}

TEST_CASE("optimizer keys: the schema lists them without one being required") {
  const std::vector<std::string> keys = scenario_keys();
  for (const char* key :
       {"training.optimizer.nesterov", "training.optimizer.l1",
        "training.optimizer.biases.rate_factor", "training.optimizer.schedule.warmup"}) {
    CHECK(std::find(keys.begin(), keys.end(), key) != keys.end());
  }
}
