// Vega-Lite specifications of a figure with their data, for the page.
#pragma once

#include "reports/show/figures/axes.h"
#include "reports/show/figures/figure.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// An object for a figure: `name`, `title`, `source`, `stacked`, `panels`. Each panel has:
///   title, x_label, y_label, y_note (the scale, if it needs a word)
///   series    title, colour (`var(--series-0)`, defined by the page), shape, dashed, mark of each
///   columns   its points by column (x, y, k = index of the series, ...), since an array of
///             objects would be three times as long
///   extent    minimum and maximum of x
///   spec      a Vega-Lite specification (version 6) whose data `rows` the page makes of the
///             columns, adding `series`, the title of the series k
/// Parameters of the specification, which the page sets: `x_from`, `x_to`, the visible part of the
/// x axis; `hidden`, titles of hidden series.
///
/// Bars on categories are horizontal, so that their names have room. Numbers have at least six
/// digits, and more if neighbours would otherwise be equal.
nlohmann::ordered_json vega_lite(const Figure& figure);

/// A panel as the page draws it: with horizontal bars the axes are exchanged.
struct Drawing {
  const Panel& panel;
  bool lying = false;  ///< categories are rows
  bool above = false;  ///< another panel below has the same x axis
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::string x_label;
  std::string y_label;
  Extent x{};  ///< all of the x axis
};

/// `var(--series-0)`: the page defines the colours.
std::string colour_of(const Series& s);

/// Vega's name of the mark of its points, which tells series apart without colours.
std::string_view shape_of(const Series& s);

/// Encodings of the axes: the visible part of x, names at positions.
nlohmann::ordered_json x_encoding(const Drawing& d);
nlohmann::ordered_json y_encoding(const Drawing& d);

/// The layers from bottom to top: cells, bars, arrows, lines with their marks.
nlohmann::ordered_json layers_of(const Drawing& d);

}  // namespace foretrain
