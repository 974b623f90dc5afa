// Validations of made-up records.
#pragma once

#include "reports/studies/validation/validation.h"
#include "tests/reports/support.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A record with a time of `ms` milliseconds; every step takes a tenth of that, all of it compute.
Record timed(Mode mode, const Case& scenario_case, std::int64_t ms);

/// A simulation on a machine whose cores took 0.9 to 1.25 times their median during its
/// calibration.
Record calibrated(const Case& scenario_case, std::int64_t ms);

/// A case of `strategy` with one more setting of its sweep.
Case case_with(const std::string& strategy, const std::string& key, const std::string& value);

/// The times of a case's runs and of its simulation.
struct Times {
  std::vector<std::int64_t> runs_ms;
  std::int64_t simulated_ms = 0;
};

/// The validation of a case with these times.
CaseValidation compare_times(const Case& scenario_case, const Times& times);

/// A case of sync and a case of async with the same number of gradients.
Validation validate_times(const Times& sync, const Times& async);

/// The comparison of `metric`, which has to exist.
const Comparison& metric(const CaseValidation& c, const std::string& name);

/// The text on a terminal.
std::string text_of(const Validation& validation, bool full);
/// The same with each run of spaces and line ends replaced by one space.
std::string words_of(const Validation& validation, bool full);

/// The width of the widest line, in columns.
std::size_t widest_line(const std::string& text);

}  // namespace foretrain::testing
