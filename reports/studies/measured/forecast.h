// Measured figures beside forecasts of them: of clusters of others, of somebody's own.
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

/// A forecast that is not farther off than this is called near.
inline constexpr double kNear = 0.15;
/// A base is met where it is not farther off than this.
inline constexpr double kBaseError = 0.001;

/// A measured figure beside what is forecast of it.
struct FigureForecast {
  MeasuredFigure figure;
  std::optional<double> forecast;        ///< in the unit of the figure; empty: there is none
  std::optional<double> linear;          ///< so many devices, so many times the base
  std::optional<double> staleness_mean;  ///< of its gradients, updates; empty: they are in step
  std::string failure;                   ///< why the simulation says nothing of it; empty: it does

  /// forecast / measured - 1; empty where either is not known, or 0 was measured.
  [[nodiscard]] std::optional<double> error() const;
  [[nodiscard]] std::optional<double> linear_error() const;
};

struct ForecastOptions {
  int threads = 1;
  std::vector<std::string> overrides{};  ///< laid over each scenario, below a row's own settings
  /// Simulates a case; called from several threads at once.
  std::function<Record(const Case&)> simulate;
  /// Told after each simulation, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
};

/// Of every figure a forecast, in their order; what several figures are read from is simulated
/// once.
///
/// How long a gradient takes on a device is known of few clusters, but one figure of a series says
/// how long a step takes: its base. So `cluster.hosts[0].compute` of a series is the time with
/// which the simulated base comes to its figure:
///
///     compute_0 = step of the base;  compute_{n+1} = compute_n + measured step - simulated step
///
/// until they agree within kBaseError. What the step has beside is simulated, there as everywhere.
/// A series without a base, a figure of none is simulated as its scenario is.
/// @throws InputError where a scenario cannot be read, has several cases and the figure names none;
/// that of a base has no `compute`; where what a base moves takes longer than its step. NotDone
/// where a simulation is interrupted
std::vector<FigureForecast> forecast_figures(const std::vector<MeasuredFigure>& figures,
                                             const ForecastOptions& options);

/// What the forecasts of role `forecast` come to, errors without signs.
struct StudyErrors {
  std::string name;  ///< of the study; `all`
  int figures = 0;
  int fitted = 0;  ///< bases, too
  int forecasts = 0;
  double median = 0;  ///< 0 where there are no forecasts
  double p90 = 0;
  int near = 0;                         ///< within kNear
  std::optional<double> linear_median;  ///< empty: linear scaling says nothing of any
  std::optional<double> linear_p90;
};
/// All first, where there are several studies; then a line a study in their order.
std::vector<StudyErrors> errors_of(const std::vector<FigureForecast>& forecasts);

/// A line a study; every figure, in a terminal first those that are farthest off.
Result result_of(const std::vector<FigureForecast>& forecasts);

}  // namespace foretrain
