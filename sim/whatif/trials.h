// Simulations of one case with changes, compared by one measure.
#pragma once

#include "sim/driver/simulate.h"
#include "sim/whatif/critical_path.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace foretrain::sim {

/// What one simulation came to.
struct Trial {
  std::optional<double> time_s;  ///< of the measure; empty: the target was not reached
  std::string why_not;           ///< it could not be simulated, or did not end; empty: it did
};

/// A case beside which others are put.
class Trials {
 public:
  /// `options` outlive it. @throws InputError
  Trials(const Case& scenario_case, const SimulateOptions& options);

  /// The case as it is simulated here: gradients carried out only where a time depends on them.
  [[nodiscard]] const Case& base() const { return base_; }
  /// Times are until a target is reached; else for as many examples.
  [[nodiscard]] bool has_target() const { return base_.scenario.training.until.wanted(); }
  /// Of the training as it is: what others train on, too.
  [[nodiscard]] double examples() const { return examples_; }
  /// `57,600 examples`, `accuracy 0.97`.
  [[nodiscard]] std::string measure() const;

  /// Changes the length of `changed` so that it trains on as many examples as the base, its
  /// evaluations as far apart.
  void keep_examples(Scenario& changed) const;

  /// From any thread. @throws NotDone where it is interrupted; InputError
  [[nodiscard]] Record simulate(const Case& scenario_case, const Variant& variant) const;
  [[nodiscard]] std::optional<double> time_of(const Record& record) const;
  /// As simulate, but what is wrong with the change is part of the answer.
  [[nodiscard]] Trial tried(const Case& scenario_case, const Pace& pace) const;
  /// What the training, cut to so many steps of a worker, waits for.
  [[nodiscard]] CriticalPath path_of(Case scenario_case, std::int64_t steps) const;

 private:
  [[nodiscard]] Machine machine(const std::string& name) const;

  const SimulateOptions& options_;
  Case base_;
  double examples_ = 0;
  std::int64_t workers_ = 1;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Machine> machines_;  // measured, read once
};

}  // namespace foretrain::sim
