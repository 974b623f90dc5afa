// The judgement of a validation: by case, by strategy.
#pragma once

#include "reports/studies/validation/validation.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The forecast of a steady case holds if its step-time error is at most this.
inline constexpr double kErrorBand = 0.05;
/// A case is noisy if the step times of its runs spread by more than this.
inline constexpr double kSteadySpread = 0.05;

/// Measured and predicted time of one phase in the mean step.
struct PhaseGap {
  std::string_view phase;  ///< compute, push, wait, apply, pull
  double measured_ms = 0;
  double predicted_ms = 0;

  bool operator==(const PhaseGap&) const = default;
};

/// The judgement of a case on its step time.
struct Verdict {
  bool noisy = false;  ///< the spread of its runs is above kSteadySpread
  /// Whether the forecast holds: for a steady case, the error is within kErrorBand; for a noisy
  /// one, the forecast lies between the quartiles of the runs.
  bool held = false;
  std::optional<PhaseGap> why;  ///< the phase that differs most (largest_gap), if it does not hold
};

/// Empty if step times are not known.
std::optional<Verdict> verdict_of(const CaseValidation& c);

/// The phase whose predicted mean differs most from the measured one, in milliseconds, without
/// evaluation, which is not part of a step time. Empty if phases are not known.
std::optional<PhaseGap> largest_gap(const CaseValidation& c);

/// `apply: measured 1.9 ms, predicted 0.8 ms`
std::string sentence(const PhaseGap& gap);

/// `held`, `off`; for a noisy case `noisy, between quartiles`, `noisy, outside quartiles`.
std::string_view name_of(const Verdict& verdict);

/// Accuracy of a strategy's step-time forecasts.
struct StrategyVerdict {
  std::string strategy;
  int cases = 0;  ///< cases with known step times
  int noisy = 0;
  int noisy_held = 0;
  std::optional<ErrorRange> all;     ///< absolute errors over all cases; empty if none has one
  std::optional<ErrorRange> steady;  ///< the same over steady cases
  /// The two parts of the error over the judged cases: the error with the runs' own compute times,
  /// and the rest, which compute times cause.
  std::optional<ErrorRange> protocol;
  std::optional<ErrorRange> compute;
  /// The errors by which the strategy is judged: of its steady cases, or of all if none is steady.
  [[nodiscard]] const std::optional<ErrorRange>& judged() const { return steady ? steady : all; }
  std::optional<std::size_t> worst;  ///< index of the judged case with the largest error: a steady
                                     ///< one if there is one
};

/// The verdicts in the order in which the cases name the strategies.
std::vector<StrategyVerdict> strategy_verdicts(const Validation& validation);

/// The strategies whose median step-time error over all cases is above `share`. A strategy without
/// any known error is included, since its accuracy is not shown.
std::vector<std::string> strategies_above(const Validation& validation, double share);

}  // namespace foretrain
