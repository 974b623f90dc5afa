// From a scenario to what its nodes have to know: network, data, layout, length.
#pragma once

#include "models/data/dataset.h"
#include "models/protocol/training.h"
#include "scenarios/scenario.h"

#include <cstdint>
#include <memory>

namespace foretrain {

/// Reads or draws the data set. @throws InputError at the scenario's key (a file that is missing or
/// damaged, fewer examples than are asked for or than there are workers)
std::shared_ptr<const DataSplit> load_data(const Case& scenario_case);

/// What is known of a data set without its pixels: from the headers of its files alone.
struct DatasetShape {
  std::int64_t train_examples = 0;
  std::int64_t test_examples = 0;
  int rows = 0;
  int columns = 0;
  int classes = 0;
};
/// @throws InputError as load_data does, as far as headers show it
DatasetShape dataset_shape(const Case& scenario_case);
DatasetShape shape_of(const DataSplit& data);

/// Workers and server shards of a scenario: one and none where its strategy is not distributed.
int worker_count(const Scenario& scenario);
int server_count(const Scenario& scenario);

/// The training that `scenario` describes. `data` may be null without numerics, and where no worker
/// lives (a server's process).
/// @throws InputError (more workers than examples, more servers than parameters)
std::shared_ptr<const Training> make_training(const Scenario& scenario, const DatasetShape& shape,
                                              bool numerics, std::shared_ptr<const DataSplit> data);

}  // namespace foretrain
