// Labelled examples to learn from.
#pragma once

#include "models/base/random.h"
#include "models/data/batch.h"
#include "models/tensor/shape.h"

#include <cstdint>
#include <memory>
#include <span>

namespace foretrain {

/// What a network has to know of its examples.
struct InputShape {
  Shape image;                       ///< dense: of one example
  std::int64_t sparse_features = 0;  ///< above 0: examples are sparse rows of so many features
  double sparse_entries = 0;         ///< sparse: mean number of values in an example
  /// Sparse: values of every example, one for each field of the data, in their order; 0: it has no
  /// fields, and examples differ in their number.
  int sparse_fields = 0;
  int classes = 0;  ///< labels are 0 .. classes - 1

  [[nodiscard]] bool sparse() const { return sparse_features > 0; }
  bool operator==(const InputShape&) const = default;
};

/// A source of examples by their number, in memory or read as they are asked for. Immutable:
/// `gather` may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t examples() const = 0;
  [[nodiscard]] virtual InputShape shape() const = 0;

  /// Fills `batch` with the examples `which`, in that order. `augment` is what random crops, flips
  /// are drawn from; null: none, as for examples that are judged.
  /// @throws DataError where a file that is read along the way has changed
  virtual void gather(std::span<const std::int64_t> which, Stream* augment, Batch& batch) const = 0;

  /// Gathering takes so long that the next batch is worth preparing beside this one's gradient.
  [[nodiscard]] virtual bool worth_prefetching() const { return false; }
};

/// What a training needs: examples to learn from, and others to be judged by.
struct DataSplit {
  std::shared_ptr<const Dataset> train;
  std::shared_ptr<const Dataset> test;
};

}  // namespace foretrain
