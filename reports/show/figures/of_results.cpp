// Bars of the per cents in a result's tables.
#include "reports/show/figures/of_studies.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;

/// A bar for each row. A negative share extends to the left of zero, down to -100 %.
Panel bars_of(const ResultTable& table, std::size_t column, int colour) {
  constexpr double kPerCent = 100;
  const std::string& title = table.columns[column].title;
  Panel panel{table.title, title + " [%]", "", {}, {}};
  Series bars{title, {}, {}, false, colour, Mark::span};
  for (const ResultRow& row : table.rows) {
    const auto* share = std::get_if<double>(&row.values[column]);
    if (share == nullptr) continue;
    bars.x.push_back(std::clamp(*share * kPerCent, -kPerCent, 0.0));
    bars.x_end.push_back(std::max(0.0, *share * kPerCent));
    bars.y.push_back(static_cast<double>(panel.rows.size()));
    bars.names.push_back(cell_text(row.values.front(), ColumnKind::words));
    const std::string value = cell_text(*share, table.columns[column].kind);
    panel.rows.push_back(bars.names.back() + ", " + value);
  }
  if (!bars.x.empty()) panel.series.push_back(std::move(bars));
  return panel;
}

}  // namespace

Figure result_figure(const std::string& name, const Result& result, const std::string& source) {
  Figure figure{name, result.sentence.substr(0, result.sentence.find(';')), {}, source};
  for (const ResultTable& table : result.tables) {
    const auto column = std::ranges::find_if(table.columns, [](const ResultColumn& c) {
      return c.kind == ColumnKind::share || c.kind == ColumnKind::change;
    });
    if (column == table.columns.end()) continue;
    const auto colour = static_cast<int>(2 * figure.panels.size());
    Panel panel = bars_of(table, static_cast<std::size_t>(column - table.columns.begin()), colour);
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace foretrain
