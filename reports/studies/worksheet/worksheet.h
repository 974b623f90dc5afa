// A worksheet for a class: each case of a scenario with its forecast, its measurement, questions.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/result/result.h"
#include "reports/studies/whatif/whatif_data.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// The records of one case: all are complete trainings, at most one of the lists is empty.
struct WorksheetCase {
  std::vector<Record> runs;
  std::vector<Record> simulations;
  std::optional<Limit> limit{};  ///< what limits it, by its critical path; only with answers

  [[nodiscard]] const Record& first() const {
    return runs.empty() ? simulations.front() : runs.front();
  }
};

/// Pairs runs with simulations as a validation does: their resolved scenarios are equal, except for
/// `question`. Cases are in the order of their first records. Leaves out trainings that did not
/// end. @throws InputError if no record remains
std::vector<WorksheetCase> worksheet_cases(const std::vector<Record>& records);

/// An object with `cases`: for each its settings, the figures `predicted` and `measured` (columns
/// of trainings_table, medians over the records; null if there are none), `error` (the ratio of
/// predicted to measured, less 1; shares of a step have none), and with answers `limits`.
nlohmann::ordered_json to_json(const std::vector<WorksheetCase>& cases);

/// A table for each case, with questions for paper: columns for the student's own figure, the
/// forecast with its range, the measurement, the error. The last one is left empty without answers,
/// and so is the column of a mode without records, whose title says that.
Result result_of(const std::vector<WorksheetCase>& cases);

}  // namespace foretrain
