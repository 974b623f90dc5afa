// The page itself: what stands in it before anything is asked.
#pragma once

#include "reports/serve/reply.h"

#include <string>

namespace foretrain::serve {

/// The document; its script (show/page/src/serve) fills it. `token`: in the addresses of what it
/// loads. Where the program was built without npm it says so, with what can be asked instead.
Said page_document(const std::string& token);

/// `/serve.js`, `/serve.css`, `/page.css`, `/dark.css`. @throws InputError where it is none of them
Said page_asset(const std::string& path);

/// The policy of a report that is shown beside it: as closed as its own, and kept away from this
/// page, of which it is no part though it has its address.
extern const char* const kReportPolicy;

}  // namespace foretrain::serve
