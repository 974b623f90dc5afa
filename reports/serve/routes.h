// The content that the page loads: its parts, the library, records.
#pragma once

#include "reports/web/reply.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace foretrain::serve {

using web::HttpResponse;

/// The HTML document, which its script (show/page/src/serve) fills. `token` is inserted into the
/// addresses of the parts that it loads. If the program was built without npm, the document says
/// so, and names the requests that work without it.
HttpResponse page_document(const std::string& token);

/// `/serve.js`, `/serve.css`, `/page.css`, `/dark.css`. @throws InputError for another path
HttpResponse page_asset(const std::string& path);

/// Content-Security-Policy of a report that is shown within the page: as strict as its own, in a
/// sandbox, so that it cannot access the page although it has the same address.
extern const char* const kReportPolicy;

/// The catalog for the page. `first`: file shown at first, which is `first` if given, else the
/// library's quickstart. `scenarios`: file (as in commands), question, text of each; a `first` that
/// is not in the library comes first. `hosts`: names for `like` in `cluster.hosts`. `strategies`:
/// name, what it does. @throws InputError if the library or the file is
/// missing
nlohmann::ordered_json catalog_json(const std::string& first);

/// Lists the results below `out`, newest first, from at most kMostRecords folders: `folder` (as for
/// `report`, relative to `out`), `kind` (the command that wrote it), `age_s` since it was written,
/// `question`, `result` in a sentence. The cases of a sweep are one entry, so are the repetitions
/// of a case, so are all records of a study. The list is empty if `out` does not exist.
nlohmann::ordered_json records_json(const std::filesystem::path& out);

/// The report.html of such a folder. @throws InputError if it is not below `out`, or has no results
std::string record_page(const std::filesystem::path& out, const std::string& folder);

inline constexpr std::size_t kMostRecords = 200;

}  // namespace foretrain::serve
