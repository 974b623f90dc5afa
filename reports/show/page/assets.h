// The parts of pages besides figures, which the build embeds into the program.
#pragma once

#include <string_view>

namespace foretrain {

/// The bundle of reports/show/page/src with Vega, Vega-Lite; empty if the build had no npm.
std::string_view page_script();
/// reports/show/page/page.css.
std::string_view page_style();
/// reports/show/page/dark.css, a separate style sheet, which the reader can switch on and off.
std::string_view page_dark_style();

// Parts of the page of reports/serve, which also has the styles above.

/// The bundle of reports/show/page/src/serve, charts included; empty if the build had no npm.
std::string_view serve_script();
/// reports/show/page/serve.css.
std::string_view serve_style();
/// reports/show/page/serve.html; `@TOKEN@` is to be replaced by the token.
std::string_view serve_document();

}  // namespace foretrain
