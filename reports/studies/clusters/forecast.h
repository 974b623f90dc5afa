// Clusters of others, forecast from the smallest of their figures.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/clusters/figures.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A measured figure beside what is forecast of it.
struct ClusterForecast {
  ClusterFigure figure;
  bool async = false;   ///< its workers do not go in step
  double forecast = 0;  ///< in the unit of the figure
  /// What linear scaling says: so many devices, so many times the base; empty: nothing.
  std::optional<double> linear{};
  std::optional<double> staleness_mean{};  ///< of its gradients, updates; empty: they are in step

  /// forecast / measured - 1.
  [[nodiscard]] double error() const { return forecast / figure.value - 1; }
  [[nodiscard]] std::optional<double> linear_error() const {
    return linear ? std::optional(*linear / figure.value - 1) : std::nullopt;
  }
};

struct ClusterOptions {
  std::filesystem::path folder;  ///< that the scenarios are in
  std::string study;             ///< empty: all
  int threads = 1;
  /// Simulates a case; called from several threads at once.
  std::function<Record(const Case&)> simulate;
  /// Told after each simulation, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
};

/// Of every figure a forecast, in their order.
///
/// How long a gradient takes on a device is known of no cluster, but one figure of each series says
/// how long a step takes: its base. So `cluster.hosts[0].compute` of a series is the time with
/// which the simulated base comes to its figure:
///
///     compute_0 = step of the base;  compute_{n+1} = compute_n + measured step - simulated step
///
/// until they agree within kBaseError. What the step has beside is simulated, there as everywhere.
/// @throws InputError where a study has no scenario, that has no `compute`, sweeps, or is not done;
/// where what a base moves takes longer than its step; where no study is called so. NotDone where
/// a simulation is interrupted
std::vector<ClusterForecast> forecast_clusters(const std::vector<ClusterFigure>& figures,
                                               const ClusterOptions& options);

/// A base is met where it is not farther off than this.
inline constexpr double kBaseError = 0.001;

}  // namespace foretrain
