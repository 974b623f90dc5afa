// The data set of a case: its examples, or what is known without them.
#pragma once

#include "models/data/open_data.h"
#include "models/graph/node_memory.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <future>
#include <memory>
#include <mutex>

namespace foretrain {

/// Opens data sets. Keeps the one opened last, so that cases with the same data set, sequential or
/// concurrent, read it once. Any thread may call it.
class DataSets {
 public:
  /// @throws DataError
  DataSplit open(const DataSource& source);

 private:
  std::mutex mutex_;
  DataSource source_;
  std::shared_future<DataSplit> last_;
};

/// Facts about a data set that are known without its examples. The scenario gives these numbers if
/// the model is a profile (layer times of a network), which has no data set.
struct DatasetShape {
  std::int64_t train_examples = 0;
  std::int64_t test_examples = 0;
  InputShape input;
  double features_mean = 0;  ///< mean number of distinct features in a batch, if sparse

  bool operator==(const DatasetShape&) const = default;
};

struct CaseData {
  DatasetShape shape;
  DataMemory memory;  ///< memory that the examples take in a worker's process
  std::shared_ptr<const DataSplit> examples;  ///< null if they were not asked for
};

/// The first step of `prepare`: finds the shape of the data set, and its examples if asked for. The
/// shape of images comes from headers and file lengths; sparse examples must be opened for theirs.
/// @throws InputError at the scenario's key: a file that is missing or damaged, fewer examples than
/// the scenario asks for, or examples asked for with a profile
CaseData find_data(const Case& scenario_case, bool with_examples, DataSets& data_sets);

}  // namespace foretrain
