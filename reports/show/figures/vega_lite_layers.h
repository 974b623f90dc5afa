// The layers of a panel's Vega-Lite specification.
#pragma once

#include "reports/show/figures/extent.h"
#include "reports/show/figures/figure.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain {

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
