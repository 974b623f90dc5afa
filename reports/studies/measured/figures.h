// A table of figures that were measured on a cluster, one per row.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A row of a measured table. The columns `quantity` and `value` are required; the others are
/// optional, in any order.
struct MeasuredFigure {
  std::string place;               ///< file:line, for messages
  std::filesystem::path scenario;  ///< `scenario`: a file beside the table; default: the one given
  std::string study;               ///< `study`: a group of figures; default: the scenario
  std::string title;               ///< `figure`; default: series, settings
  std::string series;              ///< `series`: rows with the same base
  /// `role`. A forecast counts in the errors; a figure to which the scenario was fitted does not.
  /// The base is the smallest training of its series; the time of a gradient is derived from it.
  /// Other roles say why a row is not judged: given, unexplained, artefact, impossible, unknown.
  std::string role = "forecast";
  int devices = 0;                    ///< `devices` in use, for linear scaling; 0: not known
  std::vector<std::string> settings;  ///< `set`: KEY=VALUE;..., overrides as by --set
  int number = 0;                     ///< `case` of the scenario's sweep, from 1; 0: the only one
  std::string node;                   ///< `node`: index of a worker, or `server`; empty: worker 0
  std::string quantity;  ///< a name from measured_quantity.h; empty: nothing is simulated
  double value = 0;      ///< in `unit`
  std::string unit;      ///< `unit`; default: s, bytes, a share of 1, a count
  /// `forecast`, in `unit`, made by another program, a training or a formula, as the note says.
  std::optional<double> known;
  std::string note;  ///< `note`

  /// Whether larger is faster, unlike a time.
  [[nodiscard]] bool is_rate() const;
  [[nodiscard]] bool is_judged() const { return role == "forecast"; }
};

/// Reads the figures of the table in `path`, in its order. With a `scenario`: only those of that
/// file, or all, with it, if the table names none. Without: all.
/// @throws InputError that names file, line, column: for an unknown column, role, quantity or unit,
/// a unit of another dimension, an invalid number, a setting without `=`, a series with several
/// bases or quantities, a figure without any scenario
std::vector<MeasuredFigure> read_figures(const std::filesystem::path& path,
                                         const std::filesystem::path& scenario);

}  // namespace foretrain
