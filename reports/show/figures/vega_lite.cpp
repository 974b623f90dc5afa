#include "reports/show/figures/vega_lite.h"

#include "models/base/check.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/figures/axes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 6;           // of a number, at least
constexpr int kMostDigits = 10;      // more would be rounding noise
constexpr double kMargin = 0.012;    // beside the points, as a share of the length of the x axis
constexpr double kLogMargin = 0.03;  // likewise on both sides of a logarithmic axis

// Heights in pixels, without labels.
constexpr int kHeight = 240;
constexpr int kStackedHeight = 130;
constexpr int kRowHeight = 28;
constexpr int kLineHeight = 14;      // of a row's name
constexpr std::size_t kWidest = 25;  // characters of its line; about 160 pixels
constexpr int kCellHeight = 44;

Drawing drawing_of(const Panel& panel, bool above) {
  const bool lying =
      std::ranges::any_of(panel.series, [&](const Series& s) { return panel.stacks(s); });
  std::vector<std::string> rows = lying ? panel.categories : panel.rows;
  for (std::string& row : rows) row = wrap(row, kWidest);
  if (lying) return {panel, true, above, {}, rows, panel.y_label, panel.x_label};
  return {panel, false, above, panel.categories, rows, panel.x_label, panel.y_label};
}

constexpr std::array kMarkNames{"line",   "points", "guide", "trace",
                                "column", "span",   "cell",  "arrow"};

/// `value` with the digits that distinguish it from its neighbours, which are within `range`.
Json rounded(double value, double range) {
  if (!std::isfinite(value)) return {};
  int digits = kDigits;
  if (range > 0 && std::abs(value) > range) {
    digits += static_cast<int>(std::ceil(std::log10(std::abs(value) / range)));
  }
  const std::string text = fmt::format("{:.{}g}", value, std::min(digits, kMostDigits));
  return std::strtod(text.c_str(), nullptr);
}

Json rounded(const std::vector<double>& values) {
  Extent extent;
  for (const double value : values) extent.add(value);
  Json array = Json::array();
  for (const double value : values) array.push_back(rounded(value, extent.range()));
  return array;
}

/// The points of all series by column.
struct Columns {
  std::vector<double> k, x, y, x_end, y_end, value;
  std::vector<std::string> names;
};

Columns panel_columns(const Panel& panel) {
  Columns c;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> tops(panel.categories.size());
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    const Series& s = panel.series[k];
    FT_CHECK_OP(s.x.size(), ==, s.y.size());
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      c.k.push_back(static_cast<double>(k));
      c.x.push_back(s.x[i]);
      c.y.push_back(s.y[i]);
      c.x_end.push_back(s.x_end.empty() ? unknown : s.x_end[i]);
      c.y_end.push_back(s.y_end.empty() ? unknown : s.y_end[i]);
      c.value.push_back(s.value.empty() ? unknown : s.value[i]);
      c.names.push_back(s.names.empty() ? std::string() : s.names[i]);
      if (!panel.stacks(s)) continue;
      // A layer of a horizontal bar begins at the end of the previous one, in its category's row.
      double& top = tops.at(static_cast<std::size_t>(s.x[i]));
      c.y.back() = s.x[i];
      c.x.back() = top;
      c.x_end.back() = top += s.y[i];
      c.value.back() = s.y[i];
      c.names.back() = panel.categories[static_cast<std::size_t>(s.x[i])];
    }
  }
  return c;
}

Json to_json(const Columns& c) {
  const auto any = [](const std::vector<double>& values) {
    return std::ranges::any_of(values, [](double v) { return std::isfinite(v); });
  };
  Json json = {{"k", rounded(c.k)}, {"x", rounded(c.x)}, {"y", rounded(c.y)}};
  if (any(c.x_end)) json["x_end"] = rounded(c.x_end);
  if (any(c.y_end)) json["y_end"] = rounded(c.y_end);
  if (any(c.value)) json["value"] = rounded(c.value);
  if (std::ranges::any_of(c.names, [](const auto& name) { return !name.empty(); })) {
    json["name"] = c.names;
  }
  return json;
}

