// Gradients as means over several batches: their stages, their values.
#include "models/cost/job_placement.h"
#include "models/networks/registry.h"
#include "models/protocol/gradient_stages.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace foretrain {
namespace {
using testing::run_shuffled;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

std::shared_ptr<Training> accumulating(const std::string& strategy, int workers, int servers,
                                       int batch_size, int accumulate) {
  const Bytes bucket_size{strategy == "single" ? 1'000'000 : 4'000};
  auto training = small_training(strategy, workers, servers, 6, bucket_size);
  training->batch_size = batch_size;
  training->accumulate = accumulate;
  set_option(training->options, "staleness", std::int64_t{0});
  set_option(training->options, "local_steps", std::int64_t{2});
  return training;
}

/// Three layers, large enough to be separate stages.
std::shared_ptr<Training> deep_training(int accumulate) {
  auto training = accumulating("sync", 2, 2, 8, accumulate);
  NetworkOptions options;
  options.hidden = {480, 360};
  training->network =
      std::make_shared<const Network>(network_spec("mlp", options), training->data->train->shape());
  training->layout =
      std::make_shared<Layout>(make_layout(training->network->parameters(), Bytes{10'000}, 2));
  return training;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return most;
}

TEST_CASE("accumulate: the first batch waits for values, the last completes buckets") {
  const auto training = deep_training(3);
  const auto once = gradient_stages(*deep_training(1));
  const auto stages = gradient_stages(*training);
  REQUIRE(once.size() > 2);
  REQUIRE(stages.size() > 4);
  std::vector<std::uint32_t> needs;
  std::vector<std::uint32_t> buckets;
  std::vector<double> shares(3);
  std::vector<int> begun(3);
  for (const GradientStage& stage : stages) {
    CHECK_FALSE(runs_inline(stage.cost));
    const auto batch = static_cast<std::size_t>(stage.batch);
    shares.at(batch) += stage.share;
    CHECK(stage.stage == begun.at(batch)++);
    if (batch > 0) CHECK(stage.needs.empty());
    if (batch < 2) CHECK(stage.buckets.empty());
    if (batch == 0) CHECK(stage.summed.value == 0);
    needs.insert(needs.end(), stage.needs.begin(), stage.needs.end());
    buckets.insert(buckets.end(), stage.buckets.begin(), stage.buckets.end());
  }
  for (const double share : shares) CHECK(share == Approx(1));
  CHECK(begun[0] > 1);   // the forward pass begins before all values have arrived
  CHECK(begun[1] == 1);  // no messages in or out
  CHECK(begun[2] > 1);
  std::ranges::sort(buckets);
  CHECK(buckets.size() == training->layout->buckets.size());
  CHECK(std::ranges::adjacent_find(buckets) == buckets.end());
  CHECK(needs == buckets);
}

struct Shape {
  std::string strategy;
  int workers;
  int servers;
};

TEST_CASE("accumulate: four batches of 8 are one of 32 but for rounding") {
  const auto shape =
      GENERATE(Shape{"single", 1, 0}, Shape{"sync", 3, 2}, Shape{"ssp", 2, 1}, Shape{"async", 1, 1},
               Shape{"all_reduce", 3, 0}, Shape{"local_sgd", 3, 0});
  const double clip = GENERATE(0.0, 0.5);
  CAPTURE(shape.strategy, clip);
  const auto large = accumulating(shape.strategy, shape.workers, shape.servers, 32, 1);
  const auto parts = accumulating(shape.strategy, shape.workers, shape.servers, 8, 4);
  large->optimizer_spec.clip_norm = parts->optimizer_spec.clip_norm = clip;
  const Shuffled expected = run_shuffled(large, 1);
  const Shuffled found = run_shuffled(parts, 2);
  CHECK(found.updates == expected.updates);
  CHECK(found.gradients == expected.gradients);
  CHECK(found.bytes_sent == expected.bytes_sent);
  CHECK(largest_difference(found.weights, expected.weights) < 1e-5);
  CHECK(found.weights != expected.weights);  // because of another order of additions
  REQUIRE(found.steps.size() == expected.steps.size());
  REQUIRE(found.evals.size() == expected.evals.size());
  CHECK(found.evals.back().loss == Approx(expected.evals.back().loss).epsilon(1e-5));
  double losses = 0;
  for (const StepReport& step : found.steps) losses += step.loss;
  for (const StepReport& step : expected.steps) losses -= step.loss;
  CHECK(losses == Approx(0).margin(1e-4));  // a step has the mean loss of its batches
}

TEST_CASE("accumulate: overlap on or off, any order of messages end with the same bits") {
  const auto overlapped = deep_training(3);
  const auto joined = deep_training(3);
  joined->overlap = false;
  const Shuffled expected = run_shuffled(joined, 1);
  CHECK(run_shuffled(joined, 2).weights == expected.weights);
  CHECK(run_shuffled(overlapped, 3).weights == expected.weights);
}

TEST_CASE("accumulate: who goes on from any cut takes the batches that come next") {
  const auto shape =
      GENERATE(Shape{"single", 1, 0}, Shape{"sync", 3, 1}, Shape{"sync", 2, 2}, Shape{"ssp", 2, 2},
               Shape{"all_reduce", 3, 0}, Shape{"local_sgd", 3, 0});
  CAPTURE(shape.strategy, shape.workers, shape.servers);
  const auto plain = accumulating(shape.strategy, shape.workers, shape.servers, 8, 3);
  const Shuffled expected = run_shuffled(plain, 1);
  const auto training = std::make_shared<Training>(*plain);
  training->checkpoint.steps = 2;
  const Shuffled kept = run_shuffled(training, 2);
  CHECK(kept.weights == expected.weights);
  REQUIRE(!kept.kept.cuts.empty());
  for (const auto& [cut, states] : kept.kept.cuts) {
    CAPTURE(cut);
    CHECK(run_shuffled(training, 3, &states).weights == expected.weights);
  }
}

}  // namespace
}  // namespace foretrain
