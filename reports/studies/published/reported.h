// What published studies report, with how each figure is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A row of scenarios/published/reported.csv: a figure as its authors report it.
struct ReportedFigure {
  std::string place;  ///< file:line, for messages
  std::string study;
  std::string table;
  std::string model;
  std::string mode;               ///< single | sync | async | all_reduce
  std::optional<int> workers;     ///< nothing: not reported
  std::optional<int> batch_size;  ///< of a worker; nothing: not reported
  std::string node;               ///< its index, or `server`; empty: the whole training
  std::string interface;          ///< eth0, lo; empty: of the node
  std::string metric;
  std::string statistic;  ///< mean, max, low, ...; empty: not said
  double value = 0;
  std::string unit;

  /// `cpu: lenet_nodes all_reduce 3x64 node1`.
  [[nodiscard]] std::string title() const;
};

std::vector<ReportedFigure> read_reported(const std::string& path);

/// What a prediction is worth as evidence.
enum class Role {
  fitted,       ///< the description of the machine was fitted to this figure
  forecast,     ///< nothing was fitted to it
  given,        ///< the scenario takes it as it is reported
  unexplained,  ///< forecast by a model that does not explain it, nor does any simple one
  artefact,     ///< the figure is not what it is called; its note says what it is
  impossible,   ///< out of reach for the model that is named
  unknown,      ///< no forecast: what it depends on is not reported, or not modelled
};
std::string name_of(Role role);

/// A row of scenarios/published/readings.csv: how figures are predicted. A column holds `*` for
/// anything, `-` for what is not reported. The first row that fits a figure counts.
struct FigureReading {
  std::vector<std::string>
      pattern;           ///< study, table, mode, workers, batch, node, interface, metric
  std::string scenario;  ///< file beside readings.csv; empty: none is needed
  std::string quantity;  ///< one of quantity.h; empty: not predicted
  Role role = Role::forecast;
  std::string note;
};

std::vector<FigureReading> read_readings(const std::string& path);

/// @throws InputError where no row fits
const FigureReading& reading_of(const ReportedFigure& figure,
                                const std::vector<FigureReading>& readings);

}  // namespace foretrain
