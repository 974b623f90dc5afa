// The layers of a panel's Vega-Lite specification.
#include "reports/show/figures/vega_lite.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kColours = 7;                 // defined by the page
constexpr std::size_t kWrittenCells = 120;  // larger heat maps have no numbers in their cells
constexpr double kHalfRow = 0.38;           // of a horizontal bar, in rows
constexpr int kPadding = 6;                 // pixels at both ends of a y axis without columns
constexpr double kColumnMargin = 0.02;      // above the highest column, as a share of its height

Json field(std::string_view name, std::string_view title) {
  return {{"field", name}, {"type", "quantitative"}, {"title", title}, {"format", ",.6~r"}};
}

Json text_field(std::string_view name, std::string_view title) {
  return {{"field", name}, {"type", "nominal"}, {"title", title}};
}

/// Every one of `values` is labelled: Vega drops those beyond its tick count.
Json ticks_at(const Json& values) { return {{"values", values}, {"tickCount", values.size()}}; }

/// An axis with names at 0, 1, 2, ... from a `parameter` of the specification.
Json named_axis(const std::vector<std::string>& names, const char* parameter) {
  Json values = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) values.push_back(i);
  Json axis = ticks_at(values);
  constexpr std::size_t kFit = 45;  // letters beside each other below a narrow chart
  const bool many = fmt::format("{}", fmt::join(names, "")).size() > kFit;
  if (many && parameter == std::string_view("columns")) axis["labelAngle"] = -30;
  axis.update({{"labelExpr", fmt::format("split(trim({}[datum.value]), '\\n')", parameter)},
               {"labelOverlap", false},
               {"labelPadding", 8},
               {"grid", false},
               {"ticks", false},
               {"title", nullptr}});
  return axis;
}

/// Indices of the series that have one of `marks`.
std::vector<std::size_t> places_of(const Panel& panel, const std::set<Mark>& marks) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    const Series& s = panel.series[k];
    if (marks.contains(s.mark) && !panel.stacks(s)) places.push_back(k);
  }
  return places;
}

std::vector<std::size_t> stacks_of(const Panel& panel) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    if (panel.stacks(panel.series[k]) || panel.series[k].mark == Mark::span) places.push_back(k);
  }
  return places;
}

Json only(const std::vector<std::size_t>& places) {
  return {{"filter", {{"field", "k"}, {"oneOf", places}}}};
}

/// The value of `of` for each series; the legend is the page's, which works with the keyboard, not
/// Vega's.
Json by_series(const Panel& panel, const auto& of) {
  Json titles = Json::array();
  Json range = Json::array();
  for (const Series& s : panel.series) {
    if (std::ranges::find(titles, Json(s.title)) != titles.end()) continue;
    titles.push_back(s.title);
    range.push_back(of(s));
  }
  return {{"field", "series"},
          {"type", "nominal"},
          {"scale", {{"domain", titles}, {"range", range}}},
          {"legend", nullptr}};
}

Json colour_encoding(const Panel& panel) { return by_series(panel, colour_of); }

bool has_names(const Panel& panel) {
  return std::ranges::any_of(panel.series, [](const Series& s) { return !s.names.empty(); });
}

/// Tooltip of a point.
Json point_tooltip(const Drawing& d) {
  Json tooltip = Json::array({text_field("series", "series")});
  if (has_names(d.panel)) tooltip.push_back(text_field("name", "case"));
  if (d.columns.empty()) tooltip.push_back(field("x", d.x_label));
  tooltip.push_back(field("y", d.y_label));
  return tooltip;
}

Json line_layer(const Drawing& d, const std::vector<std::size_t>& places, const std::string& name,
                const char* type, Json mark) {
  mark["type"] = type;
  mark["clip"] = true;
  mark["tooltip"] = nullptr;
  return {
      {"name", name},
      {"transform", Json::array({only(places)})},
      {"mark", std::move(mark)},
      {"encoding",
       {{"color", colour_encoding(d.panel)}, {"detail", {{"field", "k"}, {"type", "nominal"}}}}}};
}

