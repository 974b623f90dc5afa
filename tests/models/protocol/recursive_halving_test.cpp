// Sums by recursive halving: grouped messages, message counts, invalid messages.
#include "models/protocol/recursive_halving.h"

#include "models/networks/registry.h"
#include "models/protocol/all_reduce.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace foretrain {
namespace {

using testing::Shuffled;
using testing::small_training;

GradientStage stage_of(std::vector<std::uint32_t> buckets) {
  GradientStage stage;
  stage.buckets = std::move(buckets);
  return stage;
}

// Large enough for a gradient in stages.
std::shared_ptr<Training> staged_training(int workers, Bytes chunk) {
  auto training = small_training("all_reduce", workers, 0, 3);
  training->dense = true;
  NetworkOptions options;
  options.hidden = {480, 360};
  training->network =
      std::make_shared<const Network>(network_spec("mlp", options), training->data->train->shape());
  training->layout = std::make_shared<Layout>(
      make_round_robin_layout(training->network->parameters(), chunk, workers));
  training->small_share = {1'000'000};
  return training;
}

TEST_CASE("halving: deals that leave with one stage go together, other buckets alone") {
  const Layout layout = make_round_robin_layout(16, {4}, 4);  // four deals of four
  const std::vector<GradientStage> stages{stage_of({10, 11, 12, 13, 14, 15}),
                                          stage_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})};
  const auto units = recursive_halving_units(layout, stages, 4);
  std::vector<BucketRun> runs;
  for (const RecursiveHalvingUnit& unit : units) {
    CHECK(unit.owner == layout.buckets[unit.run.first].shard);
    runs.push_back(unit.run);
  }
  CHECK(runs == std::vector<BucketRun>{{0, 4}, {4, 4}, {8, 1}, {9, 1}, {10, 1}, {11, 1}, {12, 4}});
  CHECK(largest_of_halving(layout, stages, 4) == Bytes{2 * 4});
}

TEST_CASE("halving: three quarters of a deal that leave with one stage go together") {
  const Layout layout = make_round_robin_layout(32, {4}, 8);  // four deals of eight
  const auto units = recursive_halving_units(
      layout,
      std::vector{stage_of({14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}),
                  stage_of({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})},
      8);
  std::vector<BucketRun> runs;
  for (const RecursiveHalvingUnit& unit : units) {
    CHECK(unit.owner == layout.buckets[unit.run.first].shard);
    runs.push_back(unit.run);
  }
  CHECK(runs == std::vector<BucketRun>{{2, 6}, {8, 6}, {14, 1}, {15, 1}, {16, 8}, {24, 6}});
}

TEST_CASE("halving: buckets of two collectives do not go together") {
  Layout layout = make_round_robin_layout(8, {4}, 4);
  layout.buckets[2].with = 2;
  layout.buckets[3].with = 2;
  const auto units =
      recursive_halving_units(layout, std::vector{stage_of({0, 1, 2, 3, 4, 5, 6, 7})}, 4);
  REQUIRE(units.size() == 5);
  CHECK(units.back().run == BucketRun{4, 4});
}

TEST_CASE("halving: of a unit some workers own nothing") {
  const RecursiveHalvingUnit deal{{8, 4}, 0};
  CHECK(deal.owned_by(0, 2) == BucketRun{8, 2});
  CHECK(deal.owned_by(2, 2) == BucketRun{10, 2});
  const RecursiveHalvingUnit single{{9, 1}, 3};
  CHECK(single.owned_by(2, 2) == BucketRun{9, 1});
  CHECK(single.owned_by(0, 2).empty());
}

