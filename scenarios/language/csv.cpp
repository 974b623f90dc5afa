#include "scenarios/language/csv.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

CsvRows::CsvRows(std::string_view text, Comments comments, Fail fail)
    : text_(text), comments_(comments), fail_(std::move(fail)) {}

bool CsvRows::next() {
  cells_.clear();
  undoubled_.clear();
  if (comments_ == Comments::are_passed_over) pass_over_comments();
  if (at_ >= text_.size()) return false;
  row_line_ = line_;
  bool more = true;
  while (more) {
    read_cell();
    more = at_ < text_.size() && text_[at_] == ',';
    if (more) ++at_;
  }
  ended_ = at_ < text_.size();
  if (ended_) {
    line_begin_ = ++at_;
    ++line_;
  }
  return true;
}

std::vector<std::string> CsvRows::texts() const {
  std::vector<std::string> texts;
  texts.reserve(cells_.size());
  for (const CsvCell& cell : cells_) texts.emplace_back(cell.text);
  return texts;
}

void CsvRows::pass_over_comments() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = trimmed(text_.substr(at_, end - at_));
    if (!line.empty() && line.front() != '#') return;
    line_begin_ = at_ = std::min(end + 1, text_.size());
    ++line_;
  }
}

void CsvRows::read_cell() {
  const std::size_t begin = std::min(text_.find_first_not_of(" \t", at_), text_.size());
  if (begin < text_.size() && text_[begin] == '"') return read_quoted(begin);
  const std::size_t end = end_of_cell(at_);
  cells_.push_back({trimmed(text_.substr(begin, end - begin)), column_of(begin)});
  at_ = end;
}

void CsvRows::read_quoted(std::size_t begin) {
  const std::size_t column = column_of(begin);
  std::size_t from = begin + 1;  // first character not copied yet
  std::string* kept = nullptr;   // unescaped text, if a quote is doubled
  std::size_t quote = text_.find('"', from);
  while (quote != std::string_view::npos && text_.substr(quote + 1, 1) == "\"") {
    if (kept == nullptr) kept = &undoubled_.emplace_back();
    kept->append(text_.substr(from, quote + 1 - from));
    from = quote + 2;
    quote = text_.find('"', from);
  }
  if (quote == std::string_view::npos) {
    fail_(line_, column, "a quoted cell that does not end; write the closing quote");
  }
  std::string_view cell = text_.substr(from, quote - from);
  if (kept != nullptr) cell = kept->append(cell);
  cells_.push_back({cell, column});
  for (std::size_t at = begin; (at = text_.find('\n', at)) < quote; ++at) {
    line_begin_ = at + 1;
    ++line_;
  }
  at_ = end_of_cell(quote + 1);
  if (!trimmed(text_.substr(quote + 1, at_ - quote - 1)).empty()) {
    fail_(line_, column_of(quote + 1),
          "text after the closing quote of a cell; write a comma before it");
  }
}

std::size_t CsvRows::end_of_cell(std::size_t from) const {
  while (from < text_.size() && text_[from] != ',' && text_[from] != '\n') ++from;
  return from;
}

}  // namespace foretrain
