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
  double price_per_hour = 0;     ///< of its hosts, where it could be simulated
  std::optional<double> staleness_mean{};  ///< where it ended, as mean_staleness
  std::string uneven_share{};              ///< likewise, of its record (caveats.h)
};

/// A case beside which others are put.
class Trials {
 public:
  /// `prepared`: the shape of its data will do. `options`, `data_sets` outlive it: cases that learn
  /// from the same examples have them from there.
  Trials(const Prepared& prepared, const SimulateOptions& options, DataSets& data_sets);

  /// The case as it is simulated here: gradients carried out only where a time depends on them.
  [[nodiscard]] const Case& base() const { return base_; }
  [[nodiscard]] const Training& training() const { return *training_; }
  /// Times are until a target is reached; else for as many examples.
  [[nodiscard]] bool has_target() const { return base_.scenario.training.until.wanted(); }
  /// Of the training as it is: what others train on, too.
  [[nodiscard]] double examples() const { return examples_; }
  /// `57,600 examples`, `accuracy 0.97`.
  [[nodiscard]] std::string measure() const;

  /// Changes the length of `changed` so that it trains on as many examples as the base, its
  /// evaluations as far apart.
  void keep_examples(Scenario& changed) const;

  /// A case that was changed, made whole as one that is read: faults and stragglers of nodes that
  /// are no more are gone. @throws InputError where its keys do not go together
  [[nodiscard]] static Case checked(Case changed);

  /// From any thread; `cores`: SimulateOptions::cores. @throws NotDone where it is interrupted;
  /// InputError
  [[nodiscard]] Record simulate(const Case& scenario_case, const Variant& variant,
                                int cores = 1) const;
  [[nodiscard]] std::optional<double> time_of(const Record& record) const;
  /// Of the base: how near it came to a target to which it has no time, what to do; else empty.
  [[nodiscard]] std::string no_time_of(const Record& record) const;
  /// As simulate, but what is wrong with the change is part of the answer.
  [[nodiscard]] Trial tried(const Case& scenario_case, const TimeFactors& time_factors) const;
  /// What the training, cut to so many steps of a worker, waits for.
  [[nodiscard]] CriticalPath path_of(Case scenario_case, std::int64_t steps) const;

 private:
  [[nodiscard]] Prepared prepared(const Case& scenario_case) const;
  [[nodiscard]] Record simulate(const Prepared& prepared, const Variant& variant, int cores) const;
  [[nodiscard]] Machine machine(const std::string& name) const;

  const SimulateOptions& options_;
  DataSets& data_sets_;
  Case base_;
  std::shared_ptr<const Training> training_;  // of the base
  double examples_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Machine> machines_;  // measured, read once
};

}  // namespace foretrain::sim
