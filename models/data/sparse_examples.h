// Sparse examples held in memory.
#pragma once

#include "models/data/batch.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Rows of a sparse matrix (CSR). An entry whose feature another of its row has too stays an entry
/// of its own.
struct SparseTable {
  std::vector<std::uint64_t> starts{0};  ///< [examples + 1]: row i is [starts[i], starts[i + 1])
  std::vector<std::uint32_t> features;
  std::vector<float> values;          ///< as features
  std::vector<std::uint16_t> labels;  ///< [examples]
};

/// The table as a data set; `shape` says how many features, classes there are.
std::shared_ptr<const Dataset> make_dataset(SparseTable table, const InputShape& shape);

/// `rows.columns` holds features, each below `feature_count`: numbers them within the batch, which
/// makes `rows.features` the distinct ones. A radix sort: linear in the entries, without a table
/// of all features.
void number_columns(SparseRows& rows, std::int64_t feature_count);

}  // namespace foretrain
