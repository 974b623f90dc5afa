// The command `validate --against TABLE`: forecasts of measurements made elsewhere.
#include "reports/cli/validate_cases.h"
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

namespace foretrain {
namespace {

std::vector<FigureForecast> forecasts_of(const ValidateArguments& arguments,
                                         ForecastOptions& options,
                                         const std::filesystem::path& table) {
  const std::string scenario = arguments.scenario.empty() ? "" : in_library(arguments.scenario);
  const std::vector<MeasuredFigure> figures = read_figures(table, scenario);
  Progress progress("forecast " + table.stem().string(), arguments.quiet, "forecasts");
  options.progress = [&](std::int64_t done, std::int64_t all) { progress.update(done, all, {}); };
  return forecast_figures(figures, options);
}

}  // namespace

int validate_against(const ValidateArguments& arguments, ForecastOptions options) {
  const std::filesystem::path table = in_library(arguments.against);
  const std::filesystem::path folder =
      arguments.out.empty() ? std::filesystem::path("out") / table.stem() : arguments.out;
  const std::vector<FigureForecast> forecasts = forecasts_of(arguments, options, table);
  prepare_folder(folder);
  const Result result = result_of(forecasts);
  if (arguments.json) print_json(to_json(result));
  arguments.tell(to_text(result, arguments.full));
  for (const ResultTable& each : result.tables) {
    write_text_file(folder / (each.name + ".csv"), to_csv(each));
  }
  arguments.tell(fmt::format("\ntables:  {}\n", folder.string()));
  const Figure figure = measured_figure(forecasts, result);
  arguments.tell(write_page(
      result_page(table.stem().string() + ": foretrain validate", result, {figure}), folder, true));
  const double median = errors_of(forecasts).front().median;
  if (!arguments.fail_above || median * 100 <= *arguments.fail_above) return kDone;
  stderr_note(fmt::format("error: the median error is above {} %\n", *arguments.fail_above));
  return kFailed;
}

}  // namespace foretrain
