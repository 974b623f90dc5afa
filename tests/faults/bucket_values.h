// What the values of a bucket have to be.
#pragma once

#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace foretrain::faults {

/// Values that gradients change, one mean after another. Of plain SGD with dense gradients they are
/// kept here in double precision: w - rate x mean, to within rounding. Of other rules, and of
/// sparse gradients, the program's own rule is asked: then bits are compared, and what is told is
/// which gradients went in, in which order, not the rule.
class BucketValues {
 public:
  BucketValues(std::shared_ptr<const Training> training, std::uint32_t index);

  /// The mean of these is applied. Each is what a push carries.
  void apply(std::span<const std::vector<float>* const> pushes);
  /// Nobody knows which gradients the last mean was of: what comes next is as an answer says.
  void lose_sight() { seen_ = false; }

  /// What is wrong with `numbers`; empty: nothing. `push`: the answer is to it; null: all values.
  [[nodiscard]] std::string wrong_with(const std::vector<float>& numbers,
                                       const std::vector<float>* push);

 private:
  [[nodiscard]] std::string wrong_by_rounding(const std::vector<float>& numbers);
  [[nodiscard]] std::string wrong_by_a_bit(const std::vector<float>& numbers,
                                           const std::vector<float>* push) const;

  std::shared_ptr<const Training> training_;
  std::vector<double> plain_;
  std::unique_ptr<ShardBucket> twin_;  // null: of plain SGD
  bool seen_ = true;
};

}  // namespace foretrain::faults
