// Shared questions of what-if tests.
#pragma once

#include "sim/whatif/intervention.h"
#include "sim/whatif/whatif.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

namespace foretrain::testing {

inline WhatIf asked_whatif(const Case& scenario_case) {
  sim::WhatIfOptions options;
  options.simulate.machines = [](const std::string&) { return made_up_machine(); };
  DataSets data_sets;
  return sim::ask_what_if(prepare(scenario_case, Need::shape), data_sets, options);
}

/// The reason why the change is impossible; empty: it is possible; nothing: it changes nothing, or
/// is unknown.
inline std::optional<std::string> why_not(Scenario scenario, const std::string& change) {
  return sim::change_to_verify(change).apply(scenario);
}

/// The time with a change, which has to exist.
inline double time_with(const WhatIf& whatif, const std::string& change) {
  CAPTURE(change);
  const Change* found = whatif.find(change);
  REQUIRE(found != nullptr);
  CHECK(found->why_not.empty());
  REQUIRE(found->time_s.has_value());
  return *found->time_s;
}

}  // namespace foretrain::testing
