// Trainings for tests of counted costs.
#pragma once

#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "models/protocol/training.h"

#include <memory>
#include <string>

namespace foretrain::testing {

inline InputShape images(int side, int channels, int classes) {
  return {.image = {side, side, channels}, .classes = classes};
}

inline InputShape hashed(int bits) {
  InputShape input;
  input.sparse_features = std::int64_t{1} << bits;
  input.sparse_entries = 39;
  input.classes = 2;
  return input;
}

/// The input shape of a named network.
inline InputShape input_of(const std::string& network) {
  if (network == "alexnet") return images(224, 3, 1000);
  if (network == "alexnet_cifar") return images(24, 3, 10);
  if (network == "vgg11" || network == "resnet20") return images(32, 3, 10);
  if (network == "sparse_logistic") return hashed(18);
  return images(28, 1, 10);
}

/// The parameters of a counted step.
struct Counted {
  std::string network = "lenet";
  std::string strategy = "sync";
  int workers = 3;
  int servers = 1;
  int batch = 64;
  int accumulate = 1;
  OptimizerSpec optimizer{};
  Bytes bucket_size{50'000};
  Compression compression{};
};

/// The training for them, without numerics.
inline std::shared_ptr<Training> training_of(const Counted& counted) {
  auto training = std::make_shared<Training>();
  const NetworkSpec spec = network_spec(counted.network, {});
  training->network = std::make_shared<const Network>(spec, input_of(counted.network));
  training->protocol = &protocol_called(counted.strategy);
  training->workers = counted.workers;
  training->servers = counted.servers;
  training->batch_size = counted.batch;
  training->accumulate = counted.accumulate;
  training->optimizer_spec = counted.optimizer;
  training->optimizer = make_optimizer(counted.optimizer);
  const std::int64_t parameters = training->network->parameters();
  const bool whole = counted.servers == 0 || training->network->sparse();
  training->layout = std::make_shared<const Layout>(
      make_layout(parameters, whole ? Bytes{4 * parameters} : counted.bucket_size,
                  std::max(1, counted.servers)));
  if (training->network->sparse()) training->touched_mean = 1001;  // 1000 and the bias
  training->compression = counted.compression;
  training->numerics = false;
  return training;
}

inline std::shared_ptr<Training> single_training(const std::string& network) {
  return training_of({.network = network, .strategy = "single", .workers = 1, .servers = 0});
}

}  // namespace foretrain::testing
