// Sparse examples in a form that tests can compare.
#pragma once

#include "models/data/dataset.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace foretrain {

/// One example: its label, its features with their values.
struct SparseExample {
  std::int32_t label = 0;
  std::vector<std::pair<std::uint32_t, float>> entries;
  bool operator==(const SparseExample&) const = default;
};

/// The examples of a batch, with the data set's feature numbers.
inline std::vector<SparseExample> rows_of(const Batch& batch) {
  std::vector<SparseExample> rows;
  rows.reserve(batch.labels.size());
  const SparseRows& sparse = batch.sparse;
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    SparseExample& row = rows.emplace_back();
    row.label = batch.labels[i];
    for (std::uint32_t at = sparse.starts[i]; at < sparse.starts[i + 1]; ++at) {
      row.entries.emplace_back(sparse.features[sparse.columns[at]], sparse.values[at]);
    }
  }
  return rows;
}

inline std::vector<SparseExample> rows_of(const Dataset& dataset,
                                          const std::vector<std::int64_t>& which) {
  Batch batch;
  dataset.gather(which, nullptr, batch);
  return rows_of(batch);
}

/// All examples of a data set.
inline std::vector<SparseExample> rows_of(const Dataset& dataset) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(dataset.examples()));
  for (std::int64_t i = 0; i < dataset.examples(); ++i) all.push_back(i);
  return rows_of(dataset, all);
}

}  // namespace foretrain
