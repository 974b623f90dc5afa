// A study's answer as a page.
#pragma once

#include "reports/show/page/page.h"
#include "reports/studies/result/result.h"

#include <string>
#include <vector>

namespace foretrain {

/// A table of it, without columns of which no row says anything.
Table page_table(const ResultTable& from, const std::string& source);

/// A section with all tables; rows of a table for everything alone are folded where they are many.
Section result_section(const std::string& id, const std::string& title, const Result& result,
                       std::vector<Figure> figures);

/// The sentence, a section for each table; the figures stand in the first one.
Page result_page(const std::string& title, const Result& result, std::vector<Figure> figures);

}  // namespace foretrain
