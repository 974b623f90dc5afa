// The target of a training in a scenario, its errors.
#include "scenarios/spec/reference.h"
#include "tests/scenarios/messages.h"

#include <algorithm>

using namespace foretrain;

namespace {

std::string with(const std::string& training, const std::string& more = "") {
  return "foretrain: 1\nmodel: softmax\ntraining: {steps: 10, " + training + "}\n" + more;
}

}  // namespace

TEST_CASE("until: either target or both are read, kept by the resolved scenario") {
  const std::string given = GENERATE("{accuracy: 0.97}", "{loss: 0.2}", "{loss: 0.2, accuracy: 1}");
  const Scenario scenario = only(with("evaluate_every: 5, until: " + given));
  CHECK(scenario.training.until.wanted());
  CHECK(scenario.training.until.accuracy == (given.find("0.97") != given.npos ? 0.97
                                             : given.find("1}") != given.npos ? 1.0
                                                                              : 0.0));
  CHECK(scenario.training.until.loss == (given.find("loss") != given.npos ? 0.2 : 0.0));
  CHECK(only(to_yaml(scenario)) == scenario);
}

TEST_CASE("until: without a target nothing is written of one") {
  const Scenario scenario = only(with("evaluate_every: 5, until: null"));
  CHECK_FALSE(scenario.training.until.wanted());
  CHECK(to_yaml(scenario).find("until") == std::string::npos);
}

TEST_CASE("until: a sweep may vary it, or leave it out") {
  const auto cases = parse_scenario(
      with("evaluate_every: 5", "sweep: {training.until: [null, {loss: 0.5}]}"), "x.yaml");
  REQUIRE(cases.size() == 2);
  CHECK_FALSE(cases[0].scenario.training.until.wanted());
  CHECK(cases[1].scenario.training.until.loss == 0.5);
}

TEST_CASE("until: what cannot be is refused where it stands") {
  CHECK(scenario_error(with("until: {accuracy: 0.9}")) ==
        "x.yaml:3:30: training.until: the model is evaluated only at the end; write how often to "
        "evaluate "
        "it, such as evaluate_every: 100 (steps; with servers, updates), or 5000 examples");
  CHECK(scenario_error(with("evaluate_every: 5, until: {}")) ==
        "x.yaml:3:49: training.until.accuracy: missing; write accuracy: ... (the target is this "
        "share of correct test examples or more; or write loss)");
  CHECK(scenario_error(with("evaluate_every: 5, until: {accuracy: 0}")) ==
        "x.yaml:3:60: training.until.accuracy: 0 is out of range; write more than 0, up to 1");
  CHECK(scenario_error(with("evaluate_every: 5, until: {accuracy: 97}")) ==
        "x.yaml:3:60: training.until.accuracy: 97 is out of range; write more than 0, up to 1");
  CHECK(scenario_error(with("evaluate_every: 5, until: {loss: -0.1}")) ==
        "x.yaml:3:56: training.until.loss: -0.1 is out of range; write more than 0");
  CHECK_THAT(scenario_error(with("evaluate_every: 5, until: {acuracy: 0.9}")),
             Catch::EndsWith("did you mean training.until.accuracy?"));
}

TEST_CASE("until: the accuracy may be in per cent") {
  const auto accuracy = [](const std::string& text) {
    return only(with("evaluate_every: 5, until: {accuracy: " + text + "}")).training.until.accuracy;
  };
  CHECK(accuracy("97 %") == 0.97);
  CHECK(accuracy("97%") == accuracy("0.97"));
  CHECK(scenario_error(with("evaluate_every: 5, until: {accuracy: 970 %}")) ==
        "x.yaml:3:60: training.until.accuracy: 970 % is out of range; write more than 0 %, up to "
        "100 %");
  CHECK(scenario_error("foretrain: 1\ntraining: {batch_size: 97 %}\n") ==
        "x.yaml:2:24: training.batch_size: '97 %' is not a number; write a whole number");
}

TEST_CASE("until: where nothing is computed nothing can be reached") {
  CHECK(scenario_error(with("evaluate_every: 5, until: {loss: 1}", "numerics: off")) ==
        "x.yaml:3:49: training.until: numerics: off knows times alone, so a target cannot be "
        "reached; remove it (--set training.until=null), or write numerics: on");
  const std::string profile =
      "foretrain: 1\nmodel: {profile: layers.csv}\n"
      "training: {steps: 10, evaluate_every: 5, until: {loss: 1}}\n";
  CHECK(scenario_error(profile) ==
        "x.yaml:3:49: training.until: a profile has times alone, so a target cannot be reached; "
        "remove it");
}

TEST_CASE("until: the schema lists its keys") {
  const auto keys = scenario_keys();
  for (const char* key : {"training.until.accuracy", "training.until.loss"}) {
    CHECK(std::ranges::find(keys, key) != keys.end());
  }
}
