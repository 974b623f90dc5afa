// A figure as data: panels of series with axes, with units.
#pragma once

#include "reports/record/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// How a series is drawn.
enum class Mark {
  line,    ///< solid with points, or dashed
  points,  ///< points alone
  guide,   ///< a thin grey line to compare with
};

/// What a panel draws for a series.
struct Series {
  std::string title;
  std::vector<double> x;
  std::vector<double> y;
  bool dashed = false;  ///< a forecast: a dashed line, where a run is a line with points
  int colour = 0;       ///< index into the palette; series of one case share it
  Mark mark = Mark::line;
};

struct Panel {
  std::string title;
  std::string x_label;  ///< with its unit: `time [s]`
  std::string y_label;
  std::vector<Series> series;
  /// Names at the places 0, 1, 2, ... of the x axis. Empty: figures there. With them series that
  /// are lines are layers of stacked bars, one a category: x is the index of the category, y the
  /// height of the layer.
  std::vector<std::string> categories;
  bool logarithmic = false;  ///< both axes

  /// A series of it is a layer of bars.
  [[nodiscard]] bool stacks(const Series& s) const {
    return !categories.empty() && s.mark == Mark::line;
  }
};

struct Figure {
  std::string name;  ///< of the files, without an extension
  std::string title;
  std::vector<Panel> panels;  ///< side by side; none: there is nothing to draw
};

/// Loss, accuracy on the test examples against time, one colour a case, runs as lines with points,
/// simulations dashed, all in one picture. A panel of which no record knows a figure is left out.
Figure learning_curves(const std::vector<Record>& records);

/// Where the time of a mean step goes: a bar a case and mode, a layer a phase.
Figure phase_bars(const std::vector<Record>& records);

/// The points of a figure, one a row: panel, series, x, y, base. Bars reach from `base` to
/// `base + y`; a line's base is 0. Unknown y are empty.
std::string figure_csv(const Figure& figure);

/// The gnuplot script that draws NAME.svg, NAME.png, NAME.pdf from NAME.csv in the folder where it
/// is run. The figure has at least one panel.
std::string gnuplot_script(const Figure& figure);

/// Draws by gnuplot into `folder`: NAME.svg, NAME.png, NAME.pdf, beside the data (NAME.csv), the
/// script (NAME.gp) that made them. Returns the path of the SVG. The SVG's bytes depend on nothing
/// but the figure.
/// @throws InputError where gnuplot is absent or fails, or where there is nothing to draw
std::filesystem::path draw(const Figure& figure, const std::filesystem::path& folder);

/// Draws each figure of which the records have something to show. Returns a line for each picture.
/// @throws InputError as draw does
std::string draw_all(const std::vector<Record>& records, const std::filesystem::path& folder);

}  // namespace foretrain
