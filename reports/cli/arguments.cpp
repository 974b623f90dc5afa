#include "reports/cli/arguments.h"

#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/read.h"
#include "scenarios/spec/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {

std::vector<std::string> overrides_of(const AskedScenario& asked) {
  std::vector<std::string> overrides = asked.overrides;
  if (!asked.seed.empty()) overrides.push_back("seed=" + asked.seed);
  return overrides;
}

std::vector<Case> read_cases(const AskedScenario& asked) {
  if (asked.scenario.empty()) throw InputError("name a scenario file");
  return read_scenario(asked.scenario, overrides_of(asked));
}

std::vector<Case> read_forecastable(const AskedScenario& asked) {
  std::vector<Case> cases = read_cases(asked);
  for (const Case& each : cases) check_forecastable(each);
  return cases;
}

std::vector<Case> read_simulated(const AskedTraining& asked,
                                 bool (*stands_on)(const Scenario& scenario, bool emulated)) {
  std::vector<Case> cases = read_forecastable(asked);
  if (asked.machine.empty()) return cases;
  const Machine machine = read_machine(asked.machine);
  const bool used = std::ranges::any_of(
      cases, [&](const Case& each) { return stands_on(each.scenario, asked.emulate); });
  if (!used) {
    asked.say(fmt::format("note: --machine {} ({}) is not used: every host has its own costs",
                          asked.machine, machine.name));
  }
  return cases;
}

Record read_recorded(const AskedScenario& asked, const std::string& folder, const char* options) {
  std::string given;
  if (!asked.seed.empty()) given = "--seed " + asked.seed;
  if (!asked.overrides.empty()) given = "--set " + asked.overrides.front();
  if (given.empty()) return read_record(folder);
  throw InputError(fmt::format(
      "{}: {} is a record, so its scenario cannot be changed; possible options are {}; to change "
      "the scenario, name its file instead",
      given, folder, options));
}

void check_one(const std::vector<Case>& cases, const std::string& what) {
  if (cases.size() > 1) throw InputError(what + "; name a scenario without a sweep");
}

Answer answer_of(const AskedTraining& asked, const std::string& command,
                 const std::string& setting) {
  std::vector<std::string> settings = overrides_of(asked);
  if (!setting.empty()) settings.push_back(setting);
  if (!asked.machine.empty()) settings.push_back("machine=" + asked.machine);
  if (asked.rows != "all") settings.push_back("record=" + asked.rows);
  if (asked.emulate) settings.emplace_back("emulate");
  return {asked, command, settings_name(std::move(settings))};
}

}  // namespace foretrain