/// Lines, then marks; the mark nearest to the pointer has the tooltip.
void add_lines(const Drawing& d, Json& layers) {
  const auto named = [](std::size_t k) { return fmt::format("line{}", k); };
  for (const std::size_t k : places_of(d.panel, {Mark::guide})) {
    const bool diagonal = d.panel.series[k].colour == 0;
    layers.push_back(
        line_layer(d, {k}, named(k), "line",
                   {{"strokeWidth", 1}, {"strokeDash", diagonal ? Json{1, 0} : Json{4, 4}}}));
  }
  for (const std::size_t k : places_of(d.panel, {Mark::line, Mark::trace})) {
    const Series& s = d.panel.series[k];
    const double width = s.mark == Mark::trace ? 1.2 : s.dashed ? 2 : 2.5;
    layers.push_back(
        line_layer(d, {k}, named(k), "line",
                   {{"strokeWidth", width}, {"strokeDash", s.dashed ? Json{6, 4} : Json{1, 0}}}));
  }
  const auto spoken = places_of(d.panel, {Mark::line, Mark::trace, Mark::points});
  if (spoken.empty()) return;
  Json marks = line_layer(d, spoken, "points", "point", {{"filled", true}, {"opacity", 1}});
  marks["transform"].push_back({{"filter", "datum.marked"}});
  marks["encoding"]["shape"] = by_series(d.panel, shape_of);
  const Json lone = {{"field", "k"}, {"oneOf", places_of(d.panel, {Mark::points})}};
  marks["encoding"]["size"] = {{"condition", {{"test", lone}, {"value", 80}}}, {"value", 40}};
  layers.push_back(std::move(marks));
  Json hover = line_layer(d, spoken, "hover", "point",
                          {{"filled", false}, {"size", 110}, {"strokeWidth", 2.5}});
  hover["params"] = Json::array(
      {{{"name", "near"},
        {"select",
         {{"type", "point"}, {"nearest", true}, {"on", "pointerover"}, {"clear", "pointerout"}}}}});
  hover["encoding"]["opacity"] = {
      {"condition", {{"param", "near"}, {"empty", false}, {"value", 1}}}, {"value", 0}};
  hover["mark"].erase("tooltip");
  hover["encoding"]["tooltip"] = point_tooltip(d);
  layers.push_back(std::move(hover));
}

/// A rectangle from `x` to `x_end` and from `from` to `to`, which are expressions for y.
Json bar_layer(const Drawing& d, const std::vector<std::size_t>& places, const char* name,
               const char* from, const char* to) {
  return {{"name", name},
          {"transform", Json::array({only(places),
                                     {{"calculate", from}, {"as", "y0"}},
                                     {{"calculate", to}, {"as", "y1"}}})},
          {"mark", {{"type", "rect"}, {"clip", true}}},
          {"encoding",
           {{"x2", {{"field", "x_end"}}},
            {"y", {{"field", "y0"}, {"type", "quantitative"}}},
            {"y2", {{"field", "y1"}}},
            {"color", colour_encoding(d.panel)}}}};
}

void add_bars(const Drawing& d, Json& layers) {
  const auto patterned = [&](Json& layer, const std::vector<std::size_t>& places) {
    // Forecasts are pale, since a pattern would need an image.
    Json dashed = Json::array();
    for (const std::size_t k : places) {
      if (d.panel.series[k].dashed) dashed.push_back(k);
    }
    if (dashed.empty()) return;
    layer["encoding"]["opacity"] = {
        {"condition", {{"test", {{"field", "k"}, {"oneOf", dashed}}}, {"value", 0.55}}},
        {"value", 1}};
  };
  if (const auto places = places_of(d.panel, {Mark::column}); !places.empty()) {
    Json layer = bar_layer(d, places, "columns", "0", "datum.y");
    Json& tooltip = layer["encoding"]["tooltip"] = Json::array({text_field("series", "series")});
    if (has_names(d.panel)) tooltip.push_back(text_field("name", d.x_label));
    tooltip.push_back(field("y", d.y_label));
    patterned(layer, places);
    layers.push_back(std::move(layer));
  }
  const auto places = stacks_of(d.panel);
  if (places.empty()) return;
  Json layer = bar_layer(d, places, "bars", fmt::format("datum.y - {}", kHalfRow).c_str(),
                         fmt::format("datum.y + {}", kHalfRow).c_str());
  Json& tooltip = layer["encoding"]["tooltip"] = Json::array({text_field("series", "series")});
  if (d.lying || has_names(d.panel)) tooltip.insert(tooltip.begin(), text_field("name", "of"));
  if (d.lying) {
    tooltip.push_back(field("value", d.x_label));
  } else {
    layer["transform"].push_back({{"calculate", "datum.x_end - datum.x"}, {"as", "length"}});
    tooltip.push_back(field("length", fmt::format("length, {}", d.x_label)));
    tooltip.push_back(field("x", fmt::format("from, {}", d.x_label)));
  }
  layers.push_back(layer);
  if (d.panel.series.size() == 1) return;
  // The names of layers that have room for it; the first colour is dark, the others are light.
  layer["name"] = "names";
  layer["mark"] = {{"type", "text"},
                   {"clip", true},
                   {"align", "left"},
                   {"dx", 4},
                   {"text",
                    {{"expr",
                      "abs(scale('x', datum.x_end) - scale('x', datum.x)) > 8 + 7 * "
                      "length(datum.series) ? datum.series : ''"}}}};
  for (const char* channel : {"x2", "y", "y2"}) layer["encoding"].erase(channel);
  layer["encoding"]["color"] = {
      {"condition", {{"test", "datum.k === 0"}, {"value", "var(--paper)"}}}, {"value", "#000000"}};
  layers.push_back(std::move(layer));
}

