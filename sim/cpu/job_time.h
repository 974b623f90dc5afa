// From a job's counted cost to seconds on a machine: the only place that does this.
#pragma once

#include "models/networks/network.h"
#include "models/protocol/job.h"
#include "scenarios/machine.h"

#include <optional>
#include <string>

namespace foretrain::sim {

/// What the jobs of one model cost on the core of one host.
///
///     gradient  overhead + examples x per_example   (measured for the model; or a fixed time)
///     evaluate  overhead + examples x per_example   (measured for the model)
///     apply     overhead + bytes x per_byte         (measured on one core)
///
/// Realism: calibrated at two batch sizes and straight between and beyond them.
class JobTime {
 public:
  /// Of `machine`; `model` is a key of its models. Null: nothing costs time but what is fixed.
  /// `fixed_gradient`: every gradient takes this long instead.
  JobTime(const Machine* machine, const std::string& model, std::optional<Duration> fixed_gradient);

  /// Undisturbed, at full speed; of a gradient the median.
  [[nodiscard]] Duration of(const Job& job) const;
  /// Standard deviation of the logarithm of a gradient's time: lognormal around the median. Without
  /// it two workers of equal speed would meet at the server in one pattern for good.
  [[nodiscard]] double gradient_jitter() const {
    return fixed_gradient_ ? 0 : model_.gradient_jitter;
  }

 private:
  ModelCost model_;
  AffineCost apply_;
  std::optional<Duration> fixed_gradient_;
};

}  // namespace foretrain::sim
