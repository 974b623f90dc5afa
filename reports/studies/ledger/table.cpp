// The ledger as a table of a README.
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/validation/goals.h"
#include "scenarios/input_error.h"
#include "scenarios/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

/// One validation: rows that differ in strategy alone.
struct LedgerEntry {
  const Occasion* measured;
  std::vector<const LedgerRow*> rows;

  [[nodiscard]] const LedgerRow* of(const std::string& strategy) const {
    const auto found = std::ranges::find(rows, strategy, &LedgerRow::strategy);
    return found == rows.end() ? nullptr : *found;
  }
};

bool same_place(const Occasion& a, const Occasion& b) {
  return a.processor == b.processor && a.file == b.file;
}

/// Of each file on each machine the newest, in the order in which the ledger names them first.
std::vector<LedgerEntry> newest(const std::vector<LedgerRow>& rows) {
  std::vector<LedgerEntry> entries;
  for (const LedgerRow& row : rows) {
    const auto entry = std::ranges::find_if(
        entries, [&](const LedgerEntry& e) { return same_place(*e.measured, row.measured); });
    if (entry == entries.end()) {
      entries.push_back({&row.measured, {&row}});
    } else if (*entry->measured == row.measured) {
      entry->rows.push_back(&row);
    } else if (entry->measured->date <= row.measured.date) {
      *entry = {&row.measured, {&row}};  // of one day the one that was entered last
    }
  }
  return entries;
}

std::vector<std::string> strategies_of(const std::vector<LedgerEntry>& entries) {
  std::vector<std::string> strategies;
  for (const LedgerEntry& entry : entries) {
    for (const LedgerRow* row : entry.rows) {
      if (std::ranges::find(strategies, row->strategy) == strategies.end()) {
        strategies.push_back(row->strategy);
      }
    }
  }
  return strategies;
}

std::string machine_text(const Processor& p) {
  std::string text = fmt::format("{} ({}/{}), {} {}", p.name, p.family, p.model, p.cores,
                                 p.cores == 1 ? "core" : "cores");
  for (const auto& [name, size] : {std::pair{"L1d", p.l1d}, {"L2", p.l2}, {"L3", p.l3}}) {
    if (size.value > 0) text += fmt::format(", {} {}", name, to_text(size));
  }
  return text;
}

/// `10.7 / 17.5`, per cent; bold where it holds.
std::string cell(double median, double p95, bool held) {
  const std::string text = fmt::format("{:.1f} / {:.1f}", median * 100, p95 * 100);
  return held ? fmt::format("**{}**", text) : text;
}

std::string whole_cell(const LedgerRow* row) {
  return row == nullptr ? "-" : cell(row->median, row->p95, row->held);
}

std::string protocol_cell(const LedgerRow* row) {
  if (row == nullptr || !row->protocol_median || !row->protocol_p95) return "-";
  const bool held =
      *row->protocol_median <= kGoalProtocolMedian && *row->protocol_p95 <= kGoalProtocolP95;
  return cell(*row->protocol_median, *row->protocol_p95, held);
}

}  // namespace

std::vector<LedgerRow> newest_rows(const std::vector<LedgerRow>& rows) {
  std::vector<LedgerRow> all;
  all.reserve(rows.size());
  for (const LedgerEntry& entry : newest(rows)) {
    for (const LedgerRow* row : entry.rows) all.push_back(*row);
  }
  return all;
}

std::string ledger_table(const std::vector<LedgerRow>& rows) {
  if (rows.empty()) return {};
  const std::vector<LedgerEntry> entries = newest(rows);
  const std::vector<std::string> strategies = strategies_of(entries);
  std::string text = "| machine | file, date, commit |";
  std::string line = "|---|---|";
  for (const std::string& strategy : strategies) {
    text += fmt::format(" {} |", strategy);
    line += "---|";
  }
  text += "\n" + line + "\n";
  const Processor* last = nullptr;
  for (const LedgerEntry& entry : entries) {
    const Occasion& m = *entry.measured;
    const bool same = last != nullptr && *last == m.processor;
    text += fmt::format("| {} | {}, {}, {} |", same ? "" : machine_text(m.processor), m.file,
                        m.date, m.commit);
    last = &m.processor;
    for (const std::string& strategy : strategies) {
      text += fmt::format(" {} |", whole_cell(entry.of(strategy)));
    }
    text += "\n| | own compute times |";
    for (const std::string& strategy : strategies) {
      text += fmt::format(" {} |", protocol_cell(entry.of(strategy)));
    }
    text += "\n";
  }
  return text;
}

}  // namespace foretrain
