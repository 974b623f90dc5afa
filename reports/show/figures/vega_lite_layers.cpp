// The layers of a panel's Vega-Lite specification.
#include "reports/show/figures/vega_lite.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kColours = 7;                 // defined by the page
constexpr std::size_t kMarkedPoints = 60;   // a longer line has no marks
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

/// An axis with names at 0, 1, 2, ... from a `parameter` of the specification.
Json named_axis(std::size_t count, const char* parameter) {
  Json values = Json::array();
  for (std::size_t i = 0; i < count; ++i) values.push_back(i);
  return {{"values", values},
          {"labelExpr", fmt::format("{}[datum.value]", parameter)},
          {"grid", false},
          {"ticks", false},
          {"title", nullptr}};
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

/// Colours by series; the legend is the page's, which works with the keyboard, not Vega's.
Json colour_encoding(const Panel& panel) {
  Json titles = Json::array();
  Json colours = Json::array();
  for (const Series& s : panel.series) {
    if (std::ranges::find(titles, Json(s.title)) != titles.end()) continue;
    titles.push_back(s.title);
    colours.push_back(colour_of(s));
  }
  return {{"field", "series"},
          {"type", "nominal"},
          {"scale", {{"domain", titles}, {"range", colours}}},
          {"legend", nullptr}};
}

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
  std::vector<std::size_t> marked = places_of(d.panel, {Mark::points});
  for (const std::size_t k : places_of(d.panel, {Mark::line, Mark::trace})) {
    const Series& s = d.panel.series[k];
    const double width = s.mark == Mark::trace ? 1.2 : s.dashed ? 2 : 2.5;
    layers.push_back(
        line_layer(d, {k}, named(k), "line",
                   {{"strokeWidth", width}, {"strokeDash", s.dashed ? Json{6, 4} : Json{1, 0}}}));
    const bool mark = !s.dashed || s.x.size() == 1;
    if (mark && s.x.size() <= kMarkedPoints) marked.push_back(k);
  }
  const auto spoken = places_of(d.panel, {Mark::line, Mark::trace, Mark::points});
  if (spoken.empty()) return;
  if (!marked.empty()) {
    layers.push_back(
        line_layer(d, marked, "points", "point", {{"filled", true}, {"size", 36}, {"opacity", 1}}));
  }
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
  if (panel.log_y()) return {{"type", "log"}, {"nice", false}, {"padding", kPadding}};
  Extent columns;
  for (const Series& s : panel.series) {
    if (s.mark != Mark::column) continue;
    for (const double y : s.y) columns.add(y);
  }
  if (columns.empty()) {
    // A rounded, padded axis that includes zero would begin far below zero.
    return {{"zero", panel.from_zero}, {"nice", !panel.from_zero}, {"padding", kPadding}};
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

Json x_encoding(const Drawing& d) {
  Json x = {{"field", "x"}, {"type", "quantitative"}};
  x["scale"] = {
      {"nice", false}, {"domainMin", {{"expr", "x_from"}}}, {"domainMax", {{"expr", "x_to"}}}};
  // A logarithmic scale has no `zero`.
  x["scale"].update(d.panel.log_x() ? Json{{"type", "log"}} : Json{{"zero", false}});
  x["axis"] =
      d.columns.empty() ? Json{{"title", d.x_label}} : named_axis(d.columns.size(), "columns");
  if (!d.panel.x_ticks.empty() && d.columns.empty()) x["axis"]["values"] = d.panel.x_ticks;
  if (!d.columns.empty() && !d.x_label.empty()) x["axis"]["title"] = d.x_label;
  // Only the lowest of stacked panels has labels.
  if (d.above) x["axis"].update({{"title", nullptr}, {"labels", false}});
  return x;
}

Json y_encoding(const Drawing& d) {
  Json y = {{"field", "y"}, {"type", "quantitative"}};
  if (d.rows.empty()) {
    y["scale"] = y_scale(d.panel);
    y["axis"] = {{"title", nullptr}, {"minExtent", 44}, {"grid", !d.panel.log_y()}};
    return y;
  }
  y["scale"] = {{"zero", false},
                {"nice", false},
                {"reverse", true},
                {"domain", {-0.6, static_cast<double>(d.rows.size()) - 0.4}}};
  y["axis"] = named_axis(d.rows.size(), "rows");
  if (has_cells(d.panel)) y["axis"]["title"] = d.y_label;
  return y;
}

bool has_cells(const Panel& panel) { return !places_of(panel, {Mark::cell}).empty(); }

Json layers_of(const Drawing& d) {
  Json layers = Json::array();
  add_cells(d, layers);
  add_bars(d, layers);
  add_arrows(d, layers);
  add_lines(d, layers);
  return layers;
}

}  // namespace foretrain
