#include "reports/cli/arguments.h"

#include "reports/cli/folders.h"
#include "scenarios/input_error.h"
#include "scenarios/read.h"

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

void check_one(const std::vector<Case>& cases, const std::string& what) {
  if (cases.size() > 1) throw InputError(what + "; name a scenario without a sweep");
}

Answer answer_of(const Arguments& arguments, const std::string& command) {
  return {command,
          arguments.out,
          arguments.json,
          arguments.quiet,
          arguments.replaces,
          arguments.nodes,
          settings_name(overrides_of(arguments))};
}

}  // namespace foretrain
