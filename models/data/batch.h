// The examples of one step, as a network reads them.
#pragma once

#include "models/tensor/floats.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretrain {

/// Rows of a sparse matrix (CSR) whose columns are numbered within the batch.
struct SparseRows {
  std::vector<std::uint32_t> starts;    ///< [examples + 1]: example i is [starts[i], starts[i + 1])
  std::vector<std::uint32_t> columns;   ///< indices into `features`
  std::vector<float> values;            ///< as columns
  std::vector<std::uint32_t> features;  ///< the distinct features of the batch, ascending
  std::vector<std::uint64_t> sorted;    ///< memory for the code that fills the rows
  std::vector<std::uint64_t> unsorted;  ///< as sorted
};

/// A buffer that is filled anew for each step, so its memory is allocated once.
struct Batch {
  std::int64_t examples = 0;
  Floats inputs;                     ///< [examples][rows][columns][channels]; unused if sparse
  SparseRows sparse;                 ///< empty if dense
  std::vector<std::int32_t> labels;  ///< [examples], 0 .. classes - 1

  /// Makes room for the labels of `count` examples, whose sparse rows will be filled anew.
  void begin_rows(std::size_t count) {
    examples = static_cast<std::int64_t>(count);
    labels.resize(count);
    sparse.starts.assign(1, 0);
    sparse.columns.clear();
    sparse.values.clear();
  }
};

}  // namespace foretrain
