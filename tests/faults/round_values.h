// The expected values of each round of a training without servers.
#pragma once

#include "models/protocol/held_parameters.h"
#include "models/protocol/shard.h"
#include "models/protocol/training.h"
#include "models/protocol/worker_compute.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace foretrain::faults {

/// Recomputes the parts of all workers, gradients (`all_reduce`, `gather_scatter`) or the parameter
/// changes of a round (`local_sgd`), adds them, and applies the sum. Independent of the program's
/// messages, partial sums and waiting.
///
/// Floats are added in the order of the route, so bits are compared. In addition, in double
/// precision and any order, the sum equals that of one part per worker to within rounding, and
/// plain SGD gives w - rate x mean. With an outer optimizer (`local_sgd`) values are compared to
/// within rounding, because its rule is written out here.
class RoundValues {
 public:
  /// For dense trainings with numerics.
  explicit RoundValues(std::shared_ptr<const Training> training);

  /// The error in `numbers`, a message's payload, as the values, or with `gather_scatter` the mean
  /// gradient, that a bucket's owner computes for this round; empty if there is none.
  [[nodiscard]] std::string wrong_with(std::uint32_t bucket, std::int64_t round,
                                       const std::vector<float>& numbers);

 private:
  using Parts = std::vector<std::vector<float>>;   // by worker: all parameters
  using Values = std::vector<std::vector<float>>;  // by bucket: as in a message

  void make_round();
  /// All workers start a round with these values.
  void begin_with(const Values& values);
  [[nodiscard]] Parts parts_of(std::int64_t round);
  [[nodiscard]] std::vector<float> gradient_of(std::size_t worker);
  /// Applies the mean of `gradients` gradients, whose sum is given.
  static void apply(ShardBucket& to, std::span<const float> sum, std::int64_t gradients,
                    std::int64_t beside);
  /// The sum that this worker sends on: its own part plus the sums sent to it.
  [[nodiscard]] std::vector<float> sum_at(const Bucket& bucket, int worker,
                                          const Parts& parts) const;
  [[nodiscard]] std::vector<float> applied(std::uint32_t index, const Parts& parts);
  [[nodiscard]] std::vector<float> differences_of(std::uint32_t index);
  [[nodiscard]] std::vector<float> averaged(std::uint32_t index, const Parts& parts);
  [[nodiscard]] std::vector<float> with_outer(const Bucket& bucket, const std::vector<float>& mean);
  void check_sum(const Bucket& bucket, const std::vector<float>& sum, const Parts& parts);
  void check_plain(std::span<const float> before, std::span<const float> sum,
                   std::span<const float> after);

  std::shared_ptr<const Training> training_;
  bool averages_;
  bool halves_;
  bool rooted_;
  bool outer_;
  std::int64_t steps_a_round_;
  std::vector<std::unique_ptr<WorkerCompute>> computes_;  // by worker
  // One for all workers if their values are always equal, or one per worker (`local_sgd`).
  std::vector<HeldParameters> held_;
  std::vector<std::vector<std::unique_ptr<ShardBucket>>> shards_;  // by element of held_, bucket
  std::vector<float> start_;      // values at the start of the round
  std::vector<double> momentum_;  // of the outer optimizer
  std::vector<Values> made_;      // by round
  std::string wrong_;             // first error by the program's own rules
};

}  // namespace foretrain::faults