/// Arrows above the bars, from the middle of a row to the edge of another.
void add_arrows(const Drawing& d, Json& layers) {
  const auto places = places_of(d.panel, {Mark::arrow});
  if (places.empty()) return;
  const auto calculated = [](const std::string& what, const char* as) {
    return Json{{"calculate", what}, {"as", as}};
  };
  Json transform = Json::array(
      {only(places), calculated("datum.x", "sent"),
       calculated("datum.y_end > datum.y ? 'down' : 'up'", "way"),
       calculated(fmt::format("datum.y_end + (datum.y_end > datum.y ? -{0} : {0})", kHalfRow),
                  "edge")});
  const Json tooltip = Json::array({text_field("series", "series"), text_field("name", "of"),
                                    field("sent", fmt::format("sent, {}", d.x_label)),
                                    field("x_end", fmt::format("arrived, {}", d.x_label))});
  layers.push_back({{"name", "arrows"},
                    {"transform", transform},
                    {"mark", {{"type", "rule"}, {"clip", true}, {"strokeWidth", 1.2}}},
                    {"encoding",
                     {{"x2", {{"field", "x_end"}}},
                      {"y2", {{"field", "edge"}}},
                      {"color", colour_encoding(d.panel)},
                      {"tooltip", tooltip}}}});
  transform.push_back(calculated("datum.x_end", "x"));
  layers.push_back(
      {{"name", "heads"},
       {"transform", transform},
       {"mark",
        {{"type", "point"}, {"clip", true}, {"filled", true}, {"size", 50}, {"opacity", 1}}},
       {"encoding",
        {{"y", {{"field", "edge"}, {"type", "quantitative"}}},
         {"shape",
          {{"field", "way"},
           {"type", "nominal"},
           {"scale", {{"domain", {"down", "up"}}, {"range", {"triangle-down", "triangle-up"}}}},
           {"legend", nullptr}}},
         {"color", colour_encoding(d.panel)},
         {"tooltip", tooltip}}}});
}

void add_cells(const Drawing& d, Json& layers) {
  const auto places = places_of(d.panel, {Mark::cell});
  if (places.empty()) return;
  Extent extent;
  std::size_t cells = 0;
  for (const std::size_t k : places) {
    cells += d.panel.series[k].value.size();
    for (const double value : d.panel.series[k].value) extent.add(value);
  }
  Json layer = bar_layer(d, places, "cells", "datum.y - 0.5", "datum.y + 0.5");
  layer["transform"].push_back({{"calculate", "datum.x - 0.5"}, {"as", "x0"}});
  layer["transform"].push_back({{"calculate", "datum.x + 0.5"}, {"as", "x1"}});
  layer["encoding"]["x"] = {{"field", "x0"}, {"type", "quantitative"}};
  layer["encoding"]["x2"] = {{"field", "x1"}};
  layer["encoding"]["color"] = {
      {"field", "value"},
      {"type", "quantitative"},
      {"scale", {{"scheme", "viridis"}, {"zero", false}}},
      {"legend", {{"orient", "bottom"}, {"title", d.panel.value_label}, {"gradientLength", 200}}}};
  Json tooltip = Json::array();
  if (has_names(d.panel)) tooltip.push_back(text_field("name", "case"));
  tooltip.push_back(field("value", d.panel.value_label));
  layer["encoding"]["tooltip"] = tooltip;
  layers.push_back(std::move(layer));
  if (cells > kWrittenCells) return;
  // The upper end of viridis is a bright yellow.
  const std::string bright = fmt::format("datum.value > {}", extent.least + 0.55 * extent.range());
  layers.push_back(
      {{"name", "figures"},
       {"transform", Json::array({only(places)})},
       {"mark", {{"type", "text"}, {"fontSize", 12}}},
       {"encoding",
        {{"tooltip", tooltip},  // same tooltip on the number as on the cell
         {"text", {{"field", "value"}, {"type", "quantitative"}, {"format", ",.4~r"}}},
         {"color",
          {{"condition", {{"test", bright}, {"value", "#000000"}}}, {"value", "#FFFFFF"}}}}}});
}

