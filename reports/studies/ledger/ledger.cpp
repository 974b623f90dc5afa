// Rows of the ledger, from a validation or from its file.
#include "reports/studies/ledger/ledger.h"

#include "reports/record/files.h"
#include "reports/record/record_csv.h"
#include "reports/record/table_file.h"
#include "reports/studies/validation/goals.h"
#include "reports/studies/validation/verdict.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace foretrain {
namespace {

constexpr auto kColumns = std::to_array<std::string_view>(
    {"processor", "family", "model", "cores", "l1d_bytes", "l2_bytes", "l3_bytes", "date", "commit",
     "file", "strategy", "cases", "noisy", "median", "p95", "held", "protocol_median",
     "protocol_p95"});

/// Further digits vary between runs of one machine, so they say nothing about the forecast.
double rounded(double share) { return std::round(share * 1e4) / 1e4; }

/// Reads the cells of a row in order.
class Cells {
 public:
  explicit Cells(const TableRow& row) : row_(row) {}

  std::string text() { return row_.cells[next_++]; }
  int whole() { return whole_in(text(), row_.place).value_or(0); }
  Bytes bytes() { return {count_in(text(), row_.place)}; }
  double share() { return number_in(text(), row_.place); }
  std::optional<double> known_share() {
    if (row_.cells[next_].empty()) {
      ++next_;
      return std::nullopt;
    }
    return share();
  }
  bool yes() {
    const std::string word = text();
    if (word == "yes" || word == "no") return word == "yes";
    throw InputError(fmt::format("{}: held: '{}' is neither yes nor no", row_.place, word));
  }

 private:
  const TableRow& row_;
  std::size_t next_ = 0;
};

LedgerRow row_of(const TableRow& table_row) {
  Cells cells(table_row);
  LedgerRow row;
  Processor& processor = row.measured.processor;
  processor.name = cells.text();
  processor.family = cells.whole();
  processor.model = cells.whole();
  processor.cores = cells.whole();
  processor.l1d = cells.bytes();
  processor.l2 = cells.bytes();
  processor.l3 = cells.bytes();
  row.measured.date = cells.text();
  row.measured.commit = cells.text();
  row.measured.file = cells.text();
  row.strategy = cells.text();
  row.cases = cells.whole();
  row.noisy = cells.whole();
  row.median = cells.share();
  row.p95 = cells.share();
  row.held = cells.yes();
  row.protocol_median = cells.known_share();
  row.protocol_p95 = cells.known_share();
  return row;
}

}  // namespace

std::vector<LedgerRow> ledger_rows(const Validation& validation, const Occasion& measured) {
  std::vector<LedgerRow> rows;
  for (const StrategyVerdict& verdict : strategy_verdicts(validation)) {
    const auto& range = verdict.judged();
    if (!range) continue;
    LedgerRow& row = rows.emplace_back();
    row.measured = measured;
    row.strategy = verdict.strategy;
    row.cases = verdict.cases;
    row.noisy = verdict.noisy;
    row.median = rounded(range->median);
    row.p95 = rounded(range->p95);
    row.held = range->median <= kGoalStepTimeMedian && range->p95 <= kGoalStepTimeP95;
    if (!verdict.protocol) continue;
    row.protocol_median = rounded(verdict.protocol->median);
    row.protocol_p95 = rounded(verdict.protocol->p95);
  }
  return rows;
}

std::vector<LedgerRow> read_ledger(const std::filesystem::path& path) {
  std::vector<LedgerRow> rows;
  if (!std::filesystem::exists(path)) return rows;
  for (const TableRow& row : read_table(path.string(), kColumns)) rows.push_back(row_of(row));
  return rows;
}

std::vector<LedgerRow> newest_rows(const std::vector<LedgerRow>& rows) {
  std::vector<LedgerRow> newest;
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    const auto replaces = [&](const LedgerRow& later) {
      const Occasion& a = row->measured;
      const Occasion& b = later.measured;
      return a.processor == b.processor && a.file == b.file && a != b && a.date <= b.date;
    };
    const bool dated = std::any_of(rows.begin(), row, [&](const LedgerRow& earlier) {
      return replaces(earlier) && row->measured.date < earlier.measured.date;
    });
    if (!dated && std::none_of(row, rows.end(), replaces)) newest.push_back(*row);
  }
  return newest;
}

std::string ledger_csv(const std::vector<LedgerRow>& rows) {
  const auto known = [](std::optional<double> value) {
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  CsvWriter csv(kColumns);
  for (const LedgerRow& row : rows) {
    const Processor& processor = row.measured.processor;
    csv.text(processor.name).integer(processor.family).integer(processor.model);
    csv.integer(processor.cores).integer(processor.l1d.value).integer(processor.l2.value);
    csv.integer(processor.l3.value).text(row.measured.date).text(row.measured.commit);
    csv.text(row.measured.file).text(row.strategy).integer(row.cases).integer(row.noisy);
    csv.number(row.median).number(row.p95).text(row.held ? "yes" : "no");
    csv.number(known(row.protocol_median)).number(known(row.protocol_p95)).end_row();
  }
  return std::string(csv.written());
}

void enter_into_ledger(const std::filesystem::path& path, const std::vector<LedgerRow>& rows) {
  std::vector<LedgerRow> ledger = read_ledger(path);
  if (!rows.empty()) {
    std::erase_if(ledger,
                  [&](const LedgerRow& row) { return row.measured == rows.front().measured; });
  }
  ledger.insert(ledger.end(), rows.begin(), rows.end());
  write_text_file(path, ledger_csv(ledger));
}

}  // namespace foretrain
