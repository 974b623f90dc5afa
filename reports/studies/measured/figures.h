// What somebody measured on a cluster, a figure a row of a table.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A row of a measured table. The columns `quantity` and `value` have to be there; the others, in
/// any order, where they say something.
struct MeasuredFigure {
  std::string place;               ///< file:line, for messages
  std::filesystem::path scenario;  ///< `scenario`: a file beside the table; without: the one named
  std::string study;               ///< `study`: what is summed up in a line; without: its scenario
  std::string title;               ///< `figure`; without: series, settings
  std::string series;              ///< `series`: the rows that share a base
  /// `role`. Forecasts count in the errors. A figure that the scenario was fitted to does not. The
  /// base is the smallest training of its series: how long a gradient takes follows from it. Other
  /// words say why nobody judges a row: given, unexplained, artefact, impossible, unknown.
  std::string role = "forecast";
  int devices = 0;                    ///< `devices` that worked, for linear scaling; 0: not said
  std::vector<std::string> settings;  ///< `set`: KEY=VALUE;..., laid over the scenario as by --set
  int number = 0;                     ///< `case` of the scenario's sweep, from 1; 0: it has one
  std::string node;                   ///< `node`: index of a worker, or `server`; empty: worker 0
  std::string quantity;               ///< one of quantity.h; empty: nothing is simulated
  double value = 0;                   ///< in `unit`
  std::string unit;                   ///< `unit`; without: s, bytes, a share of 1, a count
  /// `forecast`: where another program, a training, a formula made it, in `unit`; the note says.
  std::optional<double> known;
  std::string note;  ///< `note`

  /// It counts up where a training gets faster; a time counts down.
  [[nodiscard]] bool is_rate() const;
  [[nodiscard]] bool is_judged() const { return role == "forecast"; }
};

/// The figures of the table in `path`, in its order. `scenario`: those of that file, or of a table
/// that names none: all of them, with it; empty: all.
/// @throws InputError that names file, line, column: a column, a role, a quantity, a unit that
/// there is not, a unit of another dimension, a number that is none, a setting without `=`, a
/// series with several bases, or several quantities; a table that names no scenario, where none is
/// given
std::vector<MeasuredFigure> read_figures(const std::filesystem::path& path,
                                         const std::filesystem::path& scenario);

}  // namespace foretrain
