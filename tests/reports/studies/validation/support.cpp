#include "tests/reports/studies/validation/support.h"

#include "reports/record/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
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

Record timed_on(const Case& scenario_case, std::int64_t ms, double drift, CoreDistance distance) {
  Record record = timed(Mode::run, scenario_case, ms);
  const double alone_s = 0.01 * drift;
  record.probes.assign(2, {alone_s, 2 * alone_s, 12e-9, 30e-9, 0.013e-9, distance});
  return record;
}

Record calibrated(const Case& scenario_case, std::int64_t ms, const std::string& distance) {
  Record record = timed(Mode::simulate, scenario_case, ms);
  record.calibrated.alone = {{10'000'000}, {10'000'000}, {10'000'000}};
  record.calibrated.together = {{20'000'000}, {20'000'000}, {20'000'000}};
  record.calibrated.loopback_distance = distance;
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

}  // namespace foretrain::testing
