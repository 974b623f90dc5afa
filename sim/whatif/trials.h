// Simulations of one case with changes, compared by one measure.
#pragma once

#include "sim/driver/simulate.h"
#include "sim/whatif/critical_path.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace foretrain::sim {

/// Largest number of messages of a change that breaks the fold (sim/world/fold.h); a change with
/// more is not simulated. A million takes a second and more.
inline constexpr double kMostWhole = 6e6;

/// The result of one simulation.
struct Trial {
  std::optional<double> time_s;  ///< of the measure; empty if the target was not reached
  std::string why_not;           ///< why it could not be simulated, or did not end; else empty
  double price_per_hour = 0;     ///< of its hosts, if it could be simulated
  std::optional<double> staleness_mean{};  ///< if it ended: as mean_staleness
  std::string uneven_share{};              ///< if it ended: of its record (caveats.h)
};

/// A base case with which changed ones are compared.
class Trials {
 public:
  /// `prepared`: the shape of its data is enough. `options` and `data_sets` outlive this. Cases
  /// that use the same examples share the loaded data sets.
  Trials(const Prepared& prepared, const SimulateOptions& options, DataSets& data_sets);

  /// The base as simulated here: gradients are carried out only if a time depends on them.
  [[nodiscard]] const Case& base() const { return base_; }
  [[nodiscard]] const Training& training() const { return *training_; }
  /// True if times are measured until a target is reached, false if for a number of examples.
  [[nodiscard]] bool has_target() const { return base_.scenario.training.until.wanted(); }
  /// Number of examples of the base; the changed cases train on as many.
  [[nodiscard]] double examples() const { return examples_; }
  /// `57,600 examples`, `accuracy 0.97`.
  [[nodiscard]] std::string measure() const;

  /// Sets the length of `changed` so that it trains on as many examples as the base, with
  /// evaluations at the same distance.
  void keep_examples(Scenario& changed) const;

  /// Completes a changed case like one that was read: faults and stragglers of removed nodes are
  /// dropped. @throws InputError if its keys contradict each other
  [[nodiscard]] static Case checked(Case changed);

  /// Callable from any thread; `cores`: SimulateOptions::cores.
  /// @throws NotDone if it is interrupted; InputError
  [[nodiscard]] Record simulate(const Case& scenario_case, const Variant& variant,
                                int cores = 1) const;
  [[nodiscard]] std::optional<double> time_of(const Record& record) const;
  /// If the base has no time to the target: how near it came, with advice; else empty.
  [[nodiscard]] std::string no_time_of(const Record& record) const;
  /// As simulate, but an invalid change is reported in the result; so is one that breaks the fold
  /// of a large cluster.
  [[nodiscard]] Trial tried(const Case& scenario_case, const TimeFactors& time_factors) const;
  /// The critical path of the training, shortened to this number of steps per worker.
  [[nodiscard]] CriticalPath path_of(Case scenario_case, std::int64_t steps) const;

 private:
  [[nodiscard]] Prepared prepared(const Case& scenario_case) const;
  [[nodiscard]] Record simulate(const Prepared& prepared, const Variant& variant, int cores) const;
  [[nodiscard]] Machine machine(const std::string& name) const;
  [[nodiscard]] std::string why_too_long(const Prepared& changed) const;

  const SimulateOptions& options_;
  DataSets& data_sets_;
  Case base_;
  std::shared_ptr<const Training> training_;  // of the base
  double examples_ = 0;
  bool folded_ = false;  // the base is
  mutable std::mutex mutex_;
  mutable std::map<std::string, Machine> machines_;  // cache of looked-up machines
};

}  // namespace foretrain::sim
