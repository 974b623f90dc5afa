// What a page shows of a sweep.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"
#include "reports/studies/sweep/sweep_table.h"

#include <vector>

namespace foretrain {

/// Of records whose settings differ; no rows where they are fewer than three.
SweepTable sweep_of(const std::vector<Record>& records);

/// Lines over the setting with most values, or bars where no setting is a number; a heat map where
/// two are; the rows as a table. The best case is named in the title and marked (best_of).
Section sweep_section(const SweepTable& sweep);

}  // namespace foretrain
