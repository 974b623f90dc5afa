// What a training is to reach, which may be before its last step.
#pragma once

namespace foretrain {

/// `training.until`: the training ends when an evaluation of the chief finds one of them. Without
/// numerics nothing is ever found.
struct Target {
  double accuracy = 0;  ///< at least this share of the test examples; 0: not asked for
  double loss = 0;      ///< at most so much, mean over the test examples, nats; 0: not asked for

  [[nodiscard]] bool wanted() const { return accuracy > 0 || loss > 0; }
  /// NaN, of what was not measured, reaches nothing.
  [[nodiscard]] bool reached(double loss_found, double accuracy_found) const {
    return (accuracy > 0 && accuracy_found >= accuracy) || (loss > 0 && loss_found <= loss);
  }
  bool operator==(const Target&) const = default;
};

}  // namespace foretrain
