// What the values of each round of a training without servers have to be.
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

/// Makes the parts of all workers once more, a gradient (`all_reduce`) or what a worker has learned
/// in a round (`local_sgd`), adds each up once, and makes the new values of it. Messages, sums on
/// their way, who waits for whom: nothing of that is asked of the program.
///
/// Floats are added in the order of the route, so bits are compared. Beside that, in double
/// precision, in no order: the sum is that of one part of each worker, to within its rounding; of
/// plain SGD the new values are w - rate x mean. With an outer optimizer (`local_sgd`) values are
/// compared to within rounding: its rule is written out here.
class RoundValues {
 public:
  /// Dense, with numerics.
  explicit RoundValues(std::shared_ptr<const Training> training);

  /// What is wrong with `numbers`, as a message carries them, which a bucket's owner makes of its
  /// round; empty: nothing.
  [[nodiscard]] std::string wrong_with(std::uint32_t bucket, std::int64_t round,
                                       const std::vector<float>& numbers);

 private:
  using Parts = std::vector<std::vector<float>>;   // by worker: of all parameters
  using Values = std::vector<std::vector<float>>;  // by bucket: as a message carries them

  void make_round();
  /// All start a round with these.
  void begin_with(const Values& values);
  [[nodiscard]] Parts parts_of(std::int64_t round);
  [[nodiscard]] std::vector<float> gradient_of(std::size_t worker);
  /// The mean of `gradients`, whose sum is given, is applied.
  static void apply(ShardBucket& to, std::span<const float> sum, std::int64_t gradients,
                    std::int64_t beside);
  /// Of the parts of this worker and of all whose sums come to it, as it sends that on.
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
  bool outer_;
  std::int64_t steps_a_round_;
  std::vector<std::unique_ptr<WorkerCompute>> computes_;  // by worker
  // One for all workers, whose values are equal at any time, or one each (`local_sgd`).
  std::vector<HeldParameters> held_;
  std::vector<std::vector<std::unique_ptr<ShardBucket>>> shards_;  // by those, bucket
  std::vector<float> start_;                                       // of the round
  std::vector<double> momentum_;                                   // of the outer optimizer
  std::vector<Values> made_;                                       // by round
  std::string wrong_;  // with the program's own rules, once something was
};

}  // namespace foretrain::faults
