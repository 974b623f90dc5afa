// What a command told, taken apart.
#pragma once

#include "reports/record/text.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace foretrain::testing {

/// Lines of a text that are wider than a terminal.
inline std::string too_wide(const std::string& text) {
  std::istringstream lines(text);
  std::string wide;
  for (std::string line; std::getline(lines, line);) {
    if (columns_of(line) > kTerminalColumns) wide += line + "\n";
  }
  return wide;
}

/// The weights that a training with --json ended with.
inline std::string weights_of(const Called& called) {
  INFO(called.err);
  REQUIRE(called.status == 0);
  return nlohmann::json::parse(called.out).at("weights_sha256");
}

}  // namespace foretrain::testing
