// Expands sweeps into cases, applies overrides.
#include "scenarios/resolve/expand_sweep.h"

#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/spec/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kCasesMax = 10'000;
constexpr std::string_view kGrid = "grid";
using Cases = std::vector<std::vector<Choice>>;

KeyPath path_of(const Entry& entry) {
  try {
    return parse_key_path(entry.key);
  } catch (const BadValue& error) {
    fail_at(to_text(entry.mark), "sweep", error.what());
  }
}

void check_count(std::size_t count, const TextMark& mark) {
  if (count <= kCasesMax) return;
  fail_at(to_text(mark), "sweep",
          fmt::format("more than {} cases; vary fewer keys, or fewer values", kCasesMax));
}

/// Combines every case so far with every value of the entry, which is at `place` (`sweep`).
/// `others`: the number of other cases.
Cases times(const Cases& cases, const Entry& entry, const std::string& place, std::size_t others) {
  const Value& values = entry.value;
  if (values.kind != Value::Kind::list || values.items.empty()) {
    const char* what = values.kind == Value::Kind::list ? "an empty list" : "no list";
    fail_at(to_text(values.mark), fmt::format("{}.{}", place, entry.key),
            fmt::format("{}; write the values to try: [a, b]", what));
  }
  check_count(others + cases.size() * values.items.size(), values.mark);
  const KeyPath path = path_of(entry);
  Cases product;
  for (const auto& choices : cases) {
    for (const Value& value : values.items) {
      product.push_back(choices);
      product.back().push_back({path, entry.mark, value});
    }
  }
  return product;
}

/// Checks that a grid has no key in common with its item.
void check_grid(const Value& grid, const Value& item, const std::string& place) {
  if (grid.kind != Value::Kind::map || grid.entries.empty()) {
    const char* what = grid.kind == Value::Kind::map ? "an empty grid" : "no grid";
    fail_at(to_text(grid.mark), place,
            fmt::format("{}; write a mapping: {{training.workers: [1, 2]}}", what));
  }
  std::set<std::string> beside;
  for (const Entry& entry : item.entries) {
    if (entry.key != kGrid) beside.insert(to_text(path_of(entry)));
  }
  for (const Entry& entry : grid.entries) {
    const std::string key = to_text(path_of(entry));
    if (!beside.contains(key)) continue;
    fail_at(to_text(entry.mark), place,
            fmt::format("{} is also outside the grid; write it once", key));
  }
}

/// The cases of a list item; its keys vary in the order in which they are written.
Cases cases_of(const Value& item, std::size_t index, std::size_t others) {
  if (item.kind != Value::Kind::map) {
    fail_at(to_text(item.mark), "sweep", "not a case; write a mapping: {training.workers: 2}");
  }
  Cases cases(1);
  for (const Entry& entry : item.entries) {
    if (entry.key == kGrid) {
      const std::string place = fmt::format("sweep[{}].{}", index, kGrid);
      check_grid(entry.value, item, place);
      for (const Entry& key : entry.value.entries) cases = times(cases, key, place, others);
      continue;
    }
    const KeyPath path = path_of(entry);
    for (auto& choices : cases) choices.push_back({path, entry.mark, entry.value});
  }
  return cases;
}

Cases listed_cases(const Value& list) {
  Cases all;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    for (auto& choices : cases_of(list.items[i], i, all.size())) all.push_back(std::move(choices));
    check_count(all.size(), list.items[i].mark);
  }
  return all;
}

/// Replaces a list with grids by the list of all its cases.
void write_out_grids(Value& list) {
  const auto has_grid = [](const Value& item) { return item.find(kGrid) != nullptr; };
  if (std::ranges::none_of(list.items, has_grid)) return;
  std::vector<Value> items;
  for (const auto& choices : listed_cases(list)) {
    Value& item = items.emplace_back();
    item.kind = Value::Kind::map;
    item.mark = list.mark;
    for (const Choice& choice : choices) {
      item.entries.push_back({to_text(choice.path), choice.mark, choice.value});
    }
  }
  list.items = std::move(items);
}

