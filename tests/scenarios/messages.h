// Helpers for tests of error messages.
#pragma once

#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {

/// The error message of `read`; a text that matches nothing if there is no error.
template <class Read>
std::string error_of(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  } catch (const BadValue& error) {
    return error.what();
  }
  return "(no error)";
}

/// The error message for `text` in a file x.yaml.
inline std::string scenario_error(const std::string& text,
                                  const std::vector<std::string>& overrides = {}) {
  return error_of([&] { parse_scenario(text, "x.yaml", overrides); });
}

/// The single case of `text`.
inline Scenario only(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto cases = parse_scenario(text, "x.yaml", overrides);
  REQUIRE(cases.size() == 1);
  return cases.front().scenario;
}

}  // namespace foretrain
