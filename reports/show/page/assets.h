// What the page is made of beside a report's own figures; the build puts it into the program.
#pragma once

#include <string_view>

namespace foretrain {

/// The bundle of reports/show/page/src with Vega, Vega-Lite; empty where the build had no npm.
std::string_view page_script();
/// reports/show/page/page.css.
std::string_view page_style();
/// reports/show/page/dark.css, a sheet of its own: the reader switches it as a whole.
std::string_view page_dark_style();

}  // namespace foretrain
