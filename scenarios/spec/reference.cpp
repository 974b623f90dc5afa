// The keys in the order of their description, a table for each part of the file.
#include "scenarios/spec/reference.h"

#include "scenarios/language/reference_builder.h"
#include "scenarios/spec/scenario_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace foretrain {
namespace {

/// The part of the file: `training` of `training.workers`, `stragglers` of `stragglers[].shape`.
std::string_view part_of(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

/// `text`, escaped for a cell of a Markdown table.
std::string cell_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string row_of(const KeyText& key) {
  return fmt::format("| `{}` | {} | {} | {} |\n", key.path, cell_text(key.value),
                     key.required ? "needed" : cell_text(key.fallback), cell_text(key.doc));
}

constexpr std::string_view kTableHead =
    "\n| key | value | left out | what it is |\n|---|---|---|---|\n";

}  // namespace

std::vector<KeyText> scenario_reference() {
  std::vector<KeyText> keys;
  ReferenceBuilder builder(keys);
  builder.add({.key = "foretrain", .doc = kVersionDoc, .required = true}, "1");
  const Scenario defaults;
  describe(builder, defaults);
  builder.add({.key = "sweep", .doc = kSweepDoc}, "mapping, or list of mappings");
  return keys;
}

std::vector<std::string> reference_words() {
  return {
      "A scenario is a file in YAML. Quantities carry their unit: a size is 25 MB or 64 KiB, a "
      "rate "
      "10 Gbps or 1.25 GB/s, a time 30 us, 2.5 ms, 1 min or 6 h, a price 2.50 per hour, a share "
      "1 %.",
      "An unknown key is an error, and so is a key that no case of the scenario uses. foretrain "
      "check prints a scenario with all defaults; --set training.workers=4 sets a key, --set "
      "sweep=null removes one.",
      "In a path, [] is each item of a list, counted from 0 in --set "
      "(cluster.hosts[0].nic); * is a name of your choice."};
}

std::string reference_markdown() {
  const std::vector<KeyText> keys = scenario_reference();
  std::string text =
      "# The keys of a scenario\n\n<!-- written by foretrain describe keys; scenarios/README.md "
      "says how -->\n";
  for (const std::string& words : reference_words()) text += "\n" + words + "\n";
  const auto has_below = [&](const KeyText& key) {
    return std::ranges::count(keys, part_of(key.path),
                              [](const KeyText& each) { return part_of(each.path); }) > 1;
  };
  text += "\n## The file\n" + std::string(kTableHead);
  for (const KeyText& key : keys) {
    if (!has_below(key)) text += row_of(key);
  }
  for (const KeyText& key : keys) {
    if (!has_below(key)) continue;
    if (key.path == part_of(key.path)) {
      text += fmt::format("\n## {}\n\nA {}: {}.\n{}", key.path, key.value, key.doc, kTableHead);
    } else {
      text += row_of(key);
    }
  }
  return text;
}

}  // namespace foretrain
