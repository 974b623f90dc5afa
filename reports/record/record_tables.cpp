// Maps the fields of rows to the columns of CSV files.
#include "reports/record/record_tables.h"

#include "reports/record/record_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace foretrain {
namespace {

/// worker, step, start_s, the phases, staleness, loss.
std::span<const std::string_view> step_columns() {
  static const auto phases = [] {
    std::array<std::string, kPhases<Duration>.size()> names;
    std::ranges::transform(kPhases<Duration>, names.begin(),
                           [](const auto& phase) { return fmt::format("{}_s", phase.name); });
    return names;
  }();
  static const auto columns = [] {
    std::vector<std::string_view> names{"worker", "step", "start_s"};
    names.insert(names.end(), phases.begin(), phases.end());
    names.insert(names.end(), {"staleness", "loss"});
    return names;
  }();
  return columns;
}
constexpr auto kEvalColumns = std::to_array<std::string_view>(
    {"step", "version", "time_s", "took_s", "loss", "accuracy", "auc", "final"});
constexpr auto kUsageColumns =
    std::to_array<std::string_view>({"time_s", "node", "cpu_user_s", "cpu_system_s", "rss_bytes",
                                     "tx_bytes", "rx_bytes", "nic_tx_bytes", "nic_rx_bytes"});

/// Writes an empty cell if the number is not known.
void add_known(CsvWriter& csv, Bytes bytes) {
  if (bytes.value < 0) {
    csv.empty();
  } else {
    csv.integer(bytes.value);
  }
}

Instant instant(Duration since_ready) { return Instant{} + since_ready; }

}  // namespace

CsvWriter steps_table() { return CsvWriter(step_columns()); }

void add_row(CsvWriter& csv, const StepRow& row) {
  const StepReport& report = row.report;
  csv.integer(row.worker).integer(report.step.value).time_s(report.start);
  for (const auto& [name, of] : kPhases<Duration>) csv.time_s(report.phases.*of);
  csv.integer(report.staleness).number(report.loss).end_row();
}

CsvWriter evals_table() { return CsvWriter(kEvalColumns); }

void add_row(CsvWriter& csv, const EvalReport& row) {
  csv.integer(row.step.value).integer(row.version.value).time_s(row.time).time_s(row.took);
  csv.number(row.loss).number(row.accuracy).number(row.auc).integer(row.final ? 1 : 0).end_row();
}

CsvWriter usage_table() { return CsvWriter(kUsageColumns); }

void add_row(CsvWriter& csv, const UsageRow& row) {
  csv.time_s(row.time).integer(row.node).number(row.cpu_user_s).number(row.cpu_system_s);
  add_known(csv, row.rss);
  csv.integer(row.tx.value).integer(row.rx.value);
  add_known(csv, row.nic_tx);
  add_known(csv, row.nic_rx);
  csv.end_row();
}

std::vector<StepRow> parse_steps(std::string_view text, const std::string& source) {
  CsvReader csv(text, source, step_columns());
  std::vector<StepRow> rows;
  while (csv.next_row()) {
    StepRow& row = rows.emplace_back();
    row.worker = static_cast<int>(csv.integer());
    row.report.step = {csv.integer()};
    row.report.start = instant(csv.time_s());
    for (const auto& [name, of] : kPhases<Duration>) row.report.phases.*of = csv.time_s();
    row.report.staleness = csv.integer();
    row.report.loss = csv.number();
  }
  return rows;
}

std::vector<EvalReport> parse_evals(std::string_view text, const std::string& source) {
  CsvReader csv(text, source, kEvalColumns);
  std::vector<EvalReport> rows;
  while (csv.next_row()) {
    EvalReport& e = rows.emplace_back();
    e.step = {csv.integer()};
    e.version = {csv.integer()};
    e.time = instant(csv.time_s());
    e.took = csv.time_s();
    e.loss = csv.number();
    e.accuracy = csv.number();
    e.auc = csv.number();
    e.final = csv.integer() != 0;
  }
  return rows;
}

std::vector<UsageRow> parse_usage(std::string_view text, const std::string& source) {
  CsvReader csv(text, source, kUsageColumns);
  std::vector<UsageRow> rows;
  while (csv.next_row()) {
    UsageRow& u = rows.emplace_back();
    u.time = instant(csv.time_s());
    u.node = static_cast<int>(csv.integer());
    u.cpu_user_s = csv.number();
    u.cpu_system_s = csv.number();
    u.rss = {csv.optional_integer().value_or(-1)};
    u.tx = {csv.integer()};
    u.rx = {csv.integer()};
    u.nic_tx = {csv.optional_integer().value_or(-1)};
    u.nic_rx = {csv.optional_integer().value_or(-1)};
  }
  return rows;
}

}  // namespace foretrain
