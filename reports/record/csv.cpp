// The digits of a table, written by fmt, read by from_chars.
#include "reports/record/csv.h"

#include "models/base/check.h"
#include "scenarios/read.h"

#include <fmt/compile.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace foretrain {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// `text` as a number, if it is one from its first to its last character.
template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Seconds with up to nine decimals, to the nanosecond; never by way of a double.
std::optional<std::int64_t> parse_ns(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string decimals(text.substr(std::min(point + 1, text.size())));
  if (decimals.size() > 9 || (point < text.size() && decimals.empty())) return std::nullopt;
  decimals.resize(9, '0');
  const auto whole = parse<std::uint64_t>(text.substr(0, point));
  const auto part = parse<std::uint64_t>(decimals);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!whole || !part || *whole > kMost / kNsPerSecond) return std::nullopt;
  const std::uint64_t ns = *whole * kNsPerSecond + *part;
  if (ns > kMost + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - ns : ns);
}

}  // namespace

CsvWriter::CsvWriter(std::span<const std::string_view> columns) {
  for (const std::string_view column : columns) text(column);
  end_row();
}

void CsvWriter::begin_cell() {
  if (row_begun_) buffer_.push_back(',');
  row_begun_ = true;
}

CsvWriter& CsvWriter::integer(std::int64_t value) {
  begin_cell();
  fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), value);
  return *this;
}

CsvWriter& CsvWriter::time_s(Duration value) {
  begin_cell();
  // Unsigned, because the least integer has no positive twin.
  const auto bits = static_cast<std::uint64_t>(value.ns);
  const std::uint64_t ns = value.ns < 0 ? 0 - bits : bits;
  if (value.ns < 0) buffer_.push_back('-');
  fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}.{:09}"), ns / kNsPerSecond,
                 ns % kNsPerSecond);
  return *this;
}

CsvWriter& CsvWriter::number(double value) {
  begin_cell();
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), value);
  return *this;
}

CsvWriter& CsvWriter::text(std::string_view value) {
  begin_cell();
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    buffer_.append(value);
    return *this;
  }
  buffer_.push_back('"');
  for (const char c : value) {
    if (c == '"') buffer_.push_back('"');
    buffer_.push_back(c);
  }
  buffer_.push_back('"');
  return *this;
}

CsvWriter& CsvWriter::empty() {
  begin_cell();
  return *this;
}

void CsvWriter::end_row() {
  buffer_.push_back('\n');
  row_begun_ = false;
}

CsvReader::CsvReader(std::string_view text, std::string source,
                     std::span<const std::string_view> columns)
    : rest_(text), source_(std::move(source)), columns_(columns) {
  const std::string header = fmt::format("{}", fmt::join(columns, ","));
  const std::string_view first = rest_.substr(0, rest_.find('\n'));
  if (first.size() == rest_.size() || first != header) {
    fail(fmt::format("the columns are not {}", header));
  }
  rest_.remove_prefix(first.size() + 1);
  column_ = columns_.size();
}

bool CsvReader::next_row() {
  FT_CHECK_OP(column_, ==, columns_.size());
  if (rest_.empty()) return false;
  ++line_;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) fail("the file ends in the middle of a row");
  row_ = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  column_ = 0;
  const auto cells = static_cast<std::size_t>(std::ranges::count(row_, ',')) + 1;
  if (cells != columns_.size()) {
    fail(fmt::format("{} cells, there are {} columns", cells, columns_.size()));
  }
  return true;
}

std::string_view CsvReader::cell() {
  FT_CHECK_OP(column_, <, columns_.size());
  const std::string_view cell = row_.substr(0, row_.find(','));
  row_.remove_prefix(std::min(cell.size() + 1, row_.size()));
  ++column_;
  return cell;
}

void CsvReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}; the record is damaged", source_, line_, what));
}

void CsvReader::fail_cell(std::string_view cell, std::string_view wanted) const {
  fail(fmt::format("{}: '{}' is not {}", columns_[column_ - 1], cell, wanted));
}

std::int64_t CsvReader::integer() {
  const std::string_view text = cell();
  const auto value = parse<std::int64_t>(text);
  if (!value) fail_cell(text, "a whole number");
  return *value;
}

std::optional<std::int64_t> CsvReader::optional_integer() {
  const std::string_view text = cell();
  if (text.empty()) return std::nullopt;
  const auto value = parse<std::int64_t>(text);
  if (!value) fail_cell(text, "a whole number");
  return value;
}

Duration CsvReader::time_s() {
  const std::string_view text = cell();
  const auto ns = parse_ns(text);
  if (!ns) fail_cell(text, "a time in seconds with at most nine decimals");
  return {*ns};
}

double CsvReader::number() {
  const std::string_view text = cell();
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto value = parse<double>(text);
  if (!value) fail_cell(text, "a number");
  return *value;
}

std::vector<std::vector<std::string>> csv_rows(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      row.push_back(std::exchange(cell, {}));
      if (c == '\n') rows.push_back(std::exchange(row, {}));
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (!cell.empty() || !row.empty()) {
    row.push_back(cell);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace foretrain
