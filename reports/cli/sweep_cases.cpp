#include "reports/cli/sweep_cases.h"

#include "reports/show/terminal/progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <utility>

namespace foretrain {

int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options) {
  options.folder = answer.folder_of({{}, cases.front().scenario, {}});
  Progress progress("sweep", answer.quiet);
  options.progress = [&](std::int64_t done, std::int64_t all) { progress.update(done, all, {}); };
  const SweepResult result = sweep_into(cases, options);
  if (answer.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& [number, row] : result.rows) rows.push_back(row);
    print_json({{"cases", result.cases},
                {"done", result.rows.size()},
                {"failed", result.failed},
                {"found", result.found},
                {"rows", std::move(rows)}});
  }
  answer.say(to_text(result, options.shard));
  const auto table = options.folder / "sweep.csv";
  answer.say(result.complete()
                 ? fmt::format("table: {}", table.string())
                 : fmt::format("{} has the table once all cases are done", table.string()));
  if (result.interrupted) return kInterrupted;
  return result.failed > 0 ? kFailed : kDone;
}

}  // namespace foretrain
