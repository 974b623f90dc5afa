// What `foretrain whatif --deadline --budget` does beside simulating.
#include "reports/cli/acts.h"
#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "reports/record/text.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/tables.h"
#include "scenarios/beside.h"
#include "scenarios/decimal.h"
#include "scenarios/input_error.h"
#include "scenarios/library.h"
#include "scenarios/read.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

Bounds bounds_of(const Arguments& arguments) {
  try {
    const double deadline_s = parse_duration(arguments.deadline).seconds();
    if (deadline_s <= 0) throw BadValue("no time at all; write how long it may take, 1h");
    return {deadline_s, arguments.budget};
  } catch (const BadValue& error) {
    throw InputError(fmt::format("--deadline {}: {}", arguments.deadline, error.what()));
  }
}

Case one_case(const Arguments& arguments) {
  if (std::filesystem::is_directory(arguments.scenario)) {
    throw InputError(fmt::format("{}: a folder, but --deadline asks of a scenario; name its file",
                                 arguments.scenario));
  }
  std::vector<Case> cases = read_cases(arguments);
  check_one(cases, "--deadline: asks of one training");
  return std::move(cases.front());
}

constexpr double kMostAccuracy = 1;

/// `accuracy=0.97`, `loss=0.1`. @throws InputError
Target read_target(const std::string& words) {
  const std::size_t equals = std::min(words.find('='), words.size());
  const std::string name = words.substr(0, equals);
  const auto number =
      parse_decimal(std::string_view(words).substr(std::min(equals + 1, words.size())));
  const double value = number ? to_double(*number) : 0;
  if (name == "accuracy" && value > 0 && value <= kMostAccuracy) return {.accuracy = value};
  if (name == "loss" && value > 0 && std::isfinite(value)) return {.loss = value};
  throw InputError(
      fmt::format("--target {}: write accuracy=0.97, a share of the test examples, or "
                  "loss=0.1, in nats",
                  words));
}

/// The case ends where it reaches what --target says. @throws InputError where nobody would find
/// that
void aim(Case& asked, const std::string& words) {
  Scenario& scenario = asked.scenario;
  const Target target = read_target(words);
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("--target {}: {}", words, why));
  };
  if (scenario.model.profiled()) {
    refuse(
        fmt::format("{} is a job known by its times alone: without gradients nothing is learned "
                    "that could be reached; leave it out",
                    scenario.name));
  }
  if (!scenario.numerics) {
    refuse("numerics: off knows times alone, nothing that could be reached; add --set numerics=on");
  }
  if (scenario.training.evaluate_every == 0) {
    refuse(
        "the model is evaluated only at the end; say how often before it, for instance --set "
        "training.evaluate_every=100 (steps; with servers, updates)");
  }
  scenario.training.until = target;
}

/// The cluster that is told first, as a scenario.
void write_cluster(const BudgetAnswer& answer, const std::filesystem::path& folder,
                   const Answer& people) {
  const std::optional<Offer>& told = answer.cheapest ? answer.cheapest : answer.in_budget;
  if (!told) return;
  const auto path = folder / "cluster.yaml";
  write_text_file(path, to_yaml(seen_from(folder, told->scenario_case.scenario)));
  people.tell(fmt::format("scenario: {}\n", path.string()));
}

}  // namespace

int budget_cases(const Arguments& arguments, BudgetOptions modes) {
  const Answer answer = answer_of(arguments, "whatif");
  modes.bounds = bounds_of(arguments);
  modes.names = arguments.hosts;
  modes.most_hosts = arguments.max_hosts;
  modes.library = library_hosts();
  Case asked = one_case(arguments);
  if (!arguments.target.empty()) aim(asked, arguments.target);
  const auto folder = answer.folder_of(asked);
  claim_answers(answer, {{folder, asked.scenario}});
  std::optional<Progress> progress(std::in_place, "clusters for " + asked.label(), answer.quiet);
  modes.progress = [&](std::int64_t done, std::int64_t all) { progress->update(done, all, {}); };
  modes.learning = [&](std::int64_t done, std::int64_t all) {
    if (done == 0) progress.emplace("gradients for " + asked.label(), answer.quiet);
    progress->update(done, all, {});
  };
  const BudgetAnswer found = find_cluster(asked, modes);
  progress.reset();
  const nlohmann::ordered_json json = to_json(found);
  if (answer.json) print_json(json);
  answer.tell(budget_table(found) + "\n");
  const FileColumns as_a_file;
  write_text_file(folder / "budget.txt", budget_table(found));
  write_text_file(folder / "budget.json", json.dump(2) + "\n");
  sign_answer(folder, asked.scenario);
  write_cluster(found, folder, answer);
  return found.cheapest ? kDone : kFailed;
}

}  // namespace foretrain
