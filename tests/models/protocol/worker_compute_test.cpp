// The report of a worker's step, on the largest network.
#include "models/protocol/worker_compute.h"

#include "models/data/open_data.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "tests/support/threads.h"

#include <catch2/catch.hpp>

#include <memory>

using namespace foretrain;

namespace {

constexpr double kDecay = 5e-4;

std::shared_ptr<Training> alexnet_training(bool penalty_in_loss) {
  // AlexNet has the same parameters at 64 pixels as at 224, but is much faster.
  static const auto data = [] {
    DataSource source;
    source.format = "images";
    source.train_count = 4;
    source.test_count = 1;
    source.side = 64;
    source.classes = 1000;
    return std::make_shared<const DataSplit>(open_data(source));
  }();
  static const auto network =
      std::make_shared<const Network>(network_spec("alexnet", {}), data->train->shape());
  auto training = std::make_shared<Training>();
  training->protocol = &protocol_called("single");
  training->servers = 0;
  training->batch_size = 2;
  training->network = network;
  training->optimizer_spec.name = "momentum";
  training->optimizer_spec.weight_decay = kDecay;
  training->optimizer_spec.penalty_in_loss = penalty_in_loss;
  training->optimizer = make_optimizer(training->optimizer_spec);
  const std::int64_t parameters = network->parameters();
  training->layout = std::make_shared<Layout>(make_layout(parameters, Bytes{4 * parameters}, 1));
  training->test_examples = 1;
  training->data = data;
  return training;
}

double first_loss(const std::shared_ptr<Training>& training, const Payload& parameters,
                  Parallel& parallel) {
  WorkerCompute worker_compute(training, 0);
  return worker_compute.gradient_job(0, {}, parameters).work(parallel).loss;
}

}  // namespace

TEST_CASE("worker compute: the first loss of alexnet holds the penalty of its initial weights") {
  const auto plain = alexnet_training(false);
  const auto penalised = alexnet_training(true);
  const Payload parameters = initial_parameters(*plain);
  REQUIRE(plain->network->parameters() == 61'100'840);

  double squares = 0;
  for (const ParameterBlock& block : plain->network->blocks()) {
    if (block.bias) continue;
    for (std::int64_t i = block.first; i < block.first + block.count; ++i) {
      const double value = parameters.floats()[static_cast<std::size_t>(i)];
      squares += value * value;
    }
  }
  Serial serial;
  const double bare = first_loss(plain, parameters, serial);
  const double with_penalty = first_loss(penalised, parameters, serial);
  CHECK(with_penalty - bare == Approx(0.5 * kDecay * squares).epsilon(1e-9));
  CHECK(0.5 * kDecay * squares > 1);  // N(0, 0.01) over 61 million: about 1.5

  testing::Threads two(2);
  CHECK(first_loss(penalised, parameters, two) == with_penalty);
}
