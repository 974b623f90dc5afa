// The command `whatif --deadline --budget`, except its simulations.
#include "reports/cli/folders.h"
#include "reports/cli/whatif_commands.h"
#include "reports/record/files.h"
#include "reports/record/json_object.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/result_text.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/read.h"
#include "scenarios/resolve/relative_paths.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

Bounds bounds_of(const WhatIfArguments& arguments) {
  std::string option = "--deadline " + arguments.deadline;
  try {
    const double deadline_s = parse_duration(arguments.deadline).seconds();
    if (deadline_s <= 0)
      throw BadValue("is not above 0; write how long the training may take, such as 1h");
    option = "--budget " + arguments.budget;
    const auto [budget, currency] = parse_money(arguments.budget);
    return {deadline_s, budget, currency};
  } catch (const BadValue& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

/// The setting for `--target accuracy=0.97`. @throws InputError if the target is invalid
std::string as_setting(const std::string& target) {
  const std::size_t equals = std::min(target.find('='), target.size());
  const std::string name = target.substr(0, equals);
  if ((name == "accuracy" || name == "loss") && equals + 1 < target.size()) {
    return fmt::format("training.until={{{}: {}}}", name, target.substr(equals + 1));
  }
  throw InputError(
      fmt::format("--target {}: write accuracy=0.97, a share of the test examples, or loss=0.1, in "
                  "nats",
                  target));
}

Case one_case(WhatIfArguments arguments) {
  if (std::filesystem::is_directory(arguments.scenario)) {
    throw InputError(fmt::format("{}: is a folder, but --deadline needs a scenario; name its file",
                                 arguments.scenario));
  }
  if (!arguments.target.empty()) arguments.overrides.push_back(as_setting(arguments.target));
  std::vector<Case> cases = read_cases(arguments);
  check_one(cases, "--deadline: needs one training");
  return std::move(cases.front());
}

}  // namespace

int budget_cases(const WhatIfArguments& arguments, BudgetOptions modes) {
  const Answer answer = answer_of(arguments, "whatif");
  modes.names = arguments.hosts;
  modes.most_hosts = arguments.max_hosts;
  modes.library = library_hosts();
  modes.bounds = bounds_of(arguments);
  const Case asked = one_case(arguments);
  const auto folder = answer.folder_of(asked);
  claim_answers(answer, {asked});
  std::optional<Progress> progress(std::in_place, "clusters for " + asked.label(), answer.quiet,
                                   "clusters");
  modes.progress = [&](std::int64_t done, std::int64_t all) { progress->update(done, all, {}); };
  modes.learning = [&](std::int64_t done, std::int64_t all) {
    if (done == 0) progress.emplace("gradients for " + asked.label(), answer.quiet, "trainings");
    progress->update(done, all, {});
  };
  const BudgetAnswer found = find_cluster(asked, modes);
  progress.reset();
  const nlohmann::ordered_json json = to_json(found);
  const Result result = budget_result(JsonObject(json, "budget:"));
  if (answer.json) print_json(json);
  answer.tell(to_text(result, answer.full) + "\n");
  const FileColumns as_a_file;
  write_text_file(folder / "budget.txt", to_text(result, true));
  write_text_file(folder / "budget.json", json.dump(2) + "\n");
  write_text_file(folder / "frontier.csv", to_csv(result.tables.front()));
  sign_answer(folder, asked.scenario);
  // Writes the recommended cluster as a scenario.
  const Offer* cheapest = found.cheapest();
  if (const Offer* told = cheapest != nullptr ? cheapest : found.in_budget()) {
    const auto path = folder / "cluster.yaml";
    write_text_file(path, to_yaml(paths_relative_to(folder, told->scenario_case.scenario)));
    answer.tell(fmt::format("scenario: {}\n", path.string()));
  }
  answer.tell(fmt::format("written:  {}\n", folder.string()));
  return cheapest != nullptr ? kDone : kFailed;
}

}  // namespace foretrain
