// A figure as a gnuplot script, with the table that the script reads.
#include "models/base/check.h"
#include "reports/record/record_csv.h"
#include "reports/show/figures/axes.h"
#include "reports/show/figures/figure.h"
#include "reports/show/figures/gnuplot_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// Colours that are distinct for any colour vision (Okabe and Ito 2008), strongest first.
constexpr auto kPalette = std::to_array<std::string_view>(
    {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"});
/// Point type for each colour, so that series differ by more than colour.
constexpr auto kPointTypes = std::to_array<int>({7, 5, 9, 13, 11, 15, 4});

// Lengths in pixels of the SVG; the width of a letter is an estimate.
constexpr int kPanelWidth = 520;
constexpr int kPanelHeight = 330;        // with its title, without names or key
constexpr int kPlotStackedHeight = 215;  // likewise, for stacked panels
constexpr int kPlotRowHeight = 34;       // for a panel with names at its y axis
constexpr int kTopHeight = 64;           // for titles
constexpr int kSourceHeight = 22;
constexpr int kColourBarWidth = 100;
constexpr int kKeyRowHeight = 18;
constexpr int kLetterWidth = 8;
constexpr int kSampleWidth = 70;  // of a line in the key, with gaps
constexpr double kPixelsPerInch = 96;

constexpr int kPointsShown = 16;        // approximate maximum of marks on a line
constexpr double kBarHalfWidth = 0.32;  // as a share of the distance between bars

std::string_view line_colour(const Series& s) {
  return kPalette[static_cast<std::size_t>(s.colour) % kPalette.size()];
}

/// The mean of a colour (#RRGGBB) and white.
std::string pale(std::string_view colour) {
  std::string out = "#";
  for (std::size_t at = 1; at < colour.size(); at += 2) {
    int part = 0;
    std::from_chars(colour.data() + at, colour.data() + at + 2, part, 16);
    out += fmt::format("{:02X}", (part + 255) / 2);
  }
  return out;
}

/// Layout of the picture; fractional lengths are shares of the canvas.
struct Canvas {
  int width = 0;   // pixels
  int height = 0;  // pixels
  int key_rows = 1;
  bool slanted = false;  // rotated names below bars, which are too long to be horizontal
  int left = 104;        // left margin of a panel, for labels of its y axis
  int panel_height = kPanelHeight;
  double panels_bottom = 0;
  double panels_top = 0;
};

/// Rows of the key, which is filled by column, with a run above its forecast.
int key_rows_of(const Figure& figure, int width) {
  std::set<std::string> titles;
  std::size_t longest = 1;
  bool bars = false;
  for (const Panel& panel : figure.panels) {
    for (const Series& s : panel.series) {
      bars = bars || panel.stacks(s) || s.mark == Mark::span;
      if (s.mark == Mark::cell) continue;
      titles.insert(s.title);
      longest = std::max(longest, s.title.size());
    }
  }
  const int entry = kSampleWidth + kLetterWidth * static_cast<int>(longest);
  const int columns = std::max(1, width / entry);
  const int rows = (static_cast<int>(titles.size()) + columns - 1) / columns;
  return bars || figure.stacked ? rows : rows + rows % 2;
}

Canvas canvas_of(const Figure& figure) {
  Canvas canvas;
  const auto count = static_cast<int>(figure.panels.size());
  canvas.width = kPanelWidth * (figure.stacked ? 2 : std::max(2, count));
  canvas.key_rows = key_rows_of(figure, canvas.width);
  int longest = 0;
  for (const Panel& panel : figure.panels) {
    for (const std::string& category : panel.categories) {
      const int width = kLetterWidth * static_cast<int>(category.size());
      longest = std::max(longest, width);
      canvas.slanted = canvas.slanted || width * std::ssize(panel.categories) > canvas.width - 128;
    }
    for (const std::string& row : panel.rows) {
      const int names = 30 + kLetterWidth * static_cast<int>(row.size());
      canvas.left = std::max(canvas.left, std::min(names, kPanelWidth / 2));
    }
    const int rows = 90 + kPlotRowHeight * static_cast<int>(panel.rows.size());
    canvas.panel_height = std::max(canvas.panel_height, rows);
  }
  const int key_height = 16 + kKeyRowHeight * canvas.key_rows;
  const int names_height = 46 + (canvas.slanted ? longest / 3 : 0);  // the sine of 20 degrees
  const int panels_height = figure.stacked ? count * kPlotStackedHeight : canvas.panel_height;
  const int top_height = kTopHeight + (figure.source.empty() ? 0 : kSourceHeight);
  canvas.height = panels_height + key_height + names_height;
  canvas.panels_bottom = static_cast<double>(key_height + names_height) / canvas.height;
  canvas.panels_top = 1 - static_cast<double>(top_height) / canvas.height;
  return canvas;
}

/// The rows of one series in the table; row 0 follows the header.
std::string data_of(const Figure& figure, std::size_t first_row, std::size_t rows) {
  return fmt::format("{} skip 1 every ::{}::{}", gnuplot_literal(figure.name + ".csv"), first_row,
                     first_row + rows - 1);
}

/// Colours of guides, lighter with the distance from the diagonal.
constexpr auto kGuides = std::to_array<std::string_view>({"#404040", "#808080", "#B0B0B0"});

std::string style_of(const Series& s, bool bars) {
  if (s.mark == Mark::guide) {
    const auto grey = static_cast<std::size_t>(s.colour) % kGuides.size();
    return fmt::format("with lines lw 1 dt {} lc rgb '{}'", s.colour == 0 ? "solid" : "(4,4)",
                       kGuides[grey]);
  }
  if (bars)
    return fmt::format("with boxxyerror fillstyle solid noborder lc rgb '{}'", line_colour(s));
  if (s.mark == Mark::cell) return "with boxxyerror fillstyle solid noborder lc palette z";
  if (s.mark == Mark::column || s.mark == Mark::span) {
    return fmt::format("with boxxyerror fillstyle {} lc rgb '{}'",
                       s.dashed ? "transparent solid 0.5 noborder" : "solid noborder",
                       line_colour(s));
  }
  if (s.mark == Mark::arrow) {
    return fmt::format("with vectors head filled size screen 0.008,20 lw 1 lc rgb '{}'",
                       kGuides.front());
  }
  if (s.mark == Mark::trace) {
    constexpr double kWider = 0.7;  // added for the next colour: traces differ by width, too
    return fmt::format("with lines lw {:.1f} dt {} lc rgb '{}'", 1 + kWider * (s.colour % 3),
                       s.dashed ? "(7,4)" : "solid", line_colour(s));
  }
  const auto mark = kPointTypes[static_cast<std::size_t>(s.colour) % kPointTypes.size()];
  const auto points = fmt::format("pt {} ps 0.7 pi {}", mark, 1 + s.x.size() / kPointsShown);
  if (s.dashed) {
    return fmt::format("with linespoints lw 1.8 dt (7,4) {} lc rgb '{}'", points, line_colour(s));
  }
  if (s.mark == Mark::points) {
    return fmt::format("with points pt {} ps 0.6 lc rgb '{}'", mark, line_colour(s));
  }
  // Wide and pale, so that a forecast on top of it remains visible.
  return fmt::format("with linespoints lw 5 {} lc rgb '{}'", points, pale(line_colour(s)));
}

/// Expressions on a row of the table. From the fifth column: `base`, `x_end`, `value`, `y_end`.
std::string plot_columns(const Series& s, bool bars) {
  switch (s.mark) {
    case Mark::column:
      return "(($3+$6)/2):($4/2):3:6:(0):4";
    case Mark::span:
      return fmt::format("(($3+$6)/2):4:3:6:($4-{0}):($4+{0})", kRowHalfWidth);
    case Mark::arrow:  // to the edge of the row
      return fmt::format("3:4:($6-$3):($8-$4-{}*sgn($8-$4))", kRowHalfWidth);
    case Mark::cell:
      return "3:4:($3-0.5):($3+0.5):($4-0.5):($4+0.5):7";
    default:
      return bars ? fmt::format("3:($5+$4/2):({}):($4/2)", kBarHalfWidth) : "3:4";
  }
}

/// The plot command of a panel. `titled` has the series that are in the key already.
std::string plot_command(const Figure& figure, const Panel& panel, std::size_t first_row,
                         std::set<std::string>& titled) {
  std::vector<std::string> parts;
  for (const Series& s : panel.series) {
    const bool bars = panel.stacks(s);
    const bool first = s.mark != Mark::cell && titled.insert(s.title).second;
    parts.push_back(fmt::format("{} using {} {} {}", data_of(figure, first_row, s.x.size()),
                                plot_columns(s, bars), style_of(s, bars),
                                first ? "title " + gnuplot_literal(s.title) : "notitle"));
    first_row += s.x.size();
  }
  return fmt::format("  plot {}\n", fmt::join(parts, ", \\\n       "));
}

/// Position of a panel on the canvas.
std::string margins(const Figure& figure, const Canvas& canvas, std::size_t index) {
  const auto count = static_cast<double>(figure.panels.size());
  const auto place = static_cast<double>(index);
  const double width = figure.stacked ? 1 : 1 / count;
  const double begin = figure.stacked ? 0 : place * width;
  const int right = figure.panels[index].has_cells() ? kColourBarWidth : 24;
  double bottom = canvas.panels_bottom;
  double top = canvas.panels_top;
  if (figure.stacked) {
    const double height = (top - bottom) / count;
    const double gap = 44.0 / canvas.height;  // for the title of the panel below
    top -= place * height;
    bottom = top - height + (index + 1 < figure.panels.size() ? gap : 0);
  }
  return fmt::format(
      "  set lmargin at screen {:.4f}\n  set rmargin at screen {:.4f}\n"
      "  set bmargin at screen {:.4f}\n  set tmargin at screen {:.4f}\n",
      begin + static_cast<double>(canvas.left) / canvas.width,
      begin + width - static_cast<double>(right) / canvas.width, bottom, top);
}

std::string panel_commands(const Figure& figure, const Canvas& canvas, std::size_t index) {
  const Panel& panel = figure.panels[index];
  const bool bottom = !figure.stacked || index + 1 == figure.panels.size();
  const std::string x_label = panel.x_label + (panel.log_x() ? " (log scale)" : "");
  std::string text = margins(figure, canvas, index);
  text += fmt::format("  set title {}\n  set xlabel {}\n  set ylabel {}\n",
                      gnuplot_literal(panel.title + y_note(panel)),
                      gnuplot_literal(bottom ? x_label : ""), gnuplot_literal(panel.y_label));
  text += "  unset logscale\n";
  if (panel.log_x()) text += "  set logscale x\n";
  if (panel.log_y()) text += "  set logscale y\n";
  text += panel.has_cells() ? fmt::format("  set colorbox\n  set cblabel {}\n",
                                          gnuplot_literal(panel.value_label))
                            : "  unset colorbox\n";
  text += fmt::format("  set format x {}\n", bottom ? "" : "''");
  return text + gnuplot_x_axis(panel, canvas.slanted) + gnuplot_y_axis(panel);
}

std::size_t rows_of(const Panel& panel) {
  std::size_t rows = 0;
  for (const Series& s : panel.series) rows += s.x.size();
  return rows;
}

}  // namespace

std::string figure_csv(const Figure& figure) {
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"panel", "series", "x", "y", "base", "x_end", "value", "y_end"});
  bool wide = false;
  bool arrows = false;
  for (const Panel& panel : figure.panels) {
    for (const Series& s : panel.series) {
      wide = wide || !s.x_end.empty() || !s.value.empty();
      arrows = arrows || !s.y_end.empty();
    }
  }
  const std::span<const std::string_view> columns(kColumns);
  CsvWriter csv(columns.first(arrows ? 8 : wide ? 7 : 5));
  for (const Panel& panel : figure.panels) {
    std::vector<double> tops(panel.categories.size());
    for (const Series& s : panel.series) {
      FT_CHECK_OP(s.x.size(), ==, s.y.size());
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        double base = 0;
        if (panel.stacks(s)) {
          double& top = tops.at(static_cast<std::size_t>(s.x[i]));
          base = std::exchange(top, top + s.y[i]);
        }
        csv.text(panel.title).text(s.title).number(s.x[i]).number(s.y[i]).number(base);
        if (wide) {
          const double unknown = std::numeric_limits<double>::quiet_NaN();
          csv.number(s.x_end.empty() ? unknown : s.x_end[i]);
          csv.number(s.value.empty() ? unknown : s.value[i]);
          if (arrows) csv.number(s.y_end.empty() ? unknown : s.y_end[i]);
        }
        csv.end_row();
      }
    }
  }
  return std::string(csv.written());
}

