// What a validation tells who reads nothing else.
#include "reports/record/text.h"
#include "reports/show/terminal/tables.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain::testing {
namespace {

std::ptrdiff_t lines_of_brief(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST_CASE("validation brief: a case has a line with what was measured, forecast, how far off") {
  const std::string text = validation_brief(validate_times({{100, 110, 120}, 121}, {{200}, 150}));
  INFO(text);
  CHECK_THAT(text, Catch::StartsWith("Forecast of the step time: sync +10.0 %, async -25.0 %"));
  std::string words = text;
  std::ranges::replace(words, '\n', ' ');
  CHECK_THAT(words, Catch::Contains(", and 1 case more; 3 runs, 1 simulation of each."));
  CHECK_THAT(text, Catch::Contains("  sync                                11      12.1  +10.0 %"));
  CHECK_THAT(text, Catch::Contains("  async                               20        15  -25.0 %"));
  CHECK(lines_of_brief(text) <= 12);
  CHECK(widest_line(text) <= kTerminalColumns);
}

TEST_CASE("validation brief: of very many cases a strategy has a line") {
  const Validation two = validate_times({{100}, 110}, {{200}, 150});
  Validation many{{}, 1, 0};
  for (int i = 0; i < 6; ++i)
    many.cases.insert(many.cases.end(), two.cases.begin(), two.cases.end());
  const std::string text = validation_brief(many);
  INFO(text);
  CHECK_THAT(text, Catch::Contains("errors of the step time\n"));
  CHECK_THAT(text, Catch::Contains("  sync                   6        10.0 %"));
  CHECK_THAT(text, Catch::Contains("  async                  6        25.0 %"));
  CHECK(lines_of_brief(text) <= 14);
}

TEST_CASE("validation brief: that the machine has drifted is told where it has") {
  const Case scenario_case = case_of("sync");
  const auto text_at = [&](double drift) {
    Validation validation{{}, 1, 0};
    validation.cases.push_back(
        compare_case(scenario_case, {{timed_on(scenario_case, 100, drift, CoreDistance::near)},
                                     calibrated(scenario_case, 100, "near")}));
    return validation_brief(validation);
  };
  CHECK_THAT(text_at(1.2),
             Catch::Contains("A fixed piece of compute took 1.20 times what it took"));
  CHECK_THAT(text_at(1.01), !Catch::Contains("A fixed piece"));
}

TEST_CASE(
    "validation brief: that others used the machine is told, of the case where they did most") {
  Validation validation = validate_times({{100}, 110}, {{200}, 150});
  validation.cases[0].run.others_used = 0.25;
  validation.cases[1].run.others_used = 0.62;
  CHECK_THAT(validation_brief(validation),
             Catch::Contains("Others used 62 % of this machine meanwhile: alone its steps take "
                             "less.\n"));
  validation.cases[0].run.others_used = 0.04;
  validation.cases[1].run.others_used = -1;
  CHECK_THAT(validation_brief(validation), !Catch::Contains("Others used"));
}

}  // namespace
}  // namespace foretrain::testing
