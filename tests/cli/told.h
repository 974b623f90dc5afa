// What a command told, taken apart.
#pragma once

#include "reports/record/text.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
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

/// `text` with one blank in place of several.
inline std::string squeezed(std::string text) {
  const auto ends = std::ranges::unique(text, [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(ends.begin(), ends.end());
  return text;
}

/// The weights that a training with --json ended with.
inline std::string weights_of(const Called& called) {
  INFO(called.err);
  REQUIRE(called.status == 0);
  return nlohmann::json::parse(called.out).at("weights_sha256");
}

}  // namespace foretrain::testing
