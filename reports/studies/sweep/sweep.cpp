#include "reports/studies/sweep/sweep.h"

#include "models/base/check.h"
#include "reports/record/caveats.h"
#include "reports/record/files.h"
#include "reports/record/flat.h"
#include "reports/record/forecast_range.h"
#include "reports/record/not_done.h"
#include "reports/record/record_csv.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/parallel/in_parallel.h"
#include "reports/studies/sweep/finding.h"
#include "reports/studies/sweep/sweep_table.h"
#include "reports/studies/validation/cached_runs.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

Json row_of(std::size_t number, const std::string& name, const Case& each, Mode mode) {
  Json row;
  row["case"] = number;
  row["name"] = name;
  for (const Setting& setting : each.settings) row[setting.key] = setting.value;
  row["mode"] = name_of(mode);
  row["machine"] = "";
  row["status"] = "failed";
  row["error"] = "";
  row["scenario"] = digest_of(each);
  return row;
}

constexpr const char* kStandsOn = "stands_on";

void add_record(const Record& record, Json& row) {
  const bool done = record.outcome == Outcome::done;
  row["machine"] = record.machine;
  row["status"] = done ? "done" : "failed";
  row["error"] = record.failure;
  for (const auto& [figure, value] : flat_figures(record)) {
    // Null means not reached: the other rows have a time to the target.
    const bool told = value || figure.starts_with("time_to_target_s");
    if (told) row[figure] = value ? Json(*value) : Json();
  }
  if (record.mode == Mode::simulate) row[kForecastError] = forecast_range(record).error();
  const std::string currency = summarize(record).price.currency;
  if (!currency.empty()) row["currency"] = currency;
  const std::string footing = stands_on(record);
  if (!footing.empty()) row[kStandsOn] = footing;
  const std::vector<std::string> told = caveats(record);
  if (!told.empty()) row[kCaveats] = fmt::format("{}", fmt::join(told, "; "));
}

/// Number of a row that belongs to none of these cases; empty if there is none.
std::optional<std::size_t> other_row(const SweepRows& rows, const std::vector<Case>& cases,
                                     Mode mode) {
  for (const auto& [number, row] : rows) {
    const bool same = number < cases.size() &&
                      row.value("scenario", "") == digest_of(cases[number]) &&
                      row.value("mode", "") == name_of(mode);
    if (!same) return number;
  }
  return std::nullopt;
}

/// A sweep in its folder.
class Sweeper {
 public:
  Sweeper(const std::vector<Case>& cases, const SweepOptions& options)
      : cases_(cases), options_(options), names_(folder_names(cases)) {}

  SweepResult sweep() {
    result_.cases = cases_.size();
    prepare_folder(options_.folder);
    Journal journal(options_.folder, options_.shard);
    const std::vector<std::size_t> to_come = look();
    const auto all = std::ssize(to_come);
    const auto one = [&](std::int64_t i) {
      if (options_.interrupted()) interrupted();
      if (is_over()) return;
      finish(to_come[static_cast<std::size_t>(i)], journal, all);
    };
    if (all > 0) one(0);
    in_parallel(all - 1, options_.jobs, [&](std::int64_t i) { one(i + 1); });
    result_.rows = read_rows(options_.folder);  // includes rows that other shards wrote meanwhile
    check_rows();
    for (const auto& [number, row] : not_kept_) result_.rows[number] = row;
    result_.failed = std::ranges::count_if(
        result_.rows, [](const auto& row) { return row.second.value("status", "") != "done"; });
    try {
      if (result_.complete()) write_table();
    } catch (const WriteError& error) {
      result_.not_kept = error.what();
    }
    return std::move(result_);
  }

