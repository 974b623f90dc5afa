// A figure as data: panels of series with axes, with units.
#pragma once

#include "scenarios/language/input_error.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

/// How a series is drawn.
enum class Mark {
  line,    ///< solid with points, or dashed; with categories: layers of stacked bars
  points,  ///< points alone
  guide,   ///< a thin grey line to compare with
  trace,   ///< a thin line, for thousands of points
  column,  ///< upright bars from `x` to `x_end`, `y` high
  span,    ///< bars that lie on row `y`, from `x` to `x_end`
  cell,    ///< squares around `x`, `y` whose colour says `value`
  arrow,   ///< arrows from row `y` at `x` to row `y_end` at `x_end`
};

/// What a panel draws for a series.
struct Series {
  std::string title;
  std::vector<double> x;
  std::vector<double> y;
  bool dashed = false;  ///< a forecast: a dashed line, where a run is a line with points
  int colour = 0;       ///< index into the palette; series of one case share it
  Mark mark = Mark::line;
  std::vector<double> x_end{};       ///< of columns, spans, arrows
  std::vector<double> value{};       ///< of cells
  std::vector<std::string> names{};  ///< what each point stands for; empty: nothing to tell
  std::vector<double> y_end{};       ///< of arrows
};

/// Which axes of a panel are logarithmic.
enum class Logarithmic { none, x, y, both };

struct Panel {
  std::string title;
  std::string x_label;  ///< with its unit: `time [s]`
  std::string y_label;
  std::vector<Series> series;
  /// Names at the places 0, 1, 2, ... of the x axis. Empty: figures there. With them series that
  /// are lines are layers of stacked bars, one a category: x is the index of the category, y the
  /// height of the layer.
  std::vector<std::string> categories;
  Logarithmic logarithmic = Logarithmic::none;
  /// Names at the places 0, 1, 2, ... of the y axis, from above. Empty: figures there.
  std::vector<std::string> rows{};
  std::string value_label{};  ///< of cells, with its unit
  /// The part of the x axis that is shown first, where a page can show the rest.
  std::optional<std::pair<double, double>> view{};
  bool from_zero = false;         ///< the y axis begins at zero
  std::vector<double> x_ticks{};  ///< figures at the x axis; empty: wherever they fit

  [[nodiscard]] bool log_x() const {
    return logarithmic == Logarithmic::x || logarithmic == Logarithmic::both;
  }
  [[nodiscard]] bool log_y() const {
    return logarithmic == Logarithmic::y || logarithmic == Logarithmic::both;
  }
  /// A series of it is a layer of bars.
  [[nodiscard]] bool stacks(const Series& s) const {
    return !categories.empty() && s.mark == Mark::line;
  }
};

struct Figure {
  std::string name;  ///< of the files, without an extension
  std::string title;
  std::vector<Panel> panels;  ///< none: there is nothing to draw
  /// Which mode, machine, calibration its figures come from; empty where the title says so.
  std::string source{};
  /// The panels stand above each other, over one x axis; else side by side.
  bool stacked = false;
};

/// The points of a figure, one a row: panel, series, x, y, base, of columns, spans or cells also
/// x_end, value, where there are arrows y_end. Bars reach from `base` to `base + y`; a line's base
/// is 0. Unknown y are empty.
std::string figure_csv(const Figure& figure);

/// The gnuplot script that draws NAME.svg, NAME.png, NAME.pdf from NAME.csv in the folder where it
/// is run. The figure has at least one panel.
std::string gnuplot_script(const Figure& figure);

/// gnuplot is not installed.
class NoGnuplot : public InputError {
 public:
  using InputError::InputError;
};

/// Draws by gnuplot into `folder`: NAME.svg, NAME.png, NAME.pdf, beside the data (NAME.csv), the
/// script (NAME.gp) that made them. Returns the path of the SVG. The SVG's bytes depend on nothing
/// but the figure.
/// @throws NoGnuplot where gnuplot is absent, InputError where it fails or there is nothing to draw
std::filesystem::path draw(const Figure& figure, const std::filesystem::path& folder);

}  // namespace foretrain
