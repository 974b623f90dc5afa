// A made-up report with every section.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {

/// Runs and simulations of sync and async with the usage of three nodes; the async ones have stale
/// gradients.
std::vector<Record> records_with_usage();

/// A record of `steps` steps of two workers, with one peak in the times, one peak and one dip in
/// the losses.
Record long_record(int steps);

/// The output of `whatif --json` for a case.
nlohmann::ordered_json whatif_json();

/// The table of a sweep: workers x batch sizes, one case failed.
std::string sweep_csv();

/// Another table: 1, 2, 4 workers on hosts with prices in euros.
std::string priced_sweep_csv();

/// A page with every section.
Page page_of_everything();

}  // namespace foretrain::testing
