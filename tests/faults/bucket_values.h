// The expected values of a bucket.
#pragma once

#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace foretrain::faults {

/// Expected values after each mean of gradients. Plain SGD with dense gradients is computed here in
/// double precision, w - rate x mean, and compared to within rounding. For other rules and for
/// sparse gradients the program's own rule is run and bits are compared; that checks which
/// gradients went in, in which order, not the rule.
class BucketValues {
 public:
  BucketValues(std::shared_ptr<const Training> training, std::uint32_t index);

  /// Applies the mean of these pushes' gradients.
  void apply(std::span<const std::vector<float>* const> pushes);
  /// The gradients of the last mean are unknown, so the next answer is believed.
  void lose_sight() { seen_ = false; }

  /// The error in `numbers`; empty if there is none. `push`: the push that they answer; null: all
  /// values.
  [[nodiscard]] std::string wrong_with(const std::vector<float>& numbers,
                                       const std::vector<float>* push);

 private:
  [[nodiscard]] std::string wrong_by_rounding(const std::vector<float>& numbers);
  [[nodiscard]] std::string wrong_by_a_bit(const std::vector<float>& numbers,
                                           const std::vector<float>* push) const;

  std::shared_ptr<const Training> training_;
  std::vector<double> plain_;
  std::unique_ptr<ShardBucket> twin_;  // null for plain SGD
  bool seen_ = true;
};

}  // namespace foretrain::faults
