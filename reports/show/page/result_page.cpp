#include "reports/show/page/result_page.h"

#include <utility>
#include <variant>

namespace foretrain {

Table page_table(const ResultTable& from, const std::string& source) {
  Table table{from.title, source, {}, {}};
  using Kind = ResultColumn::Kind;
  for (const ResultColumn& column : from.columns) {
    const bool words = column.kind == Kind::words || column.kind == Kind::comment;
    table.columns.push_back({column.title, !words, column.kind == Kind::comment});
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

Page result_page(const std::string& title, const Result& result, std::vector<Figure> figures) {
  Page page{title, {}, result.sentence, {}};
  for (const ResultTable& table : result.tables) {
    page.sections.push_back(
        {table.name, table.title, {}, {page_table(table, result.stands_on)}, std::move(figures)});
    figures.clear();
  }
  return page;
}

}  // namespace foretrain
