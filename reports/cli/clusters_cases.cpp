#include "reports/cli/clusters_cases.h"

#include "reports/record/files.h"
#include "reports/show/page/clusters_page.h"
#include "reports/show/page/report.h"
#include "reports/show/terminal/progress.h"
#include "reports/studies/clusters/forecast.h"
#include "reports/studies/clusters/tables.h"
#include "reports/studies/published/tables.h"
#include "scenarios/input_error.h"
#include "scenarios/library.h"
#include "scenarios/yaml/text_guard.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {
namespace {

std::vector<ClusterForecast> forecast_all(const Answer& answer, const PublishedOptions& options,
                                          const std::filesystem::path& library) {
  Progress progress("clusters", answer.quiet);
  ClusterOptions forecasting;
  forecasting.folder = library;
  forecasting.study = options.study;
  forecasting.threads = options.threads;
  forecasting.simulate = options.simulate;
  forecasting.progress = [&](std::int64_t done, std::int64_t all) {
    progress.update(done, all, {});
  };
  return forecast_clusters(read_cluster_figures((library / "measured.csv").string()), forecasting);
}

}  // namespace

bool names_clusters(const std::vector<std::string>& asked, PublishedOptions& options) {
  const bool clusters = asked.front() == "clusters";
  if (!clusters && asked.size() > 1) throw InputError("--published: name one study");
  const std::string& last = asked.back();
  if (last != "all" && last != "clusters") options.study = last;
  return clusters;
}

int report_clusters(const Answer& answer, const PublishedOptions& options) {
  if (options.rewrite && !options.study.empty()) {
    throw InputError("--rewrite: the table has all studies; leave the name of one out");
  }
  if (!options.data.empty()) {
    throw InputError(
        "--data: clusters of others are forecast alone, nothing is trained; remove it");
  }
  const std::filesystem::path library = library_folder() / "clusters";
  const std::filesystem::path folder = answer.out.empty() ? "out/clusters" : answer.out;
  prepare_folder(folder);
  const std::vector<ClusterForecast> forecasts = forecast_all(answer, options, library);
  if (answer.json) print_json(to_json(forecasts));
  answer.tell(to_table(forecasts));
  write_text_file(folder / "errors.csv", clusters_csv(forecasts));
  if (options.rewrite) {
    const std::filesystem::path readme = library / "README.md";
    write_text_file(readme, with_table(read_text(readme.string()), cluster_markdown(forecasts),
                                       readme.string()));
  }
  answer.tell(fmt::format("\ntables:  {}\n", folder.string()));
  answer.tell(write_report(clusters_page(forecasts), folder));
  return kDone;
}

}  // namespace foretrain
