// Reads a CSV file into gradient times by batch size.
#include "scenarios/resolve/batch_times.h"

#include "models/data/file_bytes.h"
#include "models/data/refuse.h"
#include "scenarios/language/csv.h"
#include "scenarios/language/decimal.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace foretrain {
namespace {

constexpr std::string_view kBatchSize = "batch_size";
constexpr std::string_view kSeconds = "seconds";

/// Reads a file row by row.
class TableReader {
 public:
  explicit TableReader(const std::string& path)
      : file_(path, "a CSV file of step times by batch size"),
        rows_(file_.text(), CsvRows::Comments::are_passed_over,
              [this](std::size_t line, std::size_t, const std::string& what) {
                refuse_line(file_.path(), static_cast<std::int64_t>(line), "{}", what);
              }) {}

  BatchTimes read() {
    while (rows_.next()) read_row(rows_.cells());
    if (times_.empty()) {
      refuse(file_.path(), "no step times; write a line {},{}, then one for each measurement",
             kBatchSize, kSeconds);
    }
    return std::move(times_);
  }

 private:
  void read_row(const CsvCells& cells) {
    if (columns_ == 0) return read_titles(cells);
    if (cells.size() != columns_) {
      refuse_line(file_.path(), line(), "{} values under {} columns; write one for each column",
                  cells.size(), columns_);
    }
    const int examples = batch_size(cells[batch_size_].text);
    times_[examples].push_back(seconds(cells[seconds_].text));
  }

  [[nodiscard]] std::int64_t line() const { return static_cast<std::int64_t>(rows_.line()); }

  void read_titles(const CsvCells& cells) {
    columns_ = cells.size();
    batch_size_ = column(cells, kBatchSize);
    seconds_ = column(cells, kSeconds);
  }

  [[nodiscard]] std::size_t column(const CsvCells& cells, std::string_view name) const {
    const auto found = std::ranges::find(cells, name, &CsvCell::text);
    if (found == cells.end()) {
      refuse_line(file_.path(), line(), "no column is called {}; the first line names them: {},{}",
                  name, kBatchSize, kSeconds);
    }
    if (std::ranges::count(cells, name, &CsvCell::text) > 1) {
      refuse_line(file_.path(), line(), "two columns are called {}; keep one", name);
    }
    return static_cast<std::size_t>(found - cells.begin());
  }

  [[nodiscard]] int batch_size(std::string_view cell) const {
    constexpr std::int64_t kMost = 10'000'000;
    const auto decimal = parse_decimal(cell);
    const auto number = decimal ? to_integer(*decimal) : std::nullopt;
    if (number && *number >= 1 && *number <= kMost) return static_cast<int>(*number);
    refuse_line(file_.path(), line(), "{}: '{}' is no batch size; write a whole number, 1 to {}",
                kBatchSize, cell, kMost);
  }

  [[nodiscard]] double seconds(std::string_view cell) const {
    constexpr double kMost_s = 1e6;
    const auto decimal = parse_decimal(cell);
    if (!decimal) {
      refuse_line(file_.path(), line(), "{}: '{}' is not a number; write one, 0.0121 for instance",
                  kSeconds, cell);
    }
    const double time_s = to_double(*decimal);
    if (time_s > 0 && time_s <= kMost_s) return time_s;
    refuse_line(file_.path(), line(), "{}: {} is {}; write seconds", kSeconds, cell,
                time_s > 0 ? "more than 1000000" : "not above 0");
  }

  FileBytes file_;
  CsvRows rows_;
  std::size_t columns_ = 0;     // columns of the first line; 0: not read yet
  std::size_t batch_size_ = 0;  // its column
  std::size_t seconds_ = 0;     // its column
  BatchTimes times_;
};

}  // namespace

BatchTimes read_batch_times(const std::string& path) { return TableReader(path).read(); }

}  // namespace foretrain
