// Validations of records that are made up.
#pragma once

#include "reports/studies/validation/validation.h"
#include "tests/reports/support.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A record whose time is `ms` milliseconds, in which every step takes a tenth of that, all of it
/// compute.
Record timed(Mode mode, const Case& scenario_case, std::int64_t ms);

/// A simulation on a machine whose cores took 0.9 to 1.25 times their median while it was
/// calibrated.
Record calibrated(const Case& scenario_case, std::int64_t ms);

/// A case of `strategy` with one more setting of its sweep.
Case case_with(const std::string& strategy, const std::string& key, const std::string& value);

/// What a case's runs take, and its simulation.
struct Times {
  std::vector<std::int64_t> runs_ms;
  std::int64_t simulated_ms = 0;
};

/// A case against what its records say.
CaseValidation compare_times(const Case& scenario_case, const Times& times);

/// One case of sync, one of async, which compute the same number of gradients.
Validation validate_times(const Times& sync, const Times& async);

/// What is compared under `metric`; it has to be there.
const Comparison& metric(const CaseValidation& c, const std::string& name);

/// The text that a terminal shows.
std::string text_of(const Validation& validation, bool full);
/// The same with a single space wherever some, or the end of a line, stand.
std::string words_of(const Validation& validation, bool full);

/// The columns of the widest line.
std::size_t widest_line(const std::string& text);

}  // namespace foretrain::testing
