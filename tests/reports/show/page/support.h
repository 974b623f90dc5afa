// A report of everything, made up.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {

/// Runs, simulations of sync, async with usage of three nodes; the async ones have stale gradients.
std::vector<Record> records_with_usage();

/// `steps` steps of each of two workers, whose loss, time have one peak, one dip.
Record long_record(int steps);

/// What `whatif --json` prints of a case, as it writes it.
nlohmann::ordered_json whatif_json();

/// A table as a sweep leaves it: workers x batch sizes, one case failed.
std::string sweep_csv();

/// Another one: 1, 2, 4 workers, whose hosts cost euros.
std::string priced_sweep_csv();

/// A page with every section.
Page page_of_everything();

}  // namespace foretrain::testing
