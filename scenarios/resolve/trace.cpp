// Reads a CSV file of step times as factors with mean 1.
#include "models/data/file_bytes.h"
#include "models/data/refuse.h"
#include "scenarios/language/csv.h"
#include "scenarios/language/decimal.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/stragglers.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::string_view kWorker = "worker";
constexpr std::string_view kToDo = "write a time above 0 in every row";

/// Reads a file row by row.
class TraceReader {
 public:
  TraceReader(const std::string& path, const std::string& column)
      : file_(path, "a CSV file of step times"),
        rows_(without_end(file_.text()), CsvRows::Comments::are_rows,
              [this](std::size_t line, std::size_t, const std::string& what) {
                refuse_line(file_.path(), static_cast<std::int64_t>(line), "{}", what);
              }) {
    there_is_one_ = rows_.next();
    if (there_is_one_) read_columns(column);
  }

  Trace read() {
    double sum = 0;
    std::size_t count = 0;
    for (; there_is_one_; there_is_one_ = rows_.next()) {
      const CsvCells& fields = rows_.cells();
      if (fields.size() != columns_) {
        refuse_line(file_.path(), line(), "{} values, but the first line has {}; {}", fields.size(),
                    columns_, kToDo);
      }
      const double time = time_in(fields);
      sum += time;
      ++count;
      times_[worker_ ? worker_in(fields) : 0].push_back(time);
    }
    if (count == 0) refuse(file_.path(), "there are no step times; {}", kToDo);
    Trace trace;
    for (auto& [worker, times] : times_) {
      for (double& time : times) time /= sum / static_cast<double>(count);
      trace.factors.push_back(std::move(times));
    }
    return trace;
  }

 private:
  /// Removes blank lines at the end, which are not rows.
  static std::string_view without_end(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  }

  [[nodiscard]] std::int64_t line() const { return static_cast<std::int64_t>(rows_.line()); }

  void read_columns(const std::string& column) {
    const CsvCells& first = rows_.cells();
    columns_ = first.size();
    time_ = columns_ - 1;
    const auto is_number = [](const CsvCell& cell) { return parse_decimal(cell.text).has_value(); };
    if (std::ranges::all_of(first, is_number)) {
      if (!column.empty()) {
        refuse_line(file_.path(), 1,
                    "the first line has times, not names of columns, so there is no column {}; "
                    "leave column out, or write a first line of names",
                    column);
      }
      return;  // they are times
    }
    const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(first, name, &CsvCell::text);
      if (found == first.end()) return std::nullopt;
      return static_cast<std::size_t>(found - first.begin());
    };
    if (!column.empty()) {
      const auto found = find(column);
      if (!found) refuse_column(column, first);
      time_ = *found;
    }
    name_ = first[time_].text;
    worker_ = find(kWorker);
    if (worker_ == time_) worker_.reset();
    there_is_one_ = rows_.next();
  }

  [[noreturn]] void refuse_column(const std::string& column, const CsvCells& first) {
    std::vector<std::string_view> there;
    for (const CsvCell& cell : first) there.push_back(cell.text);
    constexpr std::size_t kShown = 8;
    if (there.size() > kShown) {
      there.resize(kShown);
      there.emplace_back("...");
    }
    refuse_line(file_.path(), 1, "no column is called {}; there are {}", column,
                fmt::join(there, ", "));
  }

  [[nodiscard]] std::string called() const {
    return name_.empty() ? "" : fmt::format("{}: ", name_);
  }

  [[nodiscard]] double time_in(const CsvCells& fields) const {
    const std::string_view field = fields[time_].text;
    if (field.empty()) refuse_line(file_.path(), line(), "{}no value; {}", called(), kToDo);
    const auto decimal = parse_decimal(field);
    if (!decimal) {
      refuse_line(file_.path(), line(), "{}'{}' is not a number; {}", called(), field, kToDo);
    }
    const double time = to_double(*decimal);
    // A larger time could make the sum infinite.
    constexpr double kMost = 1e200;
    if (!(time > 0) || time > kMost) {
      refuse_line(file_.path(), line(), "{}{} is {}; {}", called(), field,
                  time > 0 ? "out of range" : "not above 0", kToDo);
    }
    return time;
  }

  [[nodiscard]] std::int64_t worker_in(const CsvCells& fields) const {
    const std::string_view field = fields[*worker_].text;
    const auto decimal = parse_decimal(field);
    const auto number = decimal ? to_integer(*decimal) : std::nullopt;
    if (!number) {
      refuse_line(file_.path(), line(), "{}: '{}' is not a whole number; number the workers",
                  kWorker, field);
    }
    return *number;
  }

  FileBytes file_;
  CsvRows rows_;
  bool there_is_one_ = false;  // a row of times is read ahead
  std::size_t columns_ = 0;
  std::size_t time_ = 0;               // column
  std::optional<std::size_t> worker_;  // column
  std::string name_;                   // of the column with times
  std::map<std::int64_t, std::vector<double>> times_;
};

}  // namespace

Trace read_trace(const std::string& path, const std::string& column) {
  return TraceReader(path, column).read();
}

Traces::Traces(const Case& scenario_case) {
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Trace>> read;
  for (const StragglerSpec& spec : scenario_case.scenario.stragglers) {
    std::shared_ptr<const Trace>& trace = traces_.emplace_back();
    if (spec.trace.empty()) continue;
    std::shared_ptr<const Trace>& known = read[{spec.trace, spec.column}];
    try {
      if (!known) known = std::make_shared<const Trace>(read_trace(spec.trace, spec.column));
    } catch (const DataError& error) {
      const std::string key = fmt::format("stragglers[{}].trace", traces_.size() - 1);
      fail_at(scenario_case.place_of(key), key, error.what());
    }
    trace = known;
  }
}

}  // namespace foretrain
