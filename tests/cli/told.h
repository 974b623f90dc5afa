// Parsing of a command's output.
#pragma once

#include "reports/record/wrapped_text.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

namespace foretrain::testing {

/// The lines of a text that are wider than a terminal.
inline std::string too_wide(const std::string& text) {
  std::istringstream lines(text);
  std::string wide;
  for (std::string line; std::getline(lines, line);) {
    if (columns_of(line) > kTerminalColumns) wide += line + "\n";
  }
  return wide;
}

/// `text` with each run of blanks replaced by one.
inline std::string squeezed(std::string text) {
  const auto ends = std::ranges::unique(text, [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(ends.begin(), ends.end());
  return text;
}

/// Hash of the final weights of a training with --json.
inline std::string weights_of(const Called& called) {
  INFO(called.err);
  REQUIRE(called.status == 0);
  return nlohmann::json::parse(called.out).at("weights_sha256");
}

}  // namespace foretrain::testing
