// A study's Result as a page.
#pragma once

#include "reports/show/page/page.h"
#include "reports/studies/result/result.h"

#include <string>
#include <vector>

namespace foretrain {

/// A table of the result, without empty columns.
Table page_table(const ResultTable& from, const std::string& source);

/// A section with all tables. A long table that terminals show with --full only is collapsed.
Section result_section(const std::string& id, const std::string& title, const Result& result,
                       std::vector<Figure> figures);

/// A page with the sentence and a section for each table; the first section has the figures.
Page result_page(const std::string& title, const Result& result, std::vector<Figure> figures);

}  // namespace foretrain
