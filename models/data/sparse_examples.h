// Sparse examples held in memory.
#pragma once

#include "models/data/batch.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Rows of a sparse matrix (CSR). Entries of a row with the same feature are not merged.
struct SparseTable {
  std::vector<std::uint64_t> starts{0};  ///< [examples + 1]: row i is [starts[i], starts[i + 1])
  std::vector<std::uint32_t> features;
  std::vector<float> values;          ///< as features
  std::vector<std::uint16_t> labels;  ///< [examples]
};

/// The table as a data set; `shape` has the numbers of features and classes.
std::shared_ptr<const Dataset> make_dataset(SparseTable table, const InputShape& shape);

/// `rows.columns` contains features, each below `feature_count`: replaces them by numbers within
/// the batch, and sets `rows.features` to the distinct features. A radix sort: linear in the
/// entries, without a table of all features.
void number_columns(SparseRows& rows, std::int64_t feature_count);

}  // namespace foretrain
