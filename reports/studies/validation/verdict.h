// What a comparison amounts to: case by case, strategy by strategy.
#pragma once

#include "reports/studies/validation/validation.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A forecast of the step time is held where its error is at most this.
inline constexpr double kErrorBand = 0.05;
/// Runs of a case whose step times spread wider are noisy: the machine itself repeats no better.
inline constexpr double kSteadySpread = 0.05;

/// A phase of the mean step.
struct PhaseGap {
  std::string_view phase;  ///< compute, push, wait, apply, pull
  double measured_ms = 0;
  double predicted_ms = 0;

  bool operator==(const PhaseGap&) const = default;
};

/// The judgement of a case on its step time.
struct Verdict {
  bool noisy = false;  ///< its spread is over kSteadySpread
  /// Steady: the error is within kErrorBand. Noisy: the forecast lies between the quartiles of the
  /// runs.
  bool held = false;
  std::optional<PhaseGap> why;  ///< not held: the phase that differs most (largest_gap)
};

/// Empty where no step times are known.
std::optional<Verdict> verdict_of(const CaseValidation& c);

/// The phase whose predicted mean differs most from the measured one, in milliseconds. Evaluation
/// is left out, as it is of step times. Empty where no phases are known.
std::optional<PhaseGap> largest_gap(const CaseValidation& c);

/// `apply: measured 1.9 ms, predicted 0.8 ms`
std::string sentence(const PhaseGap& gap);

/// `held`, `off`; of a noisy case `noisy, between quartiles`, `noisy, outside quartiles`.
std::string_view name_of(const Verdict& verdict);

/// How well a strategy's step times were forecast.
struct StrategyVerdict {
  std::string strategy;
  int cases = 0;  ///< whose step times are known
  int noisy = 0;
  int noisy_held = 0;
  std::optional<ErrorRange> all;     ///< without signs, over all cases; empty where none has one
  std::optional<ErrorRange> steady;  ///< over those that are not noisy
  /// Of the cases by which it is judged, the error apart: with the runs' own compute times, and
  /// what those change.
  std::optional<ErrorRange> protocol;
  std::optional<ErrorRange> compute;
  /// Those by which it is judged: the steady ones, where there are some.
  [[nodiscard]] const std::optional<ErrorRange>& judged() const { return steady ? steady : all; }
  std::optional<std::size_t> worst;  ///< place of the steady case with the largest error; without
                                     ///< one, of the noisy case with it
};

/// In the order in which the cases name them.
std::vector<StrategyVerdict> strategy_verdicts(const Validation& validation);

/// The strategies whose median error of step time, over all their cases, is above `share`; a
/// strategy without any error to tell is among them, since nothing was shown.
std::vector<std::string> strategies_above(const Validation& validation, double share);

}  // namespace foretrain
