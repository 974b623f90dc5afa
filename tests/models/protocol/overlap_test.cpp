// Buckets sent while others are computed: stages of a gradient, equal weights.
#include "models/cost/job_placement.h"
#include "models/networks/registry.h"
#include "models/protocol/gradient_stages.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

namespace {

// Three layers, large enough to be separate stages; bucket bounds differ from layer bounds.
std::shared_ptr<Training> deep_training(const std::string& strategy, int workers, int servers) {
  auto training = small_training(strategy, workers, servers, 4);
  NetworkOptions options;
  options.hidden = {480, 360};
  training->network =
      std::make_shared<const Network>(network_spec("mlp", options), training->data->train->shape());
  const std::int64_t parameters = training->network->parameters();
  const Bytes size{10'000};
  training->layout =
      std::make_shared<Layout>(servers > 0 ? make_layout(parameters, size, servers)
                                           : make_round_robin_layout(parameters, size, workers));
  training->dense = servers == 0;
  return training;
}

}  // namespace

TEST_CASE("overlap: the stages of a gradient hold every layer once and every bucket once") {
  const auto training = deep_training("sync", 2, 2);
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() > 1);
  const std::size_t layers = training->network->layers().size();
  std::size_t forward = 0;
  std::size_t last = layers;
  std::vector<std::uint32_t> buckets;
  std::vector<std::uint32_t> needs;
  double share = 0;
  const std::vector<std::size_t> begins = part_begins(stages);
  CHECK(std::ranges::is_sorted(begins));
  const auto begins_with = [&](std::size_t layer) {
    return std::ranges::count(begins, layer) == 1;
  };
  for (const GradientStage& stage : stages) {
    CHECK((!stage.forward.empty() || !stage.backward.empty()));
    CHECK((stage.forward.empty() ||
           (begins_with(stage.forward.first) && begins_with(stage.forward.last))));
    CHECK((stage.backward.empty() ||
           (begins_with(stage.backward.first) && begins_with(stage.backward.last))));
    CHECK_FALSE(runs_inline(stage.cost));
    share += stage.share;
    if (!stage.forward.empty()) {
      CHECK(stage.forward.first == forward);
      forward = stage.forward.last;
    }
    needs.insert(needs.end(), stage.needs.begin(), stage.needs.end());
    // Everything that its layers read has been requested.
    if (forward < layers) {
      const Bucket& bucket = training->layout->buckets[needs.size()];
      CHECK(bucket.first >= training->network->first_parameter(forward));
    }
    if (stage.backward.empty()) continue;
    CHECK(forward == layers);
    CHECK(stage.backward.last == last);
    last = stage.backward.first;
    for (const std::uint32_t index : stage.buckets) {
      // Buckets contain only layers that are computed already.
      CHECK(training->layout->buckets[index].first >= training->network->first_parameter(last));
      buckets.push_back(index);
    }
  }
  CHECK(last == 0);
  CHECK(share == Approx(1));
  std::ranges::sort(buckets);
  CHECK(std::ranges::adjacent_find(buckets) == buckets.end());
  CHECK(buckets.size() == training->layout->buckets.size());
  CHECK(needs == buckets);
  CHECK(stages.front().needs.size() < needs.size());
}

TEST_CASE("overlap: one stage where nothing could leave sooner") {
  auto training = deep_training("sync", 2, 1);
  training->overlap = false;
  CHECK(gradient_stages(*training).size() == 1);
  training->overlap = true;
  training->optimizer_spec.clip_norm = 1;
  CHECK(gradient_stages(*training).size() == 1);
  CHECK(gradient_stages(*small_training("sync", 2, 1, 4)).size() == 1);
}

TEST_CASE("overlap: by DDP's rule a bucket leaves as a whole, and no forward pass begins early") {
  auto training = deep_training("all_reduce", 2, 0);
  std::vector<std::int64_t> tensors;
  for (const ParameterBlock& block : training->network->blocks()) tensors.push_back(block.count);
  training->layout = std::make_shared<Layout>(make_ddp_layout(tensors, {60'000}, {10'000}, 2));
  training->forward_waits = true;
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() > 1);
  CHECK(stages.front().needs.size() == training->layout->buckets.size());
  std::size_t seen = 0;
  for (const GradientStage& stage : stages) {
    for (const std::uint32_t index : stage.buckets) {
      const Bucket& bucket = training->layout->buckets[index];
      CHECK(bucket.leaves_with() >= training->network->first_parameter(stage.backward.first));
      ++seen;
    }
  }
  CHECK(seen == training->layout->buckets.size());
  Shuffled ddp(training, 1);
  ddp.run();
  REQUIRE(ddp.faults.empty());
  CHECK(ddp.finished == 2);
}

TEST_CASE("overlap: on or off the weights are the same bits in any order of arrival") {
  const std::string strategy = GENERATE("sync", "ssp", "all_reduce");
  CAPTURE(strategy);
  auto joined = deep_training(strategy, 3, strategy == "all_reduce" ? 0 : 2);
  joined->overlap = false;
  set_option(joined->options, "staleness", 0);
  Shuffled expected(joined, 1);
  expected.run();
  REQUIRE(expected.faults.empty());
  auto overlapped = std::make_shared<Training>(*joined);
  overlapped->overlap = true;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(overlapped, seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    CHECK(shuffled.finished == overlapped->nodes());
    CHECK(shuffled.weights == expected.weights);
  }
}

TEST_CASE("overlap: strategies without an order end in every order of arrival") {
  const std::string strategy = GENERATE("async", "ssp", "sync");
  CAPTURE(strategy);
  auto training = deep_training(strategy, 3, 2);
  set_option(training->options, "staleness", 1);
  if (strategy == "sync") set_option(training->options, "backup_workers", 1);
  training->updates = 6;
  for (std::uint64_t seed = 1; seed < 15; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    CHECK(shuffled.finished == training->nodes());
    CHECK(shuffled.steps.size() == 12);
  }
}
