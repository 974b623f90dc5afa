#include "reports/studies/validation/cached_runs.h"

#include "models/base/check.h"
#include "reports/record/files.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace foretrain {

std::vector<std::string> folder_names(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  names.reserve(cases.size());
  std::set<std::string> taken;
  for (const Case& each : cases) {
    std::string name = each.label();
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = fmt::format("{}-{}", each.label(), number);
    }
    names.push_back(name);
  }
  return names;
}

namespace {

bool is_run_of(const Record& record, const Case& scenario_case) {
  return record.mode == Mode::run &&
         to_yaml(record.scenario_case.scenario) == to_yaml(scenario_case.scenario);
}

}  // namespace

bool holds_other(const std::filesystem::path& place, const Case& scenario_case) {
  try {
    const auto held = read_record_head(place);
    return held && !is_run_of(*held, scenario_case);
  } catch (const InputError&) {
    return false;  // a damaged record is run again
  }
}

KeptRun look_for_run(const std::filesystem::path& place, const Case& scenario_case) {
  if (!std::filesystem::exists(place / "run.json")) return {};
  Record record;
  try {
    record = read_record(place);
  } catch (const InputError& error) {
    return {false, error.what(), {}};
  }
  if (!is_run_of(record, scenario_case)) {
    throw InputError(fmt::format(
        "{}: holds a record of another scenario or of a simulation; name another folder with "
        "--out, or move that validation aside with --force",
        place.string()));
  }
  if (record.outcome != Outcome::done) {
    return {false, fmt::format("{}: {}", place.string(), name_of(record.outcome)), {}};
  }
  return {true, {}, record.startup + record.time};
}

double TimeLeft::seconds(const std::vector<int>& to_come) const {
  FT_CHECK_OP(to_come.size(), ==, took_s_.size());
  double sum = 0;
  int known = 0;
  for (const double took : took_s_) {
    if (took < 0) continue;
    sum += took;
    ++known;
  }
  if (known == 0) return -1;
  double left = 0;
  for (std::size_t i = 0; i < to_come.size(); ++i) {
    left += to_come[i] * (took_s_[i] < 0 ? sum / known : took_s_[i]);
  }
  return left;
}

std::string about_left(double seconds) {
  if (seconds < 0) return {};
  if (seconds < 90) return fmt::format("about {:.0f} s left", std::ceil(seconds));
  return fmt::format("about {:.0f} min left", std::ceil(seconds / 60));
}

}  // namespace foretrain
