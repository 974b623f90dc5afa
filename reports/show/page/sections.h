// What a page shows of each kind of result.
#pragma once

#include "reports/record/json_object.h"
#include "reports/record/record.h"
#include "reports/show/page/page.h"
#include "reports/studies/sweep/sweep_table.h"

#include <string>
#include <vector>

namespace foretrain {

/// Summary, learning, resources, steps, timeline, staleness: those of which the records know
/// something. `builds`: that wrote each of them, as Found has them; may be left out.
std::vector<Section> sections_of(const std::vector<Record>& records,
                                 const std::vector<std::string>& builds = {});

/// Of records whose settings differ; no rows where they are fewer than three.
SweepTable sweep_of(const std::vector<Record>& records);

/// Lines over the setting with most values, or bars where no setting is a number; a heat map where
/// two are; sweep_result. The best case is named in the title and marked (best_of).
Section sweep_section(const SweepTable& sweep, const std::vector<std::string>& stands_on = {});

/// Predicted against measured with error by strategy; validation_result. `validation` is what
/// validation.json holds.
/// @throws InputError with the key that is wrong
Section validation_section(const JsonObject& validation);

}  // namespace foretrain
