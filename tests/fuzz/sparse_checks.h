// Checks on a sparse data set that was read.
#pragma once

#include "models/base/check.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <vector>

namespace foretrain::fuzz {

/// Gathers all examples and checks them.
inline void check_sparse(const Dataset& dataset) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(dataset.examples()));
  for (std::int64_t i = 0; i < dataset.examples(); ++i) all.push_back(i);
  Batch batch;
  dataset.gather(all, nullptr, batch);
  const SparseRows& rows = batch.sparse;
  FT_CHECK_OP(rows.starts.size(), ==, all.size() + 1);
  FT_CHECK_OP(rows.columns.size(), ==, rows.values.size());
  for (const std::int32_t label : batch.labels) {
    FT_CHECK_OP(label, >=, 0);
    FT_CHECK_OP(label, <, dataset.shape().classes);
  }
  for (std::size_t i = 0; i < rows.features.size(); ++i) {
    FT_CHECK_OP(rows.features[i], <, dataset.shape().sparse_features);
    if (i > 0) FT_CHECK_OP(rows.features[i - 1], <, rows.features[i]);
  }
  for (const std::uint32_t column : rows.columns) FT_CHECK_OP(column, <, rows.features.size());
  for (const float value : rows.values) FT_CHECK(value - value == 0);  // neither NaN nor infinite
}

}  // namespace foretrain::fuzz
