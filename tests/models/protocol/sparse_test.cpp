// Sparse models: messages, updates, compared with the dense twin.
#include "models/data/sampler.h"
#include "models/data/sparse_examples.h"
#include "models/networks/registry.h"
#include "models/payload/sparse_push.h"
#include "models/protocol/registry.h"
#include "models/protocol/shard.h"
#include "models/protocol/touched.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"

#include <catch2/catch.hpp>

#include <numeric>

namespace foretrain {
namespace {
using testing::set_option;
using testing::Shuffled;

constexpr std::int64_t kFeatures = 512;

std::shared_ptr<const Dataset> drawn_rows(std::int64_t examples) {
  Stream stream(5, "test.sparse");
  SparseTable table;
  for (std::int64_t i = 0; i < examples; ++i) {
    const auto entries = 1 + stream.below(8);
    for (std::uint64_t e = 0; e < entries; ++e) {
      // Small indices are frequent, large ones rare, like words.
      const double u = stream.uniform();
      table.features.push_back(static_cast<std::uint32_t>(u * u * u * kFeatures));
      table.values.push_back(static_cast<float>(stream.normal()));
    }
    table.starts.push_back(table.features.size());
    table.labels.push_back(static_cast<std::uint16_t>(stream.below(2)));
  }
  return make_dataset(
      std::move(table),
      {.image = {}, .sparse_features = kFeatures, .sparse_entries = 4.5, .classes = 2});
}

OptimizerSpec rule(const std::string& name) {
  OptimizerSpec spec;
  spec.name = name;
  spec.learning_rate = 0.1;
  if (name == "ftrl") spec.l1 = 0.01;
  return spec;
}

std::shared_ptr<Training> sparse_training(const std::string& strategy, int workers, int servers,
                                          std::int64_t steps, const OptimizerSpec& optimizer) {
  static const auto data =
      std::make_shared<const DataSplit>(DataSplit{drawn_rows(300), drawn_rows(50)});
  auto training = std::make_shared<Training>();
  training->protocol = &protocol_called(strategy);
  training->workers = workers;
  training->servers = servers;
  training->batch_size = 8;
  training->steps = steps;
  training->network =
      std::make_shared<const Network>(network_spec("sparse_logistic", {}), data->train->shape());
  training->optimizer_spec = optimizer;
  training->optimizer = make_optimizer(optimizer);
  const std::int64_t parameters = training->network->parameters();
  training->layout = std::make_shared<Layout>(
      make_layout(parameters, Bytes{4 * parameters}, std::max(1, servers)));
  training->test_examples = data->test->examples();
  training->data = data;
  return training;
}

// Reads every parameter and uses complete gradient vectors, like a dense model.
std::vector<float> dense_twin(const Training& training) {
  const auto count = static_cast<std::size_t>(training.network->parameters());
  std::vector<float> values(count);
  std::vector<float> state(count * static_cast<std::size_t>(training.optimizer->slots()));
  training.optimizer->initialize(state);
  std::vector<float*> slots;
  for (int slot = 0; slot < training.optimizer->slots(); ++slot) {
    slots.push_back(state.data() + static_cast<std::size_t>(slot) * count);
  }
  const auto workspace = training.network->make_workspace(Stream(1, "dropout"));
  Serial serial;
  Batch batch;
  std::vector<Sampler> samplers;
  for (int worker = 0; worker < training.workers; ++worker) {
    samplers.emplace_back(training.data->train->examples(), worker, training.workers,
                          training.batch_size, training.seed);
  }
  const float scale = 1.0F / static_cast<float>(training.workers);
  for (std::int64_t step = 0; step < training.steps; ++step) {
    std::vector<float> sum(count);
    std::vector<float> gradient(count);
    for (Sampler& sampler : samplers) {
      training.data->train->gather(sampler.next(), nullptr, batch);
      training.network->gradient(values, batch, gradient, *workspace, serial);
      for (std::size_t i = 0; i < count; ++i) sum[i] += gradient[i];
    }
    if (training.workers > 1) {
      for (float& g : sum) g *= scale;
    }
    const UpdateContext context{step, step * training.workers * training.batch_size};
    const std::span<float> all = values;
    for (const ParameterBlock& block : training.network->blocks()) {
      const auto first = static_cast<std::size_t>(block.first);
      const auto length = static_cast<std::size_t>(block.count);
      std::vector<float*> at;
      for (float* slot : slots) at.push_back(slot + first);
      training.optimizer->apply(context, block.bias, all.subspan(first, length),
                                std::span(sum).subspan(first, length), all.subspan(first, length),
                                at);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("sparse: weights are the bits of the dense twin") {
  const std::string name = GENERATE("sgd", "adagrad", "ftrl");
  const int workers = GENERATE(1, 3, 6);
  const int servers = GENERATE(1, 2);
  CAPTURE(name, workers, servers);
  const auto training = sparse_training("sync", workers, servers, 20, rule(name));
  REQUIRE(sparse_equals_dense(training->optimizer_spec));
  Shuffled sync(training, 3);
  sync.run();
  CHECK(sync.faults.empty());
  CHECK(sync.weights == dense_twin(*training));
}

TEST_CASE("sparse: a rule with memory differs from the dense twin, as it says") {
  const std::string name = GENERATE("adam", "momentum");
  CAPTURE(name);
  const auto training = sparse_training("sync", 2, 1, 20, rule(name));
  REQUIRE_FALSE(sparse_equals_dense(training->optimizer_spec));
  Shuffled sync(training, 3);
  sync.run();
  CHECK(sync.faults.empty());
  CHECK(sync.weights != dense_twin(*training));
}

TEST_CASE("sparse: single and one synchronous worker end with the same bits") {
  Shuffled single(sparse_training("single", 1, 0, 20, rule("ftrl")), 1);
  Shuffled sync(sparse_training("sync", 1, 2, 20, rule("ftrl")), 1);
  single.run();
  sync.run();
  REQUIRE(!single.weights.empty());
  CHECK(sync.weights == single.weights);
}

TEST_CASE("sparse: the chief judges all parameters though it holds few") {
  const std::string strategy = GENERATE("sync", "async");
  const std::uint64_t seed = GENERATE(1, 2, 3);
  CAPTURE(strategy, seed);
  const auto training = sparse_training(strategy, 3, 2, 10, rule("ftrl"));
  training->evaluate_every = 3;
  Shuffled run(training, seed);
  run.run();
  CHECK(run.faults.empty());
  CHECK(run.finished == training->nodes());
  REQUIRE(run.evals.size() >= 2);
  CHECK(run.evals.back().final);
  for (const EvalReport& eval : run.evals) CHECK(eval.auc > 0);
  CHECK(static_cast<std::int64_t>(run.weights.size()) == kFeatures + 1);
}

TEST_CASE("sparse: a push comes back from its bytes") {
  const std::vector<std::uint32_t> touched{1, 4, 9};
  const std::vector<float> gradient{0.5F, -1, 2};
  const std::vector<std::uint32_t> wanted{0, 9};
  const Payload bytes = encode({touched, gradient, false, wanted});
  CHECK(bytes.size() == Bytes{4 * (2 + 3 + 3 + 2)});
  const auto parts = decode(bytes, 10);
  REQUIRE(parts.has_value());
  CHECK(std::ranges::equal(parts->touched, touched));
  CHECK(std::ranges::equal(parts->gradient, gradient));
  CHECK(std::ranges::equal(parts->wanted, wanted));
  CHECK_FALSE(parts->all);
  CHECK(decode(encode({touched, gradient, true, {}}), 10)->all);
}

TEST_CASE("sparse: a malformed push is refused") {
  const std::vector<std::uint32_t> indices{1, 4};
  const std::vector<std::uint32_t> falling{4, 1};
  const std::vector<float> gradient{1, 2};
  CHECK(decode(encode({indices, gradient, false, indices}), 5).has_value());
  CHECK_FALSE(decode(encode({indices, gradient, false, indices}), 4).has_value());
  CHECK_FALSE(decode(encode({falling, gradient, false, {}}), 5).has_value());
  CHECK_FALSE(decode(encode({indices, gradient, false, falling}), 5).has_value());
  Payload cut = encode({indices, gradient, false, indices});
  CHECK_FALSE(decode(cut.slice({}, cut.size() - Bytes{4}), 5).has_value());
  CHECK_FALSE(decode(cut.slice({}, {4}), 5).has_value());
  CHECK_FALSE(decode({}, 5).has_value());
}

TEST_CASE("sparse: without numerics sizes follow the mean of the features in a batch") {
  const auto training = sparse_training("sync", 2, 2, 4, rule("sgd"));
  training->numerics = false;
  training->touched_mean = 40;
  training->layout = std::make_shared<Layout>(make_layout(513, Bytes{4 * 513}, 2));
  const Bucket& first = training->layout->buckets[0];
  CHECK(touched_mean(*training, first) == 20);
  CHECK(push_size({20, 20}) == Bytes{4 * (2 + 20 + 20 + 20)});
  ShardBucket shard(training, 0, Payload::sized({4 * 513}));
  Effects spent;
  CHECK(shard.answer(Payload::sized(push_size({20, 20})), spent).size() == Bytes{80});
  CHECK(shard.answer(Payload::sized(push_size({20, 0})), spent).size() == first.size());
}

TEST_CASE("sparse: a push is checked once, and what that and its answer take is told") {
  const auto training = sparse_training("sync", 1, 1, 4, rule("sgd"));
  ShardBucket shard(training, 0, initial_parameters(*training));
  const std::vector<std::uint32_t> touched{1, 5, 9};
  const std::vector<float> gradient{1, 2, 3};
  const std::vector<std::uint32_t> wanted{2, 5};
  Payload push = encode({touched, gradient, false, wanted});
  Effects effects;
  CHECK(shard.take_in(push, effects));
  CHECK(shard.answer(push, effects).size() == Bytes{8});
  std::vector<Cost> told;
  for (const Effect& effect : effects) told.push_back(std::get<SpentCost>(effect).cost);
  CHECK(told == std::vector<Cost>{decode_cost({3, 2}), gather_cost(2)});
}

TEST_CASE("sparse: values that were lent stay as they were while an update changes a copy") {
  const auto training = sparse_training("async", 2, 1, 4, rule("sgd"));
  ShardBucket shard(training, 0, initial_parameters(*training));
  const std::vector<std::uint32_t> touched{1, 5, 9};
  const std::vector<float> gradient{1, 2, 3};
  const Payload push = encode({touched, gradient, true, {}});
  const auto update = [&] {
    Serial serial;
    const Job job = shard.apply_job(JobId{0}, {push});
    job.work(serial);
    shard.finish_apply();
    return job.cost;
  };
  Effects effects;
  const Payload lent = shard.answer(push, effects);
  const std::vector<float> before(lent.floats().begin(), lent.floats().end());
  const TotalCost copied = update();
  CHECK(std::ranges::equal(lent.floats(), before));
  CHECK(shard.values().floats()[5] != before[5]);
  // The next update changes values that nobody else holds, so it copies nothing.
  CHECK(update() + copy_cost(std::ssize(before)) == copied);
}

TEST_CASE("sparse: a shard that is over waits for the others with its values whole") {
  const auto training = sparse_training("async", 3, 3, 6, rule("sgd"));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Shuffled run(training, seed);
    run.run();
    REQUIRE(run.faults.empty());
    CHECK(run.finished == training->nodes());
    CHECK(run.weights.size() == static_cast<std::size_t>(training->network->parameters()));
  }
}

TEST_CASE("sparse: a training that reaches its target ends alike in any timing") {
  const std::string strategy = GENERATE("single", "sync", "ssp", "async");
  CAPTURE(strategy);
  const int workers = strategy == "single" ? 1 : 3;
  auto training = sparse_training(strategy, workers, strategy == "single" ? 0 : 2, 60, rule("sgd"));
  set_option(training->options, "staleness", 0);
  training->evaluate_every = 3;
  // Labels are random, so the accuracy stays at chance.
  training->target.accuracy = 0.5;
  std::vector<float> weights;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Shuffled run(training, seed);
    run.run();
    REQUIRE(run.faults.empty());
    REQUIRE(run.finished == training->nodes());
    REQUIRE(run.evals.size() >= 2);
    CHECK(run.evals[run.evals.size() - 2].accuracy >= 0.5);
    CHECK(run.gradients == static_cast<std::int64_t>(run.steps.size()));
    CHECK(run.gradients < 60 * workers);
    if (seed == 1) weights = run.weights;
    if (strategy != "async") CHECK(run.weights == weights);
  }
}

}  // namespace foretrain
