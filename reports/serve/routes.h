// What the page asks of the program: itself, the library, records.
#pragma once

#include "reports/web/reply.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace foretrain::serve {

using web::Said;

/// The document; its script (show/page/src/serve) fills it. `token`: in the addresses of what it
/// loads. Where the program was built without npm it says so, with what can be asked instead.
Said page_document(const std::string& token);

/// `/serve.js`, `/serve.css`, `/page.css`, `/dark.css`. @throws InputError where it is none of them
Said page_asset(const std::string& path);

/// The policy of a report that is shown beside it: as closed as its own, and kept away from this
/// page, of which it is no part though it has its address.
extern const char* const kReportPolicy;

/// `first`: the file that the page begins with: the one that is named here, else the library's
/// quickstart. `scenarios`: file, as commands name it, question, text; one that is not of the
/// library before those that are. `hosts`: what `cluster.hosts` can be `like`. `strategies`: what
/// of them concerns controls. @throws InputError where there is no library, or no such file
nlohmann::ordered_json shelf_json(const std::string& first);

/// Those below `out`, the newest first, at most kMostRecords: `folder` (as `report` would name it,
/// without `out`), `kind` (record, validation, sweep, whatif), `age_s` since it was written. An
/// `out` that is not there has none.
nlohmann::ordered_json records_json(const std::filesystem::path& out);

/// The report.html of one of them. @throws InputError where it is not below `out`, or holds nothing
/// that a report is made of
std::string record_page(const std::filesystem::path& out, const std::string& folder);

inline constexpr std::size_t kMostRecords = 500;

}  // namespace foretrain::serve
