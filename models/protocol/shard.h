// A server's side of learning: the buckets that it holds, changed by gradients.
#pragma once

#include "models/protocol/job.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// A bucket's values and the job that is changing them.
class ShardBucket {
 public:
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index,
              const Payload& all_parameters);

  /// The mean of `gradients`, added up in the order given, applied. The values may not be taken
  /// until `finish_apply`. In place where nobody else holds them, else into a new buffer.
  Job apply_job(JobId id, std::vector<Payload> gradients);
  /// The job is computed: the values are new, the gradients let go.
  void finish_apply();

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] const Payload& values() const { return values_; }
  /// Updates so far.
  [[nodiscard]] Version version() const { return version_; }

 private:
  std::shared_ptr<const Training> training_;
  std::uint32_t index_;
  Payload values_;
  Version version_;
  Payload fresh_;  // where the running job writes, unless in place
  std::vector<Payload> gradients_;
};

/// The mean of `gradients` applied to `before`, element by element: after = rule(before, mean).
/// All of one length; `after` may be `before`. The sum is taken in the order of `gradients`.
void reduce_and_apply(const Optimizer& optimizer, std::span<const float> before,
                      const std::vector<Payload>& gradients, std::span<float> after);

}  // namespace foretrain
