// A figure as specifications of Vega-Lite with their data, for the page.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/show/figures/thin.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain {

/// An object a figure: `name`, `title`, `source`, `stacked`, `panels`. Of each panel:
///   title, x_label, y_label
///   series    of each: title, colour (`var(--series-0)`: the page knows the colours), dashed, mark
///   columns   its points, column by column (x, y, k = place of the series, ...), since rows of
///             objects would be thrice as long
///   extent    least, most of x
///   spec      a Vega-Lite specification (version 6) whose data is called `rows`, to be made of
///             the columns; `series` in them is the title of the series k
/// The specification has parameters that the page sets: `x_from`, `x_to`, the part of the x axis
/// that is shown; `hidden`, titles of series that are not.
///
/// Bars on categories lie, so that their names have room. Figures have at least six digits, more
/// where neighbours would not be told apart otherwise.
nlohmann::ordered_json vega_lite(const Figure& figure);

/// A panel as the page draws it: with bars that lie, the axes change places.
struct Drawing {
  const Panel& panel;
  bool lying = false;  ///< categories are rows
  bool above = false;  ///< another panel below has the same x axis
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::string x_label;
  std::string y_label;
};

/// `var(--series-0)`: the page knows the colours.
std::string colour_of(const Series& s);

/// How the axes of a panel are encoded: part of the x axis, names at places.
nlohmann::ordered_json x_encoding(const Drawing& d);
nlohmann::ordered_json y_encoding(const Drawing& d);

/// A series of it is a square of a heat map.
bool has_cells(const Panel& panel);

/// What is drawn, the lowest first: cells, bars, arrows, lines with their marks.
nlohmann::ordered_json layers_of(const Drawing& d);

}  // namespace foretrain
