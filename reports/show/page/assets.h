// What pages are made of beside their figures; the build puts it into the program.
#pragma once

#include <string_view>

namespace foretrain {

/// The bundle of reports/show/page/src with Vega, Vega-Lite; empty where the build had no npm.
std::string_view page_script();
/// reports/show/page/page.css.
std::string_view page_style();
/// reports/show/page/dark.css, a sheet of its own: the reader switches it as a whole.
std::string_view page_dark_style();

// Of the page that reports/serve serves, which has the styles above, too.

/// The bundle of reports/show/page/src/serve, charts included; empty where the build had no npm.
std::string_view serve_script();
/// reports/show/page/serve.css.
std::string_view serve_style();
/// reports/show/page/serve.html; `@TOKEN@` stands for the token of whoever opens it.
std::string_view serve_document();

}  // namespace foretrain
