// What a page shows of a sweep.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Cases beside each other: what was set, what came out.
struct SweepTable {
  struct Row {
    std::string name;
    std::vector<std::string> settings;      ///< by SweepTable::settings
    std::map<std::string, double> figures;  ///< by the names of `simulate --json`
    std::string source;                     ///< mode, machine
    std::string error;                      ///< empty: it was done
  };
  std::vector<std::string> settings;  ///< keys that differ between rows, `training.workers`
  std::vector<Row> rows;
};

/// Of the table that a sweep leaves: columns `case`, `name`, the settings, then `mode`, `machine`,
/// `status`, `error`, then figures. @throws InputError naming `source` where it is no such table
SweepTable read_sweep(std::string_view csv, const std::string& source);

/// Of records whose settings differ; no rows where they are fewer than three.
SweepTable sweep_of(const std::vector<Record>& records);

/// Lines over the setting with most values, or bars where no setting is a number; a heat map where
/// two are; the rows as a table.
Section sweep_section(const SweepTable& sweep);

}  // namespace foretrain
