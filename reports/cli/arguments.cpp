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
#include <cstddef>
#include <filesystem>
#include <utility>

namespace foretrain {

std::vector<std::string> overrides_of(const Arguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (!arguments.seed.empty()) overrides.push_back("seed=" + arguments.seed);
  return overrides;
}

std::vector<Case> read_cases(const Arguments& arguments) {
  if (arguments.scenario.empty()) throw InputError("name a scenario file");
  return read_scenario(arguments.scenario, overrides_of(arguments));
}

std::vector<Case> read_forecastable(const Arguments& arguments) {
  std::vector<Case> cases = read_cases(arguments);
  for (const Case& each : cases) check_forecastable(each);
  return cases;
}

std::vector<Case> read_simulated(const Arguments& arguments,
                                 bool (*stands_on)(const Scenario& scenario, bool emulated)) {
  std::vector<Case> cases =
      arguments.mode == "run" ? read_cases(arguments) : read_forecastable(arguments);
  if (arguments.machine.empty()) return cases;
  const Machine machine = read_machine(arguments.machine);
  const bool used = std::ranges::any_of(cases, [&](const Case& each) {
    return arguments.mode == "run" || stands_on(each.scenario, arguments.emulate);
  });
  if (!used) {
    answer_of(arguments, "")
        .say(fmt::format("note: --machine {} ({}) is not used: every host has its own costs",
                         arguments.machine, machine.name));
  }
  return cases;
}

Record read_recorded(const Arguments& arguments, const std::string& folder) {
  std::string given;
  if (!arguments.seed.empty()) given = "--seed " + arguments.seed;
  if (!arguments.overrides.empty()) given = "--set " + arguments.overrides.front();
  if (given.empty()) return read_record(folder);
  const char* const others =
      arguments.replay.empty()
          ? "--machine, --emulate, --crossover, --verify, --repeat, --out, --json"
          : "--out, --json";
  throw InputError(fmt::format(
      "{}: {} is a record, so its scenario cannot be changed; possible options are {}; to change "
      "the scenario, name its file instead",
      given, folder, others));
}

void check_one(const std::vector<Case>& cases, const std::string& what) {
  if (cases.size() > 1) throw InputError(what + "; name a scenario without a sweep");
}

Answer answer_of(const Arguments& arguments, const std::string& command) {
  // Whatever changes the figures is in the default folder's name.
  std::vector<std::string> settings = overrides_of(arguments);
  if (!arguments.machine.empty()) settings.push_back("machine=" + arguments.machine);
  if (arguments.seeds > 0) settings.push_back(fmt::format("seeds={}", arguments.seeds));
  if (arguments.rows != "all") settings.push_back("record=" + arguments.rows);
  if (arguments.mode != "simulate") settings.push_back("mode=" + arguments.mode);
  if (arguments.emulate) settings.emplace_back("emulate");
  return {command,
          arguments.out,
          arguments.json,
          arguments.quiet,
          arguments.replaces,
          arguments.full,
          settings_name(std::move(settings))};
}

std::optional<LedgerPlace> ledger_place(const Arguments& arguments, const Processor& processor,
                                        const std::string& date, const std::string& commit) {
  if (arguments.ledger.empty()) return std::nullopt;
  constexpr std::size_t kDay = 10;  // 2026-11-23
  const auto file = std::filesystem::path(arguments.scenario).stem().string();
  return LedgerPlace{arguments.ledger, {processor, date.substr(0, kDay), commit, file}};
}

}  // namespace foretrain
