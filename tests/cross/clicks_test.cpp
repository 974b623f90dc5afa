// Sparse logistic regression learns drawn clicks, in both modes alike.
#include "scenarios/resolve/read.h"
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain::testing {
namespace {

Case clicks_case(const std::string& strategy, int workers, std::int64_t steps) {
  Case result = small_case(strategy, workers, steps);
  Scenario& scenario = result.scenario;
  scenario.model.name = "sparse_logistic";
  scenario.model.hash_bits = 16;
  scenario.dataset.format = "clicks";
  scenario.training.optimizer.name = "ftrl";
  scenario.training.optimizer.learning_rate = 0.1;
  return result;
}

TEST_CASE("clicks: a run over TCP ends with the weights of its simulation") {
  const std::string strategy = GENERATE("single", "sync", "all_reduce");
  CAPTURE(strategy);
  const Case scenario_case = clicks_case(strategy, 2, 20);
  const Record simulated = simulate(scenario_case);
  const Record real = real_run(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
  }
}

// As drawn_clicks.h states: half of the pairs right is chance level; no model can be right about
// all pairs, because the label is a random draw.
TEST_CASE("clicks: a vector for each field is trained over TCP as in its simulation") {
  const std::string strategy = GENERATE("single", "sync", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = clicks_case(strategy, 2, 20);
  Scenario& scenario = scenario_case.scenario;
  scenario.model = {};
  scenario.model.layers = {{.kind = "embedding", .units = 4},
                           {.kind = "dense", .units = 8},
                           {.kind = "relu"},
                           {.kind = "dense", .units = 1}};
  scenario.model.hash_bits = 12;
  scenario.training.servers = 2;
  scenario.training.optimizer.name = "adagrad";
  const Record simulated = simulate(scenario_case);
  const Record real = real_run(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
  }
  if (strategy != "sync") return;
  // A batch of 16 examples with 39 fields touches fewer rows of four numbers than exist.
  const Bytes all{4 * 4 << 12};
  CHECK(simulated.nodes[0].tx < all * 20);
}

TEST_CASE("clicks: vectors of the fields learn what is clicked") {
  Case scenario_case = clicks_case("single", 1, 10'000 / 16);
  Scenario& scenario = scenario_case.scenario;
  scenario.model = {};
  scenario.model.layers = {{.kind = "embedding", .units = 4},
                           {.kind = "dense", .units = 16},
                           {.kind = "relu"},
                           {.kind = "dense", .units = 1}};
  scenario.model.hash_bits = 16;
  scenario.dataset.take = 0;
  scenario.dataset.test_take = 0;
  scenario.training.optimizer.name = "adagrad";
  scenario.training.optimizer.learning_rate = 0.05;
  scenario.training.evaluate_every = 100;
  const Record record = simulate(scenario_case);
  CHECK(record.evals.front().auc < 0.65);
  CHECK(record.evals.back().auc > 0.68);
}

TEST_CASE("clicks: an epoch of the default data set teaches what is clicked but not all of it") {
  Case scenario_case = clicks_case("single", 1, 10'000 / 16);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.hash_bits = 18;
  scenario.training.optimizer.learning_rate = 0.5;
  scenario.dataset.take = 0;
  scenario.dataset.test_take = 0;
  scenario.dataset.seed = GENERATE(1u, 2u);
  CAPTURE(scenario.dataset.seed);
  scenario.training.evaluate_every = 20;
  const Record record = simulate(scenario_case);
  const auto [worst, best] =
      std::ranges::minmax(record.evals, {}, [](const EvalReport& eval) { return eval.auc; });
  CHECK(worst.auc < 0.7);
  CHECK(record.evals.back().auc > 0.75);
  CHECK(best.auc < 0.85);
  CHECK(record.evals.back().loss < worst.loss);
}

TEST_CASE("clicks: a scenario names the format and is told which keys it does not read") {
  const std::string text = "foretrain: 1\nmodel: sparse_logistic\ndataset: {format: clicks";
  const auto read = [&](const std::string& more) { return parse_scenario(text + more, "x"); };
  CHECK(read(", seed: 3, take: 50}\n").front().scenario.dataset.seed == 3);
  for (const char* key : {"path: here", "crop: 20", "flip: on", "side: 30", "memory_limit: 1 MB"}) {
    CAPTURE(key);
    CHECK_THROWS_WITH(read(std::string(", ") + key + "}\n"),
                      Catch::Contains("dataset." + std::string(key).substr(0, 4)));
  }
}

}  // namespace
}  // namespace foretrain::testing