std::string gnuplot_script(const Figure& figure) {
  FT_CHECK(!figure.panels.empty());
  const Canvas canvas = canvas_of(figure);
  std::string text = fmt::format(
      "# Draws {0}.svg, {0}.png, {0}.pdf from {0}.csv: gnuplot {0}.gp\n"
      "set encoding utf8\n"
      "set datafile separator comma\n"
      "do for [kind in 'svg png pdf'] {{\n"
      "  if (kind eq 'svg') {{ set terminal svg size {1},{2} font 'Arial,14' background 'white' "
      "dashlength 0.8 noenhanced; small = ',12' }}\n"
      "  if (kind eq 'png') {{ set terminal pngcairo size {3},{4} font 'Sans,20' linewidth 2 "
      "pointscale 2 noenhanced; small = ',16' }}\n"
      "  if (kind eq 'pdf') {{ set terminal pdfcairo size {5:.2f}in,{6:.2f}in font 'Sans,10' "
      "noenhanced; small = ',8' }}\n"
      "  set output {7} . kind\n",
      figure.name, canvas.width, canvas.height, 2 * canvas.width, 2 * canvas.height,
      canvas.width / kPixelsPerInch, canvas.height / kPixelsPerInch,
      gnuplot_literal(figure.name + "."));
  text += fmt::format(
      "  set border 3 lc rgb '#606060'\n  set tics nomirror\n"
      "  set grid lc rgb '#D8D8D8' lt 1 lw 0.7\n"
      "  set key at screen 0.5, screen {:.4f} center bottom vertical maxrows {} "
      "samplen 3 Left reverse\n"
      "  set palette defined (0 '#440154', 1 '#3B528B', 2 '#21918C', 3 '#5EC962', 4 '#FDE725')\n"
      "  set multiplot title {}\n",
      8.0 / canvas.height, canvas.key_rows, gnuplot_literal(figure.title));
  if (!figure.source.empty()) {
    text += fmt::format(
        "  set label 1 {} at screen 0.5, screen {:.4f} center font small tc rgb '#606060'\n",
        gnuplot_literal(figure.source), 1 - 40.0 / canvas.height);
  }
  std::set<std::string> titled;
  std::size_t row = 0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    text += panel_commands(figure, canvas, i);
    text += plot_command(figure, figure.panels[i], row, titled);
    row += rows_of(figure.panels[i]);
    if (i == 0) text += "  unset label 1\n";
  }
  return text + "  unset multiplot\n  unset output\n}\n";
}

}  // namespace foretrain
