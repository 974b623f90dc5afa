// What others measured on their clusters, as scenarios/clusters/measured.csv has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What a measured figure is to the forecasts.
enum class ClusterRole {
  base,      ///< of the smallest training of its series: how long a gradient takes follows from it
  fitted,    ///< a figure of the scenario was fitted to it
  forecast,  ///< nothing was taken from it
};
std::string_view name_of(ClusterRole role);

/// A row of measured.csv.
struct ClusterFigure {
  std::string place;   ///< file:line, for messages
  std::string study;   ///< the scenario STUDY.yaml beside the file
  std::string series;  ///< those that share a base: one model, device, batch size
  ClusterRole role = ClusterRole::forecast;
  int devices = 1;                    ///< that worked, for linear scaling
  std::vector<std::string> settings;  ///< laid over the scenario, as --set takes them
  std::string quantity;               ///< throughput | step_time | updates_per_s | collective_time
  double value = 0;                   ///< in `unit`, above 0
  std::string unit;
  std::string source;

  /// It counts up where a training gets faster; a time counts down.
  [[nodiscard]] bool is_rate() const { return quantity != "step_time" && scales(); }
  /// Linear scaling says something of it: of a collective alone, in which nothing is shared out,
  /// it says nothing.
  [[nodiscard]] bool scales() const { return quantity != "collective_time"; }
};

/// @throws InputError that names file, line, column: a role, a quantity, a unit that there is not,
/// a value or a number of devices that is none, a setting without `=`, a series without a base,
/// with several, or with several quantities
std::vector<ClusterFigure> read_cluster_figures(const std::string& path);

/// Names of the studies, in the order of the file.
std::vector<std::string> studies_of(const std::vector<ClusterFigure>& figures);

}  // namespace foretrain
