// Fuzzes the reader of scenarios with texts, overrides, sweeps.
#include "models/base/check.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/fuzz/fuzz.h"

#include <string>
#include <vector>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

constexpr std::string_view kOverride = "#--set ";  // a comment in YAML, an override here

std::vector<std::string> overrides_in(std::string_view text) {
  std::vector<std::string> overrides;
  for (std::size_t at = 0; (at = text.find(kOverride, at)) != std::string_view::npos;) {
    at += kOverride.size();
    overrides.emplace_back(text.substr(at, text.find('\n', at) - at));
  }
  return overrides;
}

}  // namespace

/// Errors have to name the text, an override, or a file of the scenario.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  std::vector<Case> cases;
  try {
    cases = parse_scenario(text, "text", overrides_in(text));
  } catch (const InputError&) {
    return 0;
  }
  FT_CHECK(!cases.empty());
  for (const Case& each : cases) {
    const std::string resolved = to_yaml(each.scenario);
    const std::vector<Case> again = parse_scenario(resolved, "resolved");
    FT_CHECK_OP(again.size(), ==, 1u);
    FT_CHECK_OP(to_yaml(again.front().scenario), ==, resolved);
    if (&each - cases.data() == 3) break;  // further cases are similar
  }
  return 0;
}
