// A study's answer as a page.
#pragma once

#include "reports/show/page/page.h"
#include "reports/studies/result/result.h"

#include <string>
#include <vector>

namespace foretrain {

/// One section with all of it.
Section result_section(const std::string& id, const std::string& title, const Result& result,
                       std::vector<Figure> figures);

/// The sentence, a section for each table; the figures stand in the first one.
Page result_page(const std::string& title, const Result& result, std::vector<Figure> figures);

}  // namespace foretrain
