// Requirements of browser tests: npm at build time, node, Chromium.
#pragma once

#include "reports/show/page/page.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace foretrain::testing {

/// The folder of the build.
inline std::filesystem::path build_dir() {
  return std::filesystem::path(program_path()).parent_path();
}

inline bool have(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

/// Reports a missing requirement.
inline bool can_test_in_browser() {
  std::string missing;
  if (!page_is_interactive()) missing = "the program was built without npm";
  if (!std::filesystem::exists(build_dir() / "reports/show/page/node_modules/playwright-core")) {
    missing = "Playwright is not in the build";
  }
  if (!have("node")) missing = "node was not found";
  if (!have("chromium")) missing = "chromium was not found";
  if (missing.empty()) return true;
  WARN("skipped: " << missing);
  return false;
}

}  // namespace foretrain::testing
