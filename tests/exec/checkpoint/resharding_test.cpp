// A training that resumes with another number of servers gives the same result.
#include "exec/checkpoint/resharding.h"

#include "models/base/random.h"
#include "models/data/sparse_examples.h"
#include "models/networks/registry.h"
#include "models/optimizers/optimizer.h"
#include "models/protocol/node_state.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace foretrain {
namespace {
using testing::KeptCut;
using testing::run_shuffled;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

constexpr std::int64_t kReshardedSteps = 9;

std::shared_ptr<Training> with_servers(const std::string& strategy, int workers, int servers,
                                       const std::string& optimizer = "adam") {
  auto training = small_training(strategy, workers, servers, kReshardedSteps, Bytes{4'000});
  training->optimizer = make_optimizer({.name = optimizer, .learning_rate = 0.01});
  training->evaluate_every = 2;
  training->checkpoint.steps = 2;
  set_option(training->options, "staleness", std::int64_t{0});
  return training;
}

/// The states that `before` saved for a checkpoint, for the nodes of `after`.
KeptCut resharded(const KeptCut& cut, const Training& before, const Training& after) {
  KeptCut moved = cut;
  for (int shard = after.servers; shard < before.servers; ++shard) {
    moved.states.erase(after.workers + shard);
  }
  for (int shard = 0; shard < after.servers; ++shard) {
    std::set<int> asked;
    moved.states[after.workers + shard] =
        gathered_state(after, shard, before.layout, [&](int held_by) {
          CHECK(asked.insert(held_by).second);
          return cut.states.at(before.workers + held_by);
        });
  }
  return moved;
}

void check_same_end(const std::shared_ptr<Training>& before,
                    const std::shared_ptr<Training>& after) {
  const Shuffled expected = run_shuffled(before, 1);
  REQUIRE(!expected.kept.cuts.empty());
  // Sums are taken per parameter, so they do not depend on the sharding.
  CHECK(run_shuffled(after, 2).weights == expected.weights);
  for (const auto& [cut, states] : expected.kept.cuts) {
    CAPTURE(cut);
    const KeptCut moved = resharded(states, *before, *after);
    const Shuffled resumed = run_shuffled(after, 3, &moved);
    CHECK(resumed.weights == expected.weights);
    CHECK(resumed.updates == expected.updates);
    CHECK(resumed.gradients == expected.gradients);
    CHECK(states.evaluated + std::ssize(resumed.evals) == std::ssize(expected.evals));
  }
}

TEST_CASE("resharding: strategies that are deterministic end with the same bits") {
  const std::string strategy = GENERATE("sync", "ssp");
  const auto [from, to] =
      GENERATE(std::pair{1, 2}, std::pair{2, 1}, std::pair{3, 2}, std::pair{2, 5}, std::pair{3, 3});
  CAPTURE(strategy, from, to);
  check_same_end(with_servers(strategy, 3, from), with_servers(strategy, 3, to));
}

TEST_CASE("resharding: of every optimizer") {
  const std::string name = GENERATE(from_range(optimizer_names()));
  CAPTURE(name);
  check_same_end(with_servers("sync", 2, 1, name), with_servers("sync", 2, 3, name));
}

TEST_CASE("resharding: where buckets are tensors, dealt round") {
  const auto dealt = [](int servers) {
    auto training = with_servers("sync", 2, servers);
    training->layout = std::make_shared<const Layout>(make_tensor_layout({7'840, 10}, servers));
    return training;
  };
  check_same_end(dealt(2), dealt(1));
  check_same_end(dealt(1), with_servers("sync", 2, 4));
}

/// Examples with four of 512 features.
std::shared_ptr<const Dataset> few_features(std::int64_t examples) {
  constexpr std::int64_t kFeatures = 512;
  Stream stream(7, "test.resharding");
  SparseTable table;
  for (std::int64_t i = 0; i < examples; ++i) {
    for (int entry = 0; entry < 4; ++entry) {
      table.features.push_back(static_cast<std::uint32_t>(stream.below(kFeatures)));
      table.values.push_back(static_cast<float>(stream.normal()));
    }
    table.starts.push_back(table.features.size());
    table.labels.push_back(static_cast<std::uint16_t>(stream.below(2)));
  }
  return make_dataset(
      std::move(table),
      {.image = {}, .sparse_features = kFeatures, .sparse_entries = 4, .classes = 2});
}

TEST_CASE("resharding: of a sparse model, whose buckets are shards") {
  const auto sparse = [](int servers) {
    static const auto data =
        std::make_shared<const DataSplit>(DataSplit{few_features(300), few_features(50)});
    auto training = with_servers("sync", 2, servers);
    training->optimizer = make_optimizer({.name = "ftrl", .learning_rate = 0.1});
    training->network =
        std::make_shared<const Network>(network_spec("sparse_logistic", {}), data->train->shape());
    const std::int64_t parameters = training->network->parameters();
    training->layout =
        std::make_shared<const Layout>(make_layout(parameters, Bytes{4 * parameters}, servers));
    training->test_examples = data->test->examples();
    training->data = data;
    return training;
  };
  check_same_end(sparse(1), sparse(3));
  check_same_end(sparse(3), sparse(2));
}

TEST_CASE("resharding: asynchronous workers go on, each gradient applied once a shard") {
  const std::string strategy = GENERATE("async", "ssp");
  const std::string quota = GENERATE("own", "shared");
  const auto [from, to] = GENERATE(std::pair{1, 3}, std::pair{3, 2});
  CAPTURE(strategy, quota, from, to);
  const auto made = [&](int servers) {
    auto training = with_servers(strategy, 3, servers);
    set_option(training->options, "staleness", std::int64_t{1});
    set_option(training->options, "quota", quota);
    return training;
  };
  const auto before = made(from);
  const auto after = made(to);
  const Shuffled kept = run_shuffled(before, 1);
  REQUIRE(!kept.kept.cuts.empty());
  for (const auto& [cut, states] : kept.kept.cuts) {
    CAPTURE(cut);
    const KeptCut moved = resharded(states, *before, *after);
    const Shuffled resumed = run_shuffled(after, 2, &moved);
    CHECK(resumed.updates == 3 * kReshardedSteps);
    CHECK(resumed.gradients == 3 * kReshardedSteps);
  }
}

TEST_CASE("resharding: of asynchronous workers of whom one came back") {
  const std::string strategy = GENERATE("async", "ssp");
  int taken = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(strategy, seed);
    const auto before = with_servers(strategy, 3, 3);
    const auto after = with_servers(strategy, 3, 2);
    Shuffled kept(before, seed);
    kept.lose_after(60 + static_cast<int>(seed), 1);
    kept.take_back_after(100 + static_cast<int>(seed), 1);
    kept.run();
    CHECK(kept.faults.empty());
    for (const auto& [cut, states] : kept.kept.cuts) {
      if (std::ssize(states.states) < before->nodes()) continue;
      CAPTURE(cut);
      if (kept.kept.begun_at.at(cut) > 140) ++taken;
      const KeptCut moved = resharded(states, *before, *after);
      const Shuffled resumed = run_shuffled(after, seed, &moved);
      CHECK(resumed.updates == 3 * kReshardedSteps);
      CHECK(resumed.gradients == 3 * kReshardedSteps);
    }
  }
  CHECK(taken > 20);
}

TEST_CASE("resharding: with backup workers as many updates, and what was dropped stays counted") {
  const auto made = [](int servers) {
    auto training = with_servers("sync", 4, servers);
    set_option(training->options, "backup_workers", std::int64_t{1});
    training->updates = kReshardedSteps;
    return training;
  };
  const auto before = made(2);
  const auto after = made(3);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const Shuffled kept = run_shuffled(before, seed);
    for (const auto& [cut, states] : kept.kept.cuts) {
      CAPTURE(cut);
      const KeptCut moved = resharded(states, *before, *after);
      const Shuffled resumed = run_shuffled(after, seed, &moved);
      CHECK(resumed.updates == kReshardedSteps);
      CHECK(resumed.gradients == 3 * kReshardedSteps);
    }
  }
}

TEST_CASE("resharding: forth and back is the state that was") {
  const auto one = with_servers("async", 2, 1);
  const auto three = with_servers("async", 2, 3);
  const Shuffled kept = run_shuffled(three, 4);
  const KeptCut& cut = kept.kept.cuts.begin()->second;
  const KeptCut back = resharded(resharded(cut, *three, *one), *one, *three);
  for (int server = 0; server < 3; ++server) {
    // The last update of each bucket and its staleness now come from the whole, so only sizes are
    // equal.
    CHECK(back.states.at(2 + server).size() == cut.states.at(2 + server).size());
  }
  const auto sync_one = with_servers("sync", 2, 1);
  const auto sync_three = with_servers("sync", 2, 3);
  const KeptCut first = run_shuffled(sync_one, 4).kept.cuts.begin()->second;
  CHECK(resharded(resharded(first, *sync_one, *sync_three), *sync_three, *sync_one).states ==
        first.states);
}

TEST_CASE("resharding: servers of different cuts, states that are cut are refused") {
  const auto before = with_servers("sync", 2, 2);
  const auto after = with_servers("sync", 2, 1);
  const Shuffled kept = run_shuffled(before, 1);
  KeptCut mixed = kept.kept.cuts.at(2);
  mixed.states[3] = kept.kept.cuts.at(4).states.at(3);
  CHECK_THROWS_AS(resharded(mixed, *before, *after), StateError);
  KeptCut torn = kept.kept.cuts.at(2);
  torn.states[3].pop_back();
  CHECK_THROWS_AS(resharded(torn, *before, *after), StateError);
  torn.states[3] += "xx";
  CHECK_THROWS_AS(resharded(torn, *before, *after), StateError);
}

}  // namespace
}  // namespace foretrain
