// A figure as data: panels of series, axes with units.
#pragma once

#include "scenarios/language/input_error.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

/// The mark with which a series is drawn; vega_lite.cpp has their names in this order.
enum class Mark {
  line,    ///< solid with points, or dashed; with categories: layers of stacked bars
  points,  ///< points without lines
  guide,   ///< a thin grey reference line
  trace,   ///< a thin line, for thousands of points
  column,  ///< vertical bars from `x` to `x_end`, of height `y`
  span,    ///< horizontal bars on row `y`, from `x` to `x_end`
  cell,    ///< squares around `x`, `y`, coloured by `value`
  arrow,   ///< arrows from row `y` at `x` to row `y_end` at `x_end`
};

/// A series of a panel.
struct Series {
  std::string title;
  std::vector<double> x;
  std::vector<double> y;
  bool dashed = false;  ///< a forecast: a dashed line instead of a line with points
  int colour = 0;       ///< index into the palette; the series of a case share it
  Mark mark = Mark::line;
  std::vector<double> x_end{};       ///< for columns, spans, arrows
  std::vector<double> value{};       ///< for cells
  std::vector<std::string> names{};  ///< name of each point, for tooltips; may be empty
  std::vector<double> y_end{};       ///< for arrows
};

/// The logarithmic axes of a panel.
enum class Logarithmic { none, x, y, both };

struct Panel {
  std::string title;
  std::string x_label;  ///< with its unit: `time [s]`
  std::string y_label;
  std::vector<Series> series;
  /// Names at the positions 0, 1, 2, ... of the x axis; if empty, it shows numbers. With names,
  /// lines become layers of stacked bars, one bar per category: x is the index of the category, y
  /// the height of the layer.
  std::vector<std::string> categories;
  Logarithmic logarithmic = Logarithmic::none;
  /// Names at the positions 0, 1, 2, ... of the y axis, from the top; if empty, it shows numbers.
  std::vector<std::string> rows{};
  std::string value_label{};  ///< label with the unit of cell values
  /// The part of the x axis that is shown first; a page can scroll to the rest.
  std::optional<std::pair<double, double>> view{};
  bool from_zero = false;         ///< the y axis begins at zero
  std::vector<double> x_ticks{};  ///< tick positions of the x axis; empty: automatic

  [[nodiscard]] bool log_x() const {
    return logarithmic == Logarithmic::x || logarithmic == Logarithmic::both;
  }
  [[nodiscard]] bool log_y() const {
    return logarithmic == Logarithmic::y || logarithmic == Logarithmic::both;
  }
  /// True for a heat map.
  [[nodiscard]] bool has_cells() const {
    return !series.empty() && series.front().mark == Mark::cell;
  }
  /// Whether the series is a layer of stacked bars.
  [[nodiscard]] bool stacks(const Series& s) const {
    return !categories.empty() && s.mark == Mark::line;
  }
};

struct Figure {
  std::string name;  ///< name of its files, without an extension
  std::string title;
  std::vector<Panel> panels;  ///< empty: there is nothing to draw
  /// Mode, machine, calibration of its data; empty if the title has them.
  std::string source{};
  /// Panels are stacked above a common x axis; else they are side by side.
  bool stacked = false;
};

/// The points of a figure, one per row: panel, series, x, y, base; with columns, spans or cells
/// also x_end, value; with arrows also y_end. A bar extends from `base` to `base + y`; the base of
/// a line is 0. An unknown number is empty.
std::string figure_csv(const Figure& figure);

/// A gnuplot script that draws NAME.svg, NAME.png, NAME.pdf from NAME.csv in the current folder.
/// The figure must have at least one panel.
std::string gnuplot_script(const Figure& figure);

/// Thrown if gnuplot is not installed.
class NoGnuplot : public InputError {
 public:
  using InputError::InputError;
};

/// Draws NAME.svg, NAME.png, NAME.pdf into `folder` with gnuplot, beside their data (NAME.csv) and
/// script (NAME.gp). Returns the path of the SVG. The SVG's bytes depend on the figure only.
/// @throws NoGnuplot if gnuplot is not installed, InputError if it fails or has nothing to draw
std::filesystem::path draw(const Figure& figure, const std::filesystem::path& folder);

}  // namespace foretrain