Extent extent_of(const Columns& c, const Drawing& drawing) {
  Extent extent;
  if (!drawing.columns.empty()) {
    extent.add(-0.6);
    extent.add(static_cast<double>(drawing.columns.size()) - 0.4);
    return extent;
  }
  for (const double x : c.x) extent.add(x);
  for (const double x : c.x_end) extent.add(x);
  if (!drawing.panel.log_x() && !drawing.panel.view) extent.add(0);
  return extent;
}

int height_of(const Figure& figure, const Drawing& d) {
  const auto rows = static_cast<int>(d.rows.size());
  std::size_t lines = 0;
  for (const std::string& name : d.rows) lines = std::max(lines, name.size() / kWidest);
  const int height = kRowHeight + kLineHeight * static_cast<int>(lines);
  if (rows > 0) return std::max(2, rows) * (d.panel.has_cells() ? kCellHeight : height);
  return figure.stacked ? kStackedHeight : kHeight;
}

Json spec_of(const Figure& figure, const Drawing& d, const Extent& extent) {
  const Panel& panel = d.panel;
  const std::pair whole{extent.least, extent.most};
  const auto [from, to] = d.lying ? whole : panel.view.value_or(whole);
  std::set<std::string> titles;
  for (const Series& s : panel.series) titles.insert(s.title);
  Json spec;
  spec["description"] =
      fmt::format("{}: {}{}{}; {}", panel.title, d.y_label, d.x_label.empty() ? "" : " against ",
                  d.x_label, fmt::join(titles, ", "));
  spec["data"] = {{"name", "rows"}};
  spec["params"] = Json::array({{{"name", "x_from"}, {"value", from}},
                                {{"name", "x_to"}, {"value", to}},
                                {{"name", "hidden"}, {"value", Json::array()}},
                                {{"name", "columns"}, {"value", d.columns}},
                                {{"name", "rows"}, {"value", d.rows}}});
  spec["transform"] = Json::array({{{"filter", "indexof(hidden, datum.series) < 0"}}});
  spec["width"] = "container";
  spec["height"] = height_of(figure, d);
  spec["autosize"] = {{"type", "fit-x"}, {"contains", "padding"}};
  spec["encoding"] = {{"x", x_encoding(d)}, {"y", y_encoding(d)}};
  spec["layer"] = layers_of(d);
  return spec;
}

Json panel_json(const Figure& figure, const Panel& panel) {
  const bool above = figure.stacked && &panel != &figure.panels.back();
  Drawing drawing = drawing_of(panel, above);
  const Columns columns = panel_columns(panel);
  Extent extent = extent_of(columns, drawing);
  if (extent.range() <= 0) extent.most = extent.least + 1;  // an axis needs a length
  if (panel.log_x() && extent.least > 0) {
    const double margin = std::pow(extent.most / extent.least, kLogMargin);
    extent.most *= margin;
    extent.least /= margin;
  } else {
    // Room for the first and the last mark; horizontal bars begin at the axis.
    const double margin = kMargin * extent.range();
    extent.most += margin;
    if (!drawing.lying) extent.least -= margin;
  }
  drawing.x = extent;
  Json series = Json::array();
  for (const Series& s : panel.series) {
    const char* mark = panel.stacks(s) ? "bar" : kMarkNames.at(static_cast<std::size_t>(s.mark));
    series.push_back({{"title", s.title},
                      {"colour", colour_of(s)},
                      {"shape", shape_of(s)},
                      {"dashed", s.mark == Mark::guide ? s.colour > 0 : s.dashed},
                      {"mark", mark}});
  }
  return {{"title", panel.title},
          {"x_label", drawing.x_label},
          {"y_label", panel.has_cells() ? panel.value_label : drawing.y_label},
          {"y_note", drawing.lying ? "" : y_note(panel)},
          {"series", series},
          {"columns", to_json(columns)},
          {"extent", {extent.least, extent.most}},
          {"spec", spec_of(figure, drawing, extent)}};
}

}  // namespace

Json vega_lite(const Figure& figure) {
  Json panels = Json::array();
  for (const Panel& panel : figure.panels) panels.push_back(panel_json(figure, panel));
  return {{"name", figure.name},
          {"title", figure.title},
          {"source", figure.source},
          {"stacked", figure.stacked},
          {"panels", std::move(panels)}};
}

}  // namespace foretrain
