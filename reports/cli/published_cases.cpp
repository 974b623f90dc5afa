// What `foretrain report --published` does.
#include "reports/cli/acts.h"
#include "reports/record/files.h"
#include "reports/show/page/report.h"
#include "reports/show/page/sections.h"
#include "reports/show/terminal/progress.h"
#include "reports/studies/clusters/forecast.h"
#include "reports/studies/clusters/tables.h"
#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"
#include "reports/studies/published/tables.h"
#include "scenarios/input_error.h"
#include "scenarios/library.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {
namespace {

std::vector<Prediction> predict_all(const Answer& answer, const PublishedOptions& options,
                                    const PublishedLibrary& library) {
  Progress progress("published studies", answer.quiet);
  PredictOptions predicting;
  predicting.study = options.study;
  predicting.threads = options.threads;
  predicting.simulate = options.simulate;
  predicting.progress = [&](std::int64_t done, std::int64_t all) {
    progress.update(done, all, {});
  };
  return predict(library, predicting);
}

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

int report_published(const Answer& answer, const PublishedOptions& options) {
  const std::filesystem::path folder = answer.out.empty() ? "out/published" : answer.out;
  prepare_folder(folder);
  const PublishedLibrary library = read_published(library_folder() / "published");
  const std::vector<Claim> claims = read_claims((library.folder / "claims.csv").string());
  const std::vector<Prediction> predictions = predict_all(answer, options, library);
  const std::vector<ClaimAnswers> answers =
      foretrain::answer(claims, predictions, library.measured);
  if (answer.json) print_json(to_json(predictions, answers));
  answer.tell(to_table(predictions, answers));
  write_text_file(folder / "errors.md", errors_markdown(predictions, answers));
  write_text_file(folder / "errors.csv", errors_csv(predictions));
  answer.tell(fmt::format("\ntables:  {}\n", folder.string()));
  answer.tell(write_report(published_page(predictions, answers), folder));
  return kDone;
}

bool names_clusters(const std::vector<std::string>& asked, PublishedOptions& options) {
  const bool clusters = asked.front() == "clusters";
  if (!clusters && asked.size() > 1) throw InputError("--published: name one study");
  const std::string& last = asked.back();
  if (last != "all" && last != "clusters") options.study = last;
  return clusters;
}

int report_clusters(const Answer& answer, const PublishedOptions& options) {
  const std::filesystem::path library = library_folder() / "clusters";
  const std::filesystem::path folder = answer.out.empty() ? "out/clusters" : answer.out;
  prepare_folder(folder);
  const std::vector<ClusterForecast> forecasts = forecast_all(answer, options, library);
  if (answer.json) print_json(to_json(forecasts));
  answer.tell(to_table(forecasts));
  write_text_file(folder / "errors.csv", clusters_csv(forecasts));
  write_text_file(folder / "errors.md", cluster_markdown(forecasts));
  answer.tell(fmt::format("\ntables:  {}\n", folder.string()));
  answer.tell(write_report(clusters_page(forecasts), folder));
  return kDone;
}

}  // namespace foretrain
