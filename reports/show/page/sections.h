// The sections of a page for each kind of result.
#pragma once

#include "reports/record/json_object.h"
#include "reports/record/record.h"
#include "reports/show/page/page.h"
#include "reports/studies/sweep/sweep_table.h"

#include <string>
#include <vector>

namespace foretrain {

/// Sections for summary, learning, resources, steps, timeline, staleness; sections without data are
/// empty. `builds`: program version of each record, as in Found; optional.
std::vector<Section> sections_of(const std::vector<Record>& records,
                                 const std::vector<std::string>& builds = {});

/// Records with different settings as a sweep; no rows if there are fewer than three records.
SweepTable sweep_of(const std::vector<Record>& records);

/// Lines over the numeric setting with most values, or bars if no setting is numeric; a heat map of
/// two numeric settings; the tables of sweep_result. Title and marks show the best case (best_of).
Section sweep_section(const SweepTable& sweep, const std::vector<std::string>& stands_on = {});

/// Predicted over measured step times with errors by strategy; the tables of validation_result.
/// `validation` is the object in validation.json.
/// @throws InputError that names the wrong key
Section validation_section(const JsonObject& validation);

}  // namespace foretrain