/// Padding keeps marks at the ends complete; columns begin at zero.
Json y_scale(const Panel& panel) {
  if (panel.log_y()) {
    Extent shown = y_extent(panel);
    for (const double tick : log_ticks(shown)) shown.add(tick);
    Json scale{{"type", "log"}, {"nice", false}, {"padding", kPadding}};
    if (!shown.empty()) scale["domain"] = {shown.least, shown.most};
    return scale;
  }
  Extent columns;
  for (const Series& s : panel.series) {
    if (s.mark != Mark::column) continue;
    for (const double y : s.y) columns.add(y);
  }
  if (columns.empty()) {
    // A rounded, padded axis that includes zero would begin far below zero.
    const bool zero = begins_at_zero(panel);
    return {{"zero", zero}, {"nice", !zero}, {"padding", kPadding}};
  }
  Json scale{{"zero", true}, {"nice", true}};
  if (columns.most > 0) scale["domainMax"] = columns.most * (1 + kColumnMargin);
  return scale;
}

}  // namespace

std::string colour_of(const Series& s) {
  const bool grey = s.mark == Mark::guide || s.mark == Mark::arrow;
  return fmt::format("var(--{}-{})", grey ? "guide" : "series", s.colour % kColours);
}

std::string_view shape_of(const Series& s) {
  constexpr auto kShapes = std::to_array<std::string_view>(
      {"circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "cross"});
  return kShapes[static_cast<std::size_t>(s.colour + s.colour / kColours) % kShapes.size()];
}

Json x_encoding(const Drawing& d) {
  Json x = {{"field", "x"}, {"type", "quantitative"}};
  x["scale"] = {
      {"nice", false}, {"domainMin", {{"expr", "x_from"}}}, {"domainMax", {{"expr", "x_to"}}}};
  // A logarithmic scale has no `zero`.
  x["scale"].update(d.panel.log_x() ? Json{{"type", "log"}} : Json{{"zero", false}});
  x["axis"] = d.columns.empty() ? Json{{"title", d.x_label}} : named_axis(d.columns, "columns");
  if (d.panel.log_x() && d.columns.empty()) {
    const bool placed = !d.panel.x_ticks.empty();
    x["axis"] = ticks_at(placed ? d.panel.x_ticks : log_ticks(d.x));
    x["axis"]["title"] = d.x_label + " (log scale)";
  }
  if (!d.columns.empty() && !d.x_label.empty()) x["axis"]["title"] = d.x_label;
  // Only the lowest of stacked panels has labels.
  if (d.above) x["axis"].update({{"title", nullptr}, {"labels", false}});
  return x;
}

Json y_encoding(const Drawing& d) {
  Json y = {{"field", "y"}, {"type", "quantitative"}};
  if (d.rows.empty()) {
    y["scale"] = y_scale(d.panel);
    y["axis"] = {{"title", nullptr}, {"minExtent", 44}};
    if (d.panel.log_y()) y["axis"].update(ticks_at(log_ticks(y_extent(d.panel))));
    return y;
  }
  y["scale"] = {{"zero", false},
                {"nice", false},
                {"reverse", true},
                {"domain", {-0.6, static_cast<double>(d.rows.size()) - 0.4}}};
  y["axis"] = named_axis(d.rows, "rows");
  if (d.panel.has_cells()) y["axis"]["title"] = d.y_label;
  return y;
}

Json layers_of(const Drawing& d) {
  Json layers = Json::array();
  add_cells(d, layers);
  add_bars(d, layers);
  add_arrows(d, layers);
  add_lines(d, layers);
  return layers;
}

}  // namespace foretrain
