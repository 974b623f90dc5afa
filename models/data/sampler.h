// Selects the examples of a worker's next batch.
#pragma once

#include "models/base/random.h"

#include <cstdint>
#include <span>
#include <vector>

namespace foretrain {

/// Samples the shard of one worker in batches, in a new order each epoch.
///
/// Worker w of N has the examples w, w + N, w + 2N, ...: shards differ by at most one example.
/// Batches are always full: one that reaches the end of an epoch continues in the next. The order
/// comes from the stream `data.shuffle.worker<w>`.
class Sampler {
 public:
  /// `examples` >= `workers` >= 1, 0 <= `worker` < `workers`, `batch_size` >= 1.
  Sampler(std::int64_t examples, int worker, int workers, int batch_size, std::uint64_t seed);

  /// The examples of the next batch; valid until the next call.
  std::span<const std::int64_t> next();
  /// As if `batches` batches had been returned. It costs one shuffle for each epoch.
  void skip(std::int64_t batches);

 private:
  std::vector<std::int64_t> order_;
  std::vector<std::int64_t> batch_;
  std::size_t position_ = 0;
  Stream stream_;
};

}  // namespace foretrain
