#include "reports/show/page/result_page.h"

#include <utility>
#include <variant>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;

Table table_of(const ResultTable& from, const std::string& source) {
  Table table{from.title, source, {}, {}};
  for (const ResultColumn& column : from.columns) {
    const bool wide = column.kind == ColumnKind::comment || column.kind == ColumnKind::note;
    table.columns.push_back({column.title, !wide && column.kind != ColumnKind::words, wide});
  }
  for (const ResultRow& row : from.rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (std::size_t i = 0; i < from.columns.size(); ++i) {
      Cell cell{cell_text(row.values[i], from.columns[i].kind)};
      if (from.columns[i].judged && row.good) {
        cell.tone = *row.good ? Cell::Tone::good : Cell::Tone::bad;
      }
      cells.push_back(std::move(cell));
    }
  }
  table.drop_empty_columns();
  return table;
}

}  // namespace

Section result_section(const std::string& id, const std::string& title, const Result& result,
                       std::vector<Figure> figures) {
  Section section{id, title, result.sentence + " " + result.stands_on, {}, std::move(figures)};
  for (const ResultTable& table : result.tables) {
    if (!table.rows.empty()) section.tables.push_back(table_of(table, {}));
  }
  std::erase_if(section.figures, [](const Figure& figure) { return figure.panels.empty(); });
  if (result.notes.empty()) return section;
  Table notes{"Notes", {}, {{"note", false, true}}, {}};
  for (const std::string& note : result.notes) notes.rows.push_back({{note}});
  section.tables.push_back(std::move(notes));
  return section;
}

Page result_page(const std::string& title, const Result& result, std::vector<Figure> figures) {
  Page page{title, {}, result.sentence, {}};
  for (const ResultTable& table : result.tables) {
    page.sections.push_back(
        {table.name, table.title, {}, {table_of(table, result.stands_on)}, std::move(figures)});
    figures.clear();
  }
  return page;
}

}  // namespace foretrain
