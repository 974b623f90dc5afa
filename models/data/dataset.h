// Labelled examples for training.
#pragma once

#include "models/base/random.h"
#include "models/data/batch.h"
#include "models/tensor/shape.h"

#include <cstdint>
#include <memory>
#include <span>

namespace foretrain {

/// The properties of examples that a network depends on.
struct InputShape {
  Shape image;                       ///< dense: shape of one example
  std::int64_t sparse_features = 0;  ///< above 0: examples are sparse rows of this many features
  double sparse_entries = 0;         ///< sparse: mean number of values in an example
  /// Sparse: number of values in every example, one for each field of the data, in order; 0: the
  /// data has no fields, and the number varies.
  int sparse_fields = 0;
  int classes = 0;  ///< labels are 0 .. classes - 1

  [[nodiscard]] bool sparse() const { return sparse_features > 0; }
  bool operator==(const InputShape&) const = default;
};

/// A source of examples by their number, in memory or read on demand. Immutable: `gather` may be
/// called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t examples() const = 0;
  [[nodiscard]] virtual InputShape shape() const = 0;

  /// Fills `batch` with the examples `which`, in that order. Random crops and flips are drawn from
  /// `augment`; null: none, as for test examples.
  /// @throws DataError if a file that is read on the way has changed
  virtual void gather(std::span<const std::int64_t> which, Stream* augment, Batch& batch) const = 0;

  /// Gathering is so slow that the next batch should be prepared during this one's gradient.
  [[nodiscard]] virtual bool worth_prefetching() const { return false; }
};

/// The data of a training: training examples and test examples.
struct DataSplit {
  std::shared_ptr<const Dataset> train;
  std::shared_ptr<const Dataset> test;
};

}  // namespace foretrain
