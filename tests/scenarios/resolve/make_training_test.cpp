// The training of a scenario: its layout, its length.
#include "scenarios/resolve/make_training.h"

#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"

using namespace foretrain;

namespace {

std::shared_ptr<const Training> training_of(const std::string& settings,
                                            std::int64_t examples = 60'000) {
  const std::string take = "dataset: {take: " + std::to_string(examples) + "}\n";
  const std::string text = "foretrain: 1\n" + take + "training: {" + settings + "}\n";
  return prepare(parse_scenario(text, "x.yaml").at(0), Need::shape).training;
}

}  // namespace

TEST_CASE("training: epochs become steps, rounded up") {
  CHECK(training_of("workers: 3, batch_size: 128, epochs: 20")->steps == 3'125);
  CHECK(training_of("workers: 3, batch_size: 100, epochs: 1")->steps == 200);
  CHECK(training_of("workers: 3, batch_size: 100, epochs: 1", 60'001)->steps == 201);
  CHECK(training_of("strategy: single, batch_size: 100")->steps == 600);
  CHECK(training_of("strategy: single, batch_size: 1, epochs: 0.7", 1'000)->steps == 700);
  CHECK(training_of("strategy: single, batch_size: 7, epochs: 1.1", 70)->steps == 11);
  CHECK(training_of("strategy: single, batch_size: 1000, epochs: 0.001", 10)->steps == 1);
}

TEST_CASE("training: a step of several batches takes the examples of all of them") {
  const auto training = training_of("workers: 3, batch_size: 32, accumulate: 4, epochs: 20");
  CHECK(training->steps == 3'125);
  CHECK(training->batch_size == 32);
  CHECK(training->accumulate == 4);
  CHECK(training->examples_a_gradient() == 128);
  CHECK(training_of("strategy: single, batch_size: 25, accumulate: 4")->steps == 600);
}

TEST_CASE("training: what cannot be accumulated is an error with its place") {
  CHECK_THAT(
      scenario_error("foretrain: 1\ntraining: {accumulate: 0}\n"),
      Catch::Matchers::Contains("x.yaml:2:") && Catch::Matchers::Contains("training.accumulate"));
  CHECK_THAT(scenario_error("foretrain: 1\ntraining: {accumulate: 2000}\n"),
             Catch::Matchers::Contains("training.accumulate") && Catch::Matchers::Contains("1024"));
  const std::string sparse =
      "foretrain: 1\nmodel: sparse_logistic\ndataset: {format: clicks}\n"
      "training: {accumulate: 2, steps: 4, workers: 2}\n";
  CHECK_THROWS_WITH(prepare(parse_scenario(sparse, "x.yaml").at(0), Need::shape),
                    Catch::Matchers::Contains("x.yaml:4:") &&
                        Catch::Matchers::Contains("training.accumulate: a worker of a sparse"));
  const std::string dense = sparse + "sweep: {training.strategy: [all_reduce]}\n";
  CHECK(prepare(parse_scenario(dense, "x.yaml").at(0), Need::shape).training->accumulate == 2);
}

TEST_CASE("training: one batch a gradient is not written") {
  const auto written = [](const std::string& training) {
    return to_yaml(only("foretrain: 1\ntraining: {" + training + "}\n"));
  };
  CHECK_THAT(written("accumulate: 1"), !Catch::Matchers::Contains("accumulate"));
  CHECK_THAT(written("accumulate: 3"), Catch::Matchers::Contains("accumulate: 3"));
}

TEST_CASE("training: updates become steps by the strategy's count of updates") {
  CHECK(training_of("strategy: sync, workers: 3, updates: 10")->steps == 10);
  CHECK(training_of("strategy: async, workers: 3, updates: 10")->steps == 4);
  CHECK(training_of("strategy: async, workers: 3, updates: 9")->steps == 3);
  CHECK(training_of("strategy: single, updates: 10")->steps == 10);
}

TEST_CASE("training: single is one worker with one uncut bucket") {
  const auto training = training_of("strategy: single, steps: 5");
  CHECK(training->workers == 1);
  CHECK(training->servers == 0);
  CHECK(training->layout->buckets.size() == 1);
  CHECK(training->steps == 5);
}

TEST_CASE("training: the parameters are cut into buckets over the servers") {
  const auto training = training_of("servers: 2, bucket_size: 4 kB, steps: 1");
  CHECK(training->layout->parameters == 7'850);
  CHECK(training->layout->buckets.size() == 8);  // 3,925 parameters per shard, 1,000 per bucket
  CHECK(training->servers == 2);
}

namespace {

/// The first parameter of each collective.
std::vector<std::int64_t> collectives_in(const Layout& layout) {
  std::vector<std::int64_t> firsts;
  for (const Bucket& bucket : layout.buckets) {
    if (firsts.empty() || firsts.back() != bucket.leaves_with()) {
      firsts.push_back(bucket.leaves_with());
    }
  }
  return firsts;
}

}  // namespace

TEST_CASE("training: per tensor, workers without a server sum tensors in pieces") {
  const auto training = training_of("strategy: all_reduce, workers: 3, bucket_size: per_tensor");
  CHECK(training->layout->buckets.size() == 6);  // weights, biases, a piece for each worker
  CHECK(collectives_in(*training->layout) == std::vector<std::int64_t>{0, 7'840});
}

TEST_CASE("training: one by one, the pieces of a bucket are one collective") {
  const std::string text =
      "foretrain: 1\nnumerics: off\nmodel: {name: mlp, hidden: [256]}\ndataset: {take: 90}\n"
      "training: {strategy: all_reduce, workers: 2, bucket_size: 500 kB,\n"
      "  collectives: one_by_one, steps: 1}\n";
  const auto training = prepare(parse_scenario(text, "x.yaml").at(0), Need::shape).training;
  const Layout& layout = *training->layout;
  CHECK(layout.buckets.size() == 4);  // 203,530 parameters in pieces of at most 250 kB
  CHECK(collectives_in(layout).size() == 2);
  for (const Bucket& bucket : layout.buckets) {
    CHECK(4 * (bucket.first + bucket.count - bucket.leaves_with()) <= 500'000);
  }
}