 private:
  /// The cases of the shard that still need a row.
  std::vector<std::size_t> look() {
    result_.rows = read_rows(options_.folder);
    check_rows();
    std::vector<std::size_t> to_come;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!options_.shard.has(i)) continue;
      const auto found = result_.rows.find(i);
      const bool kept = found != result_.rows.end() &&
                        (!options_.retry || found->second.value("status", "") == "done");
      if (kept) {
        ++result_.found;
      } else {
        to_come.push_back(i);
      }
    }
    return to_come;
  }

  void check_rows() const {
    const auto other = other_row(result_.rows, cases_, options_.mode);
    if (!other) return;
    throw InputError(fmt::format(
        "{}: the row of case {} is of another scenario or mode; name another folder with --out, or "
        "move that sweep aside with --force",
        options_.folder.string(), *other));
  }

  void finish(std::size_t number, Journal& journal, std::int64_t all) {
    Json row = row_of(number, names_[number], cases_[number], options_.mode);
    try {
      const Record record = options_.train(cases_[number]);
      if (record.outcome == Outcome::interrupted) return interrupted();
      add_record(record, row);
      if (options_.records) write_record(record, options_.folder / "cases" / names_[number]);
    } catch (const NotDone& error) {
      if (error.outcome() == Outcome::interrupted) return interrupted();
      row["error"] = error.what();
    } catch (const InvariantViolation& error) {
      row["error"] = fmt::format("foretrain has a bug: {}", error.what());
    } catch (const std::exception& error) {
      row["error"] = error.what();
    }
    const std::string wrong = keep(journal, row);
    const std::lock_guard lock(mutex_);
    if (!wrong.empty()) {
      result_.not_kept = wrong;
      not_kept_[number] = std::move(row);
    }
    options_.progress(++result_.done, all);
  }

  /// The write error; empty if the row is on the disk.
  static std::string keep(Journal& journal, const Json& row) {
    try {
      journal.add(row);
      return {};
    } catch (const WriteError& error) {
      return error.what();
    }
  }

  void interrupted() {
    const std::lock_guard lock(mutex_);
    result_.interrupted = true;
  }
  bool is_over() {
    const std::lock_guard lock(mutex_);
    return result_.interrupted || !result_.not_kept.empty();
  }

  void write_table() const {
    const std::string csv = sweep_csv(result_.rows);
    const Scenario& scenario = cases_.front().scenario;
    const SweepTable table = read_sweep(csv, "sweep.csv");
    const Json about = {{"name", scenario.name},
                        {"question", scenario.question},
                        {"sentence", sweep_sentence(table)},
                        {"stands_on", stands_on(result_.rows)}};
    write_text_file(options_.folder / "sweep.json",
                    about.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    write_text_file(options_.folder / "sweep.csv", csv);
  }

  const std::vector<Case>& cases_;
  const SweepOptions& options_;
  std::vector<std::string> names_;
  std::mutex mutex_;
  SweepResult result_;
  SweepRows not_kept_;
};

void add_cell(const Json& row, const std::string& column, CsvWriter& csv) {
  const auto found = row.find(column);
  if (found == row.end() || found->is_null()) {
    csv.empty();
  } else if (found->is_string()) {
    csv.text(found->get<std::string>());
  } else if (found->is_number_integer()) {
    csv.integer(found->get<std::int64_t>());
  } else {
    csv.number(found->get<double>());
  }
}

}  // namespace

SweepResult sweep_into(const std::vector<Case>& cases, const SweepOptions& options) {
  FT_CHECK_OP(options.jobs, >=, 1);
  return Sweeper(cases, options).sweep();
}

bool can_go_on(const std::vector<Case>& cases, const SweepOptions& options) {
  try {
    return !other_row(read_rows(options.folder), cases, options.mode);
  } catch (const InputError&) {
    return false;  // the rows are damaged
  }
}

std::filesystem::path set_sweep_aside(const std::filesystem::path& folder) {
  std::vector<std::string> names{"sweep.csv", "sweep.json", "cases"};
  for (const std::filesystem::path& path : row_files(folder)) {
    names.push_back(path.filename().string());
  }
  return set_aside(folder, names);
}

std::string sweep_csv(const SweepRows& rows) {
  std::vector<std::string> columns;
  for (const auto& [number, row] : rows) {
    for (const auto& [column, unused] : row.items()) {
      if (column == "scenario" || column == kStandsOn) continue;  // sweep.json has the latter
      if (std::ranges::find(columns, column) != columns.end()) continue;
      columns.push_back(column);
    }
  }
  const std::vector<std::string_view> titles(columns.begin(), columns.end());
  CsvWriter csv(titles);
  for (const auto& [number, row] : rows) {
    for (const std::string& column : columns) add_cell(row, column, csv);
    csv.end_row();
  }
  return std::string(csv.written());
}

std::vector<std::string> stands_on(const SweepRows& rows) {
  std::vector<std::string> all;
  for (const auto& [number, row] : rows) {
    std::string text = row.value(kStandsOn, "");
    if (text.empty() || std::ranges::find(all, text) != all.end()) continue;
    all.push_back(std::move(text));
  }
  return all;
}

std::string to_text(const SweepResult& result, const Shard& shard) {
  std::string text = fmt::format("{} of {} cases are done", result.rows.size(), result.cases);
  if (shard.count > 1)
    text += fmt::format(", {} by shard {}/{}", result.done, shard.index, shard.count);
  if (result.found > 0) text += fmt::format(", {} by earlier starts", result.found);
  if (result.failed > 0) text += fmt::format("; {} failed", result.failed);
  text = wrap(text + ".");
  int told = 0;
  for (const auto& [number, row] : result.rows) {
    constexpr int kTold = 5;
    if (row.value("status", "") == "done" || ++told > kTold) continue;
    text += wrap(fmt::format("  {}: {}", row.value("name", ""), row.value("error", "")));
  }
  return text;
}

}  // namespace foretrain
