// A CSV file becomes factors of mean 1.
#include "scenarios/trace.h"

#include "models/data/file_bytes.h"
#include "models/data/refuse.h"
#include "scenarios/csv_line.h"
#include "scenarios/decimal.h"
#include "scenarios/describe/reader.h"

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
constexpr std::string_view kToDo = "every row needs a time above 0";

/// Reads a file line by line.
class TraceReader {
 public:
  TraceReader(const std::string& path, const std::string& column)
      : file_(path, "a CSV file of step times"), text_(file_.text()) {
    const std::size_t end = text_.find_last_not_of(" \t\r\n");
    text_ = text_.substr(0, end == std::string_view::npos ? 0 : end + 1);
    read_columns(column);
  }

  Trace read() {
    double sum = 0;
    std::size_t count = 0;
    while (!text_.empty()) {
      const std::vector<std::string_view> fields = next_line();
      const double time = time_in(fields);
      sum += time;
      ++count;
      times_[worker_ ? worker_in(fields) : 0].push_back(time);
    }
    if (count == 0) refuse(file_.path(), "no step times, so no factors; {}", kToDo);
    Trace trace;
    for (auto& [worker, times] : times_) {
      for (double& time : times) time /= sum / static_cast<double>(count);
      trace.factors.push_back(std::move(times));
    }
    return trace;
  }

 private:
  std::vector<std::string_view> next_line() {
    const std::size_t end = text_.find('\n');
    std::vector<std::string_view> fields = cells_of(text_.substr(0, end));
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++line_;
    if (columns_ > 0 && fields.size() != columns_) {
      refuse_line(file_.path(), line_, "{} values, but the first line has {}; {}", fields.size(),
                  columns_, kToDo);
    }
    return fields;
  }

  void read_columns(const std::string& column) {
    const std::string_view all = text_;
    const std::vector<std::string_view> first = next_line();
    columns_ = first.size();
    time_ = columns_ - 1;
    const auto is_number = [](std::string_view field) { return parse_decimal(field).has_value(); };
    if (std::ranges::all_of(first, is_number)) {
      if (!column.empty()) {
        refuse_line(file_.path(), 1,
                    "no names of columns, so none is {}; leave column out, or "
                    "write them",
                    column);
      }
      text_ = all;
      line_ = 0;
      return;
    }
    const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(first, name);
      if (found == first.end()) return std::nullopt;
      return static_cast<std::size_t>(found - first.begin());
    };
    if (!column.empty()) {
      const auto found = find(column);
      if (!found) refuse_column(column, first);
      time_ = *found;
    }
    name_ = first[time_];
    worker_ = find(kWorker);
    if (worker_ == time_) worker_.reset();
  }

  [[noreturn]] void refuse_column(const std::string& column, std::vector<std::string_view> there) {
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

  [[nodiscard]] double time_in(const std::vector<std::string_view>& fields) const {
    const std::string_view field = fields[time_];
    if (field.empty()) refuse_line(file_.path(), line_, "{}no value; {}", called(), kToDo);
    const auto decimal = parse_decimal(field);
    if (!decimal) {
      refuse_line(file_.path(), line_, "{}'{}' is not a number; {}", called(), field, kToDo);
    }
    const double time = to_double(*decimal);
    // Not so large either that a sum of them is no number any more.
    constexpr double kMost = 1e200;
    if (!(time > 0) || time > kMost) {
      refuse_line(file_.path(), line_, "{}{} is {}; {}", called(), field,
                  time > 0 ? "out of range" : "not above 0", kToDo);
    }
    return time;
  }

  [[nodiscard]] std::int64_t worker_in(const std::vector<std::string_view>& fields) const {
    const std::string_view field = fields[*worker_];
    const auto decimal = parse_decimal(field);
    const auto number = decimal ? to_integer(*decimal) : std::nullopt;
    if (!number) {
      refuse_line(file_.path(), line_, "{}: '{}' is not a whole number; number the workers",
                  kWorker, field);
    }
    return *number;
  }

  FileBytes file_;
  std::string_view text_;  // what is still to be read
  std::int64_t line_ = 0;
  std::size_t columns_ = 0;
  std::size_t time_ = 0;               // column
  std::optional<std::size_t> worker_;  // column
  std::string_view name_;              // of the column of times
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
