// Measured figures beside their forecasts.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/measured/figures.h"
#include "reports/studies/result/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A forecast is called near if its error is at most this.
inline constexpr double kNear = 0.15;
/// A simulated base agrees with the measured one if its error is at most this.
inline constexpr double kBaseError = 0.001;

/// A measured figure with its forecast.
struct FigureForecast {
  MeasuredFigure figure;
  std::optional<double> forecast;        ///< in the unit of the figure; empty if there is none
  std::optional<double> linear;          ///< forecast by linear scaling from the base
  std::optional<double> staleness_mean;  ///< mean staleness, updates; empty for lockstep
  std::string failure;                   ///< why the simulation gives no forecast; else empty

  /// forecast / measured - 1; empty if either is not known, or if 0 was measured.
  [[nodiscard]] std::optional<double> error() const;
  [[nodiscard]] std::optional<double> linear_error() const;
};

struct ForecastOptions {
  int threads = 1;
  std::vector<std::string> overrides{};  ///< settings for all scenarios, before a row's own
  /// Simulates a case; called from several threads at once.
  std::function<Record(const Case&)> simulate;
  /// Called after each simulation, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
};

/// Forecasts every figure, in the given order. Figures of the same simulation share it.
///
/// The time of a gradient on a device is known for few clusters. But the base of a series gives the
/// time of a step. So `cluster.hosts[0].compute` of a series is set to the time with which the
/// simulated base equals the measured one, by the iteration
///
///     compute_0 = step of the base / k
///     compute_{n+1} = compute_n + (measured step - simulated step) / k,    k: training.accumulate
///
/// until both agree within kBaseError; a figure with another batch size gets it in proportion. The
/// rest of the step is simulated, for the base as for all figures. If a figure has no base, its
/// scenario is simulated as it is.
/// @throws InputError if a scenario cannot be read, or has several cases and the figure names none;
/// if the base's scenario has no `compute`; if communication alone takes longer than the base's
/// step. NotDone if a simulation is interrupted
std::vector<FigureForecast> forecast_figures(const std::vector<MeasuredFigure>& figures,
                                             const ForecastOptions& options);

/// Absolute errors of the figures with role `forecast`, for a study or for all.
struct StudyErrors {
  std::string name;  ///< name of the study, or `all`
  int figures = 0;
  int fitted = 0;  ///< fitted figures and bases
  int forecasts = 0;
  double median = 0;  ///< 0 if there are no forecasts
  double p90 = 0;
  int near = 0;                         ///< forecasts with an error of at most kNear
  std::optional<double> linear_median;  ///< of linear scaling; empty if it never applies
  std::optional<double> linear_p90;
};
/// First all figures if there are several studies, then each study in order.
std::vector<StudyErrors> errors_of(const std::vector<FigureForecast>& forecasts);

/// A row for each study, then every figure; a terminal shows the largest errors first.
Result result_of(const std::vector<FigureForecast>& forecasts);

}  // namespace foretrain
