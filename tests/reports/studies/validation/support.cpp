#include "tests/reports/studies/validation/support.h"

#include "reports/record/json_object.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/validation/output.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace foretrain::testing {

Record timed(Mode mode, const Case& scenario_case, std::int64_t ms) {
  Record record = small_record(mode, scenario_case.scenario.training.strategy);
  record.scenario_case = scenario_case;
  record.time = {ms * 1'000'000};
  for (StepRow& row : record.steps) row.report.phases = {{ms * 100'000}, {}, {}, {}, {}, {}};
  return record;
}

Record calibrated(const Case& scenario_case, std::int64_t ms) {
  Record record = timed(Mode::simulate, scenario_case, ms);
  record.calibrated.alone = {{10'000'000}, {10'000'000}, {10'000'000}};
  record.calibrated.together = {{20'000'000}, {18'000'000}, {25'000'000}};
  return record;
}

Case case_with(const std::string& strategy, const std::string& key, const std::string& value) {
  Case scenario_case = case_of(strategy);
  scenario_case.settings.push_back({key, value});
  return scenario_case;
}

CaseValidation compare_times(const Case& scenario_case, const Times& times) {
  std::vector<Record> runs;
  runs.reserve(times.runs_ms.size());
  for (const std::int64_t ms : times.runs_ms) {
    runs.push_back(timed(Mode::run, scenario_case, ms));
  }
  return compare_case(scenario_case,
                      {std::move(runs), timed(Mode::simulate, scenario_case, times.simulated_ms)});
}

Validation validate_times(const Times& sync, const Times& async) {
  return {{compare_times(case_of("sync"), sync), compare_times(case_of("async"), async)},
          static_cast<int>(sync.runs_ms.size()),
          0};
}

const Comparison& metric(const CaseValidation& c, const std::string& name) {
  const Comparison* found = c.find(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    widest = std::max(widest, columns_of(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

std::string text_of(const Validation& validation, bool full) {
  const auto json = to_json(validation);
  return to_text(validation_result(JsonObject(json, "validation:")), full);
}

std::string words_of(const Validation& validation, bool full) {
  std::istringstream text(text_of(validation, full));
  std::string all;
  for (std::string word; text >> word;) all += word + " ";
  return all;
}

}  // namespace foretrain::testing
