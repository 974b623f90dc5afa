#include "reports/cli/sweep_cases.h"

#include "reports/cli/failure.h"
#include "reports/show/terminal/progress.h"
#include "scenarios/write_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace foretrain {

int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options) {
  options.folder = answer.root_of(cases.front().scenario);
  if (answer.force && !can_go_on(cases, options)) {
    const auto aside = set_sweep_aside(options.folder);
    answer.say(fmt::format("the sweep that was there is in {} now", aside.string()));
  }
  std::optional<Progress> progress(std::in_place, "sweep", answer.quiet);
  options.progress = [&](std::int64_t done, std::int64_t all) { progress->update(done, all, {}); };
  const SweepResult result = sweep_into(cases, options);
  progress.reset();
  if (answer.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& [number, row] : result.rows) rows.push_back(row);
    print_json({{"cases", result.cases},
                {"done", result.rows.size()},
                {"failed", result.failed},
                {"found", result.found},
                {"rows", std::move(rows)}});
  }
  answer.tell(to_text(result, options.shard));
  if (!result.not_kept.empty()) return tell_failure(WriteError(result.not_kept));
  const auto table = options.folder / "sweep.csv";
  answer.tell(result.complete()
                  ? fmt::format("table: {}\n", table.string())
                  : fmt::format("{} has the table once all cases are done\n", table.string()));
  if (result.interrupted) return kInterrupted;
  return result.failed > 0 ? kFailed : kDone;
}

}  // namespace foretrain
