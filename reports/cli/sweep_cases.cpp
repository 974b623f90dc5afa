#include "reports/cli/sweep_cases.h"

#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/sweep/finding.h"
#include "scenarios/language/file_errors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

nlohmann::ordered_json names_of_best(const SweepTable& table) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const std::size_t row : best_of(table).rows) names.push_back(table.rows[row].name);
  return names;
}

}  // namespace

int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options) {
  options.folder = answer.root_of(cases.front().scenario);
  if (answer.force && !can_go_on(cases, options)) {
    const auto aside = set_sweep_aside(options.folder);
    answer.say(fmt::format("the earlier sweep was moved to {}", aside.string()));
  }
  std::optional<Progress> progress(std::in_place, "sweep", answer.quiet, "cases");
  options.progress = [&](std::int64_t done, std::int64_t all) { progress->update(done, all, {}); };
  const SweepResult result = sweep_into(cases, options);
  progress.reset();
  SweepTable table;  // empty until all cases have a row
  if (result.complete()) table = read_sweep(sweep_csv(result.rows), "sweep.csv");
  if (answer.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& [number, row] : result.rows) rows.push_back(row);
    print_json({{"cases", result.cases},
                {"done", result.rows.size()},
                {"failed", result.failed},
                {"found", result.found},
                {"sentence", result.complete() ? sweep_sentence(table) : ""},
                {"best", names_of_best(table)},
                {"rows", std::move(rows)}});
  }
  if (result.complete()) {
    answer.tell(to_text(sweep_result(table, stands_on(result.rows)), answer.full) + "\n");
  }
  if (!result.complete() || result.failed > 0 || result.found > 0) {
    answer.tell(to_text(result, options.shard));
  }
  if (!result.not_kept.empty()) return tell_failure(WriteError(result.not_kept));
  const auto path = options.folder / "sweep.csv";
  answer.tell(result.complete()
                  ? fmt::format("table: {}\n", path.string())
                  : fmt::format("{} will have the table when all cases are done\n", path.string()));
  if (result.interrupted) return kInterrupted;
  return result.failed > 0 ? kFailed : kDone;
}

}  // namespace foretrain