bool leads_to(const Entry& entry, const std::string& path) {
  try {
    return to_text(parse_key_path(entry.key)) == path;
  } catch (const BadValue&) {
    return false;  // expand_sweep reports the error
  }
}

/// Removes `path`, which is now fixed, from all cases of the sweep. Cases that differ only in it
/// become one. Returns false if no case sets it.
bool take_out_of_sweep(Value& root, const KeyPath& path) {
  Entry* sweep = root.find("sweep");
  if (sweep == nullptr) return false;
  const std::string key = to_text(path);
  const auto sets_it = [&](const Entry& entry) { return leads_to(entry, key); };
  Value& value = sweep->value;
  write_out_grids(value);
  std::size_t taken = std::erase_if(value.entries, sets_it);
  for (Value& item : value.items) taken += std::erase_if(item.entries, sets_it);
  if (taken == 0) return false;
  std::set<std::string> seen;
  std::erase_if(value.items, [&](const Value& item) { return !seen.insert(to_flow(item)).second; });
  const bool as_the_file_says = value.items.size() == 1 && value.items.front().entries.empty();
  if (value.entries.empty() && (value.items.empty() || as_the_file_says)) root.erase("sweep");
  return true;
}

/// Returns whether the sweep varied the key.
bool remove_key(Value& root, const KeyPath& path, const TextMark& mark) {
  const bool varied = take_out_of_sweep(root, path);
  if (remove_from(root, path) || varied) return varied;
  // Nothing was removed. This is valid for a known key, else it is a typing mistake.
  const auto keys = scenario_keys();
  if (is_known(to_text(path), keys)) return false;
  const KeyPath parent(path.begin(), path.end() - 1);
  Reading(keys).fail_unknown({path.back(), mark, {}}, to_text(parent));
}

/// Handles `sweep.training.workers=[1, 2]`: the path after `sweep` is one key of the sweep.
void vary(Value& root, const KeyPath& path, const TextMark& mark, Value value) {
  if (value.kind == Value::Kind::null) {
    take_out_of_sweep(root, path);
    return;
  }
  const Entry* sweep = root.find("sweep");
  if (sweep != nullptr && sweep->value.kind == Value::Kind::list) {
    fail_at(to_text(mark), "sweep",
            "the file lists its cases; set sweep itself, or use --set sweep=null first");
  }
  take_out_of_sweep(root, path);
  lay_over(root, {"sweep", to_text(path)}, mark, std::move(value));
}

}  // namespace

std::vector<std::vector<Choice>> expand_sweep(const Value& sweep) {
  if (sweep.kind == Value::Kind::map) {
    Cases cases(1);
    for (const Entry& entry : sweep.entries) cases = times(cases, entry, "sweep", 0);
    return cases;
  }
  if (sweep.kind != Value::Kind::list || sweep.items.empty()) {
    fail_at(to_text(sweep.mark), "sweep",
            "write a mapping from keys to lists of values, or a list of cases, of grids");
  }
  return listed_cases(sweep);
}

bool apply_override(Value& root, const std::string& assignment) {
  refuse_controls(assignment, fmt::format("--set {}: ", printable(assignment)), kLayout);
  const std::string source = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw InputError(fmt::format("{}: no value; write --set {}=VALUE", source, assignment));
  }
  KeyPath path;
  try {
    path = parse_key_path(std::string_view(assignment).substr(0, equals));
  } catch (const BadValue& error) {
    fail_at(source, "", error.what());
  }
  Value value = parse_yaml_value(std::string_view(assignment).substr(equals + 1), source);
  const TextMark mark = value.mark;
  if (path.front() == "sweep" && path.size() > 1) {
    vary(root, KeyPath(path.begin() + 1, path.end()), mark, std::move(value));
    return false;
  }
  if (value.kind == Value::Kind::null) return remove_key(root, path, mark);
  const bool varied = take_out_of_sweep(root, path);
  lay_over(root, path, mark, std::move(value));
  return varied;
}

}  // namespace foretrain
