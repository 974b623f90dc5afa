#include "tests/support/trainings.h"

#include "models/data/digits.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"

namespace foretrain::testing {

std::shared_ptr<Training> small_training(const std::string& strategy, int workers, int servers,
                                         std::int64_t steps, Bytes bucket_size) {
  static const auto data = [] {
    ImageSplit digits = draw_digits(300, 50, 1);
    return std::make_shared<const DataSplit>(DataSplit{make_dataset(std::move(digits.train), {}),
                                                       make_dataset(std::move(digits.test), {})});
  }();
  auto training = std::make_shared<Training>();
  training->protocol = &protocol_called(strategy);
  training->workers = workers;
  training->servers = servers;
  training->batch_size = 8;
  training->steps = steps;
  training->network =
      std::make_shared<const Network>(network_spec("softmax", {}), data->train->shape());
  training->optimizer = make_optimizer({.learning_rate = 0.3});
  training->dense = protocol_called(strategy).dense;
  if (!protocol_called(strategy).synchronous) training->updates_a_step = workers;
  const std::int64_t parameters = training->network->parameters();
  training->layout = std::make_shared<Layout>(
      servers == 0 && workers > 1 ? make_round_robin_layout(parameters, bucket_size, workers)
                                  : make_layout(parameters, bucket_size, std::max(1, servers)));
  training->test_examples = data->test->examples();
  training->data = data;
  return training;
}

}  // namespace foretrain::testing
