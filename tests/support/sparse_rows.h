// Column numbers of sparse rows in a batch.
#pragma once

#include "models/data/batch.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace foretrain::testing {

/// Fills `rows.features` and `rows.columns` from the feature of each entry, in the order of the
/// entries.
inline void number_columns(const std::vector<std::uint32_t>& feature_of_entry, SparseRows& rows) {
  rows.features = feature_of_entry;
  std::sort(rows.features.begin(), rows.features.end());
  rows.features.erase(std::unique(rows.features.begin(), rows.features.end()), rows.features.end());
  rows.columns.clear();
  rows.columns.reserve(feature_of_entry.size());
  for (const std::uint32_t feature : feature_of_entry) {
    const auto found = std::lower_bound(rows.features.begin(), rows.features.end(), feature);
    rows.columns.push_back(static_cast<std::uint32_t>(found - rows.features.begin()));
  }
}

}  // namespace foretrain::testing
