// What a page shows of records.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"

#include <string>
#include <vector>

namespace foretrain {

/// What came out, in the sentence that a terminal begins with.
std::string sentence_of(const std::vector<Record>& records);

/// Summary, learning, resources, steps, timeline, staleness: those of which the records know
/// something. `builds`: that wrote each of them, as Found has them; may be left out.
std::vector<Section> sections_of(const std::vector<Record>& records,
                                 const std::vector<std::string>& builds = {});

}  // namespace foretrain
