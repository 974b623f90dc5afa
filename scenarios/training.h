// From a scenario to what its nodes have to know: network, data, layout, length.
#pragma once

#include "models/data/dataset.h"
#include "models/graph/node_memory.h"
#include "models/protocol/training.h"
#include "scenarios/scenario.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace foretrain {

/// Opens or draws the data set. @throws InputError at the scenario's key (a file that is missing or
/// damaged, fewer examples than are asked for or than there are workers, a profile)
std::shared_ptr<const DataSplit> load_data(const Case& scenario_case);

/// What is known of a data set without its examples: from headers and lengths of files alone,
/// except of text, which has to be read. Of a profile: the numbers that the scenario gives.
struct DatasetShape {
  std::int64_t train_examples = 0;
  std::int64_t test_examples = 0;
  InputShape input;
  double features_mean = 0;  ///< sparse: distinct features of a batch, in the mean
};
/// @throws InputError as load_data does, as far as headers show it
DatasetShape dataset_shape(const Case& scenario_case);
DatasetShape shape_of(const DataSplit& data, int batch_size);

/// What the examples of `shape`, as load_data or dataset_shape knows it, take in each process of a
/// worker. @throws InputError as dataset_shape does
DataMemory data_memory(const Case& scenario_case, const DatasetShape& shape);

/// Draws the data set (digits, images) to IDX files in `folder`, which is made where it is missing.
/// @throws InputError where it cannot be written
void write_drawn_data(const Case& scenario_case, const std::filesystem::path& folder);

/// Workers and server shards of a scenario: one and none where its strategy is not distributed.
int worker_count(const Scenario& scenario);
int server_count(const Scenario& scenario);

/// The network that `scenario` trains on such examples. @throws NetworkError; of a profile
/// InputError
std::shared_ptr<const Network> make_network(const Scenario& scenario, const InputShape& input);

/// The training that `scenario` describes. `data` may be null without numerics, and where no worker
/// lives (a server's process).
/// @throws InputError (layers that do not fit, more workers than examples, more servers than
/// parameters)
std::shared_ptr<const Training> make_training(const Scenario& scenario, const DatasetShape& shape,
                                              bool numerics, std::shared_ptr<const DataSplit> data);

}  // namespace foretrain
