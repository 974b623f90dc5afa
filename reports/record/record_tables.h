// The rows of a record as the text of its CSV files.
#pragma once

#include "reports/record/record.h"
#include "reports/record/record_csv.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

// Each of these returns a table with its title row, to which add_row appends.

/// worker, step, start_s, the six phases, staleness, loss (empty: not known).
CsvWriter steps_table();
void add_row(CsvWriter& csv, const StepRow& row);
/// step, version, time_s, took_s, loss, accuracy, auc, final (0 or 1).
CsvWriter evals_table();
void add_row(CsvWriter& csv, const EvalReport& row);
/// time_s, node, cpu_user_s, cpu_system_s, rss_bytes (empty: not modelled), tx_bytes, rx_bytes,
/// nic_tx_bytes, nic_rx_bytes (empty: not counted).
CsvWriter usage_table();
void add_row(CsvWriter& csv, const UsageRow& row);

// Parsers of these tables. `source` is the file's name in messages. @throws InputError

std::vector<StepRow> parse_steps(std::string_view text, const std::string& source);
std::vector<EvalReport> parse_evals(std::string_view text, const std::string& source);
std::vector<UsageRow> parse_usage(std::string_view text, const std::string& source);

}  // namespace foretrain
