#include "reports/show/page/result_page.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace foretrain {

Table page_table(const ResultTable& from, const std::string& source) {
  Table table{from.title, source, {}, {}};
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    const ResultColumn& column = from.columns[i];
    const bool number = std::ranges::any_of(from.rows, [&](const ResultRow& row) {
      return std::holds_alternative<double>(row.values[i]);
    });
    constexpr std::size_t kLong = 30;  // characters of a sentence, which may be wrapped
    const bool wide = std::ranges::any_of(from.rows, [&](const ResultRow& row) {
      return cell_text(row.values[i], column.kind).size() > kLong;
    });
    std::string title = column.title;
    std::ranges::replace(title, '\n', ' ');
    table.columns.push_back({title, number, wide && !number});
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

Section result_section(const std::string& id, const std::string& title, const Result& result,
                       std::vector<Figure> figures) {
  Section section{id, title, result.sentence + " " + result.stands_on, {}, std::move(figures)};
  for (const ResultTable& table : result.tables) {
    if (table.rows.empty()) continue;
    section.tables.push_back(page_table(table, {}));
    section.tables.back().folded = table.full && table.rows.size() > kBriefRows;
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
    page.sections.push_back({table.name,
                             table.title,
                             table.text,
                             {page_table(table, result.stands_on)},
                             std::move(figures),
                             {},
                             table.questions});
    figures.clear();
  }
  return page;
}

}  // namespace foretrain
