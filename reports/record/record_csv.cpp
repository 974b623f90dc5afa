// Cells of tables, written by fmt, read by from_chars.
#include "reports/record/record_csv.h"

#include "models/base/check.h"
#include "scenarios/resolve/read.h"

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

/// `text` as a number, if all of it is one.
template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Parses seconds with up to nine decimals as nanoseconds, exactly, without a double.
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
  // Unsigned, since the smallest integer cannot be negated.
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
  // Readers strip blanks around an unquoted cell.
  const bool bare = value.find_first_of(",\"\r\n") == std::string_view::npos &&
                    (value.empty() || (!is_blank(value.front()) && !is_blank(value.back())));
  if (bare) {
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
    : source_(std::move(source)),
      columns_(columns),
      rows_(text, CsvRows::Comments::are_rows,
            [this](std::size_t line, std::size_t, const std::string& what) { fail(line, what); }) {
  const bool titled = rows_.next() && rows_.ended();
  if (!titled || !std::ranges::equal(rows_.cells(), columns, {}, &CsvCell::text)) {
    fail(1, fmt::format("the columns are not {}", fmt::join(columns, ",")));
  }
  column_ = columns_.size();
}

bool CsvReader::next_row() {
  FT_CHECK_OP(column_, ==, columns_.size());
  if (!rows_.next()) return false;
  if (!rows_.ended()) fail(rows_.line(), "the file ends in the middle of a row");
  column_ = 0;
  if (const std::size_t cells = rows_.cells().size(); cells != columns_.size()) {
    fail(rows_.line(), fmt::format("{} cells under {} columns", cells, columns_.size()));
  }
  return true;
}

std::string_view CsvReader::cell() {
  FT_CHECK_OP(column_, <, columns_.size());
  return rows_.cells()[column_++].text;
}

void CsvReader::fail(std::size_t line, const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}; the record is damaged", source_, line, what));
}

void CsvReader::fail_cell(std::string_view cell, std::string_view wanted) const {
  fail(rows_.line(), fmt::format("{}: '{}' is not {}", columns_[column_ - 1], cell, wanted));
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

}  // namespace foretrain
