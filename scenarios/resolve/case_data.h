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

/// Opens data sets. The one that was opened last is kept: cases that learn from the same, one after
/// another or at once, read it once. From any thread.
class DataSets {
 public:
  /// @throws DataError
  DataSplit open(const DataSource& source);

 private:
  std::mutex mutex_;
  DataSource source_;
  std::shared_future<DataSplit> last_;
};

/// What is known of a data set without its examples. Of a profile: the numbers that the scenario
/// gives.
struct DatasetShape {
  std::int64_t train_examples = 0;
  std::int64_t test_examples = 0;
  InputShape input;
  double features_mean = 0;  ///< sparse: distinct features of a batch, in the mean

  bool operator==(const DatasetShape&) const = default;
};

struct CaseData {
  DatasetShape shape;
  DataMemory memory;                          ///< that they take in the process of a worker
  std::shared_ptr<const DataSplit> examples;  ///< null: nobody asked for them
};

/// What `prepare` finds out first. Headers, lengths of files tell the shape of images; sparse
/// examples are opened for it.
/// @throws InputError at the scenario's key (a file that is missing or damaged, fewer examples than
/// are asked for; of a profile: examples)
CaseData find_data(const Case& scenario_case, bool with_examples, DataSets& data_sets);

}  // namespace foretrain
