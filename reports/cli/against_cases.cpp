// What `validate --against TABLE` does.
#include "reports/cli/acts.h"
#include "reports/record/files.h"
#include "reports/record/stderr_note.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/page_report.h"
#include "reports/show/page/result_page.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/result_text.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

namespace foretrain {
namespace {

std::vector<FigureForecast> forecasts_of(const Answer& answer, AgainstOptions& options,
                                         const std::filesystem::path& table) {
  const std::string scenario = options.scenario.empty() ? "" : in_library(options.scenario);
  const std::vector<MeasuredFigure> figures = read_figures(table, scenario);
  Progress progress("forecast " + table.stem().string(), answer.quiet, "forecasts");
  options.forecasting.progress = [&](std::int64_t done, std::int64_t all) {
    progress.update(done, all, {});
  };
  return forecast_figures(figures, options.forecasting);
}

}  // namespace

int validate_against(const Answer& answer, AgainstOptions options) {
  const std::filesystem::path table = in_library(options.table);
  const std::filesystem::path folder =
      answer.out.empty() ? std::filesystem::path("out") / table.stem() : answer.out;
  const std::vector<FigureForecast> forecasts = forecasts_of(answer, options, table);
  prepare_folder(folder);
  const Result result = result_of(forecasts);
  if (answer.json) print_json(to_json(result));
  answer.tell(to_text(result, answer.full));
  for (const ResultTable& each : result.tables) {
    write_text_file(folder / (each.name + ".csv"), to_csv(each));
  }
  answer.tell(fmt::format("\ntables:  {}\n", folder.string()));
  const Figure figure = measured_figure(forecasts, result);
  answer.tell(write_report(
      result_page(table.stem().string() + ": foretrain validate", result, {figure}), folder));
  const double median = errors_of(forecasts).front().median;
  if (!options.fail_above || median * 100 <= *options.fail_above) return kDone;
  stderr_note(fmt::format("error: the median error is above {} %\n", *options.fail_above));
  return kFailed;
}

}  // namespace foretrain
