// What folders hold that run, simulate, validate, sweep, whatif wrote, as pages.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace foretrain::serve {

/// Those below `out`, the newest first, at most kMostRecords: `folder` (as `report` would name it,
/// without `out`), `kind` (record, validation, sweep, whatif), `age_s` since it was written. An
/// `out` that is not there has none.
nlohmann::ordered_json records_json(const std::filesystem::path& out);

/// The report.html of one of them. @throws InputError where it is not below `out`, or holds nothing
/// that a report is made of
std::string record_page(const std::filesystem::path& out, const std::string& folder);

inline constexpr std::size_t kMostRecords = 500;

}  // namespace foretrain::serve