// A worker's own buckets alone would be forwarded unchanged; here everything depends on the order
// of turns.
TEST_CASE("halving: where stages cut deals the weights are the same in any order of arrival") {
  const int workers = GENERATE(4, 8);
  const Bytes chunk{GENERATE(10'000, 250'000)};
  CAPTURE(workers, chunk.value);
  const auto training = staged_training(workers, chunk);
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() > 1);
  const auto units = recursive_halving_units(*training->layout, stages, workers);
  const auto is_single = [](const RecursiveHalvingUnit& unit) { return unit.run.count == 1; };
  REQUIRE(std::ranges::any_of(units, is_single));
  REQUIRE((chunk.value > 10'000 || !std::ranges::all_of(units, is_single)));
  const auto is_part = [&](const RecursiveHalvingUnit& unit) {
    return !is_single(unit) && static_cast<int>(unit.run.count) < workers;
  };
  REQUIRE((chunk.value > 10'000 || std::ranges::any_of(units, is_part)));
  std::vector<float> first;
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    CAPTURE(seed);
    const Shuffled shuffled = testing::run_shuffled(training, seed);
    if (first.empty()) first = shuffled.weights;
    CHECK(shuffled.weights == first);
  }
  // Without stages, whole deals travel together, with the same order of each sum.
  training->overlap = false;
  CHECK(testing::run_shuffled(training, 1).weights == first);
}

/// The reactions of one of four workers to single messages.
class Listener {
 public:
  Listener() : worker_(training_, NodeId(0)) {
    worker_.handle({}, Started{}, effects_);
    compute();
  }

  [[nodiscard]] bool refuses(NodeId from, const Message& message) {
    effects_.clear();
    worker_.handle({}, Received{from, message}, effects_);
    return effects_.size() == 1 && std::holds_alternative<Fault>(effects_.front());
  }
  /// Executes its jobs and the jobs that follow.
  void compute() {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      auto* asked = std::get_if<Compute>(&effects_[i]);
      if (asked == nullptr) continue;
      const JobId id = asked->job.id;
      Effects more;
      worker_.handle({}, Computed{id, {}}, more);
      for (Effect& effect : more) effects_.push_back(std::move(effect));
    }
  }
  [[nodiscard]] Message message(MessageKind kind, BucketRun run, std::int64_t step = 0) const {
    Message made{.kind = kind, .step = {step}, .bucket = run.first};
    made.payload = Payload::sized({4 * training_->layout->count_in(run)});
    return made;
  }
  /// Its last sent messages: receiver, first bucket.
  [[nodiscard]] std::set<std::pair<NodeId, std::uint32_t>> sent() const {
    std::set<std::pair<NodeId, std::uint32_t>> all;
    for (const Effect& effect : effects_) {
      if (const auto* send = std::get_if<Send>(&effect))
        all.emplace(send->to, send->message.bucket);
    }
    return all;
  }

 private:
  static std::shared_ptr<Training> sizes() {
    auto training = small_training("all_reduce", 4, 0, 4);
    training->dense = true;
    training->numerics = false;
    training->layout = std::make_shared<Layout>(
        make_round_robin_layout(training->network->parameters(), {8'000}, 4));
    return training;
  }

  std::shared_ptr<Training> training_ = sizes();
  AllReduceWorker worker_;
  Effects effects_;
};

TEST_CASE(
    "halving: a worker sends half of what it holds, then what it has got, and hears no other") {
  using enum MessageKind;
  Listener zero;
  CHECK(zero.sent() == std::set<std::pair<NodeId, std::uint32_t>>{{NodeId(2), 2}});
  CHECK(zero.refuses(NodeId(3), zero.message(partial, {0, 2})));     // two bits away
  CHECK(zero.refuses(NodeId(2), zero.message(partial, {2, 2})));     // from the other worker's half
  CHECK(zero.refuses(NodeId(2), zero.message(partial, {0, 1})));     // too short
  CHECK(zero.refuses(NodeId(2), zero.message(partial, {1, 2})));     // not the first bucket
  CHECK(zero.refuses(NodeId(2), zero.message(partial, {0, 2}, 1)));  // a round too early
  CHECK(zero.refuses(NodeId(2), zero.message(push, {0, 2})));
  Message unknown = zero.message(partial, {0, 2});
  unknown.bucket = 99;
  CHECK(zero.refuses(NodeId(2), unknown));
  CHECK(zero.refuses(NodeId(1), zero.message(parameters, {1, 1})));     // nothing was sent there
  CHECK_FALSE(zero.refuses(NodeId(1), zero.message(partial, {0, 1})));  // one turn early
  CHECK(zero.refuses(NodeId(1), zero.message(partial, {0, 1})));        // a duplicate
  CHECK_FALSE(zero.refuses(NodeId(2), zero.message(parameters, {2, 2})));
  CHECK(zero.refuses(NodeId(2), zero.message(parameters, {2, 2})));  // a duplicate
  CHECK_FALSE(zero.refuses(NodeId(2), zero.message(partial, {0, 2})));
  CHECK(zero.sent().empty());  // it adds them first
  zero.compute();
  CHECK(zero.sent() == std::set<std::pair<NodeId, std::uint32_t>>{{NodeId(1), 1}, {NodeId(1), 0}});
  CHECK(zero.refuses(NodeId(2), zero.message(partial, {0, 2})));           // its turn is over
  CHECK_FALSE(zero.refuses(NodeId(2), zero.message(partial, {0, 2}, 1)));  // of the next round
  CHECK_FALSE(zero.refuses(NodeId(1), zero.message(parameters, {1, 1})));
  CHECK(zero.sent() == std::set<std::pair<NodeId, std::uint32_t>>{{NodeId(2), 0}});
}

}  // namespace
}  // namespace foretrain
