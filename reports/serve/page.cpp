// The page: its document before any request, its parts.
#include "reports/serve/routes.h"
#include "reports/show/page/assets.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <regex>
#include <string_view>

namespace foretrain::serve {
namespace {

// Vega compiles expressions to functions, and writes styles into its drawings.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
constexpr const char* kHtml = "text/html; charset=utf-8";

constexpr std::string_view kNoPage =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\"><meta charset=\"utf-8\"><title>foretrain</title>\n"
    "<p>This program was built without npm, which the page needs: install it (Debian: npm) and "
    "build again. Programs can still ask with POST /forecast and GET /records; "
    "reports/serve/answer.h says how.</p>\n"
    "</html>\n";

}  // namespace

// A sandbox has its own origin, so a report cannot access this page.
const char* const kReportPolicy =
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline' "
    "'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'none'";

HttpResponse page_document(const std::string& token) {
  if (serve_script().empty()) return {200, kHtml, std::string(kNoPage), {}};
  const std::string document(serve_document());
  return {200, kHtml, std::regex_replace(document, std::regex("@TOKEN@"), token), kPagePolicy};
}

HttpResponse page_asset(const std::string& path) {
  constexpr const char* kCss = "text/css; charset=utf-8";
  if (path == "/serve.js") {
    return {200, "text/javascript; charset=utf-8", std::string(serve_script())};
  }
  if (path == "/serve.css") return {200, kCss, std::string(serve_style())};
  if (path == "/page.css") return {200, kCss, std::string(page_style())};
  if (path == "/dark.css") return {200, kCss, std::string(page_dark_style())};
  throw InputError(fmt::format("{}: the page has no such part", path));
}

}  // namespace foretrain::serve
