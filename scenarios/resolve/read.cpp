// Reads scenario files into cases.
#include "scenarios/resolve/read.h"

#include "scenarios/language/propose.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/version.h"
#include "scenarios/language/yaml_writer.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/colocated_jobs.h"
#include "scenarios/resolve/expand_sweep.h"
#include "scenarios/resolve/relative_paths.h"
#include "scenarios/spec/reference.h"
#include "scenarios/spec/scenario_fields.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

namespace foretrain {

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Protocol& protocol : protocols()) names.emplace_back(protocol.name);
  return names;
}

std::vector<std::string> layer_kind_names() {
  std::vector<std::string> names;
  names.reserve(layer_kinds().size());
  for (const LayerKind& kind : layer_kinds()) names.emplace_back(kind.name);
  return names;
}

namespace {

// A model that is known only by its size and the time of a step.
constexpr std::string_view kUnknownKey = "unknown key";
constexpr std::string_view kImportStep =
    "leave model out; foretrain import SCENARIO --parameters 110M --step '350 ms' --workers 8 "
    "finds the time of a gradient";

constexpr RetiredKey kRetired[] = {
    {"framework.server_threads", "leave it out; a shorter framework.server has the same effect"},
    {"framework.tensor", "write framework: {message: {overhead: ..., per_item: 0 ns}}"},
    {"model.parameters", kImportStep, kUnknownKey},
    {"model.step", kImportStep, kUnknownKey},
    {"model.measured_at", kImportStep, kUnknownKey},
    {"stragglers[].dies_at", "write faults: [{at: 20 s, kill: worker1}] at the top level"},
    {"stragglers[].factor", "did you mean slowdown?", kUnknownKey},
    {"stragglers[].joins_at", "write faults: [{at: 3 s, join: worker1}] at the top level"}};

/// Removes settings that the case does not use. They are not reported as errors, because they were
/// used before --set fixed another key.
void forget_idle(Case& c, const std::vector<Choice>& choices, const std::set<std::string>& idle,
                 Reading& reading) {
  for (const Choice& choice : choices) {
    const std::string path = to_text(choice.path);
    if (idle.contains(path)) reading.note_used(path, to_text(choice.value.mark));
  }
  std::erase_if(c.settings, [&](const Setting& setting) { return idle.contains(setting.key); });
}

/// Writes the name of a network as the library does; users write it in any case.
void name_network(std::string& network) {
  if (network.empty()) return;
  const std::string known = in_any_case(network, library_names("networks"));
  if (!known.empty()) network = known;
}

/// `fixed`: --set fixed a key that the sweep varies.
Case read_case(const Value& root, const std::vector<Choice>& choices, const std::string& name,
               bool fixed, Reading& reading) {
  Case result;
  Value chosen = root;
  for (const Choice& choice : choices) {
    lay_over(chosen, choice.path, choice.mark, choice.value);
    result.settings.push_back({to_text(choice.path), to_flow(choice.value)});
  }
  result.scenario.name = name;
  Reader reader(reading, chosen, "");
  describe(reader, result.scenario);
  reader.finish();
  name_network(result.scenario.model.network);
  result.places = reading.take_places();
  const std::set<std::string> idle = reading.take_idle();
  if (fixed) forget_idle(result, choices, idle, reading);
  check_case(result, reading);
  return result;
}

void check_scenario_version(const Value& root) {
  check_version(root, "foretrain", "foretrain_machine",
                "this is a machine file; give it with --machine");
}

/// Rejects two cases with the same name, because they would write into the same folder.
void check_labels(const std::vector<Case>& cases, const TextMark& sweep) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [found, fresh] = first.emplace(cases[i].label(), i);
    if (fresh) continue;
    fail_at(to_text(sweep), "sweep",
            fmt::format("cases {} and {} are both {}; make them differ", found->second + 1, i + 1,
                        found->first));
  }
}

/// Keeps the first of several cases with the same training.
void leave_out_equals(std::vector<Case>& cases) {
  std::set<std::string> seen;
  std::erase_if(cases,
                [&](const Case& each) { return !seen.insert(to_yaml(each.scenario)).second; });
}

/// Names cases without settings, if there are several cases.
void name_bare(std::vector<Case>& cases) {
  if (cases.size() < 2) return;
  for (Case& each : cases) {
    if (!each.settings.empty()) continue;
    each.settings.push_back({"training.strategy", each.scenario.training.strategy});
  }
}

}  // namespace

std::vector<Case> read_scenario(const std::string& path,
                                const std::vector<std::string>& overrides) {
  const std::string file = in_library(path);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) throw InputError(no_such_scenario(path));
  std::vector<Case> cases = parse_scenario(read_text(file), path, overrides);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (Case& each : cases) {
    resolve_relative_paths(each.scenario, folder);
    colocated_cases(each);  // reports their errors now
  }
  return cases;
}

std::vector<Case> parse_scenario(const std::string& text, const std::string& source,
                                 const std::vector<std::string>& overrides) {
  Value root = parse_yaml(text, source);
  check_scenario_version(root);
  bool fixed = false;
  for (const std::string& assignment : overrides) {
    fixed = apply_override(root, assignment) || fixed;
  }
  check_scenario_version(root);
  root.erase("foretrain");

  std::vector<std::vector<Choice>> variations(1);
  TextMark sweep_mark = root.mark;
  if (const Entry* sweep = root.find("sweep")) {
    sweep_mark = sweep->mark;
    variations = expand_sweep(sweep->value);
    root.erase("sweep");
  }
  const std::string name = std::filesystem::path(source).stem().string();
  Reading reading(scenario_keys(), load_preset, kRetired);
  std::vector<Case> cases;
  cases.reserve(variations.size());
  for (const auto& choices : variations) {
    cases.push_back(read_case(root, choices, name, fixed, reading));
  }
  reading.check_all_used();
  if (fixed) leave_out_equals(cases);
  name_bare(cases);
  check_labels(cases, sweep_mark);
  return cases;
}

std::string to_yaml(const Scenario& scenario) {
  Writer writer;
  writer.add("foretrain", write_value({}, 1));
  describe(writer, scenario);
  return to_yaml(writer.take());
}

}  // namespace foretrain
