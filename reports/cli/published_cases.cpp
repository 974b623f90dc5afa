#include "reports/cli/published_cases.h"

#include "reports/record/files.h"
#include "reports/show/page/published_page.h"
#include "reports/show/page/report.h"
#include "reports/show/terminal/progress.h"
#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"
#include "reports/studies/published/tables.h"
#include "reports/studies/published/train.h"
#include "scenarios/input_error.h"
#include "scenarios/library.h"
#include "scenarios/yaml/text_guard.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <utility>

namespace foretrain {
namespace {

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

void train(const Answer& answer, const PublishedOptions& options,
           const std::filesystem::path& folder, const std::vector<Claim>& claims,
           PublishedLibrary& library) {
  PublishedTraining training;
  training.folder = folder / "training";
  training.data = options.data;
  training.seeds = options.seeds;
  training.date = today();
  training.threads = options.threads;
  training.simulate = options.simulate;
  training.run = options.run;
  training.tell = [&](const std::string& line) { answer.say(line); };
  library.measured = train_published(library, claims, options.study, training);
}

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

/// The files that the library keeps of what was predicted of all studies.
void rewrite(const PublishedLibrary& library, const std::vector<Prediction>& predictions,
             const std::vector<ClaimAnswers>& claims) {
  write_text_file(library.folder / "errors.md", errors_markdown(predictions, claims));
  write_text_file(library.folder / "measured.csv", measured_csv(library.measured));
  const std::filesystem::path readme = library.folder / "README.md";
  const std::string text = read_text(readme.string());
  write_text_file(readme, with_table(text, summary_markdown(predictions), readme.string()));
}

}  // namespace

int report_published(const Answer& answer, const PublishedOptions& options) {
  if (options.rewrite && !options.study.empty()) {
    throw InputError("--rewrite: the tables have all studies; leave the name of one out");
  }
  const std::filesystem::path folder = answer.out.empty() ? "out/published" : answer.out;
  prepare_folder(folder);
  PublishedLibrary library = read_published(library_folder() / "published");
  const std::vector<Claim> claims = read_claims((library.folder / "claims.csv").string());
  if (!options.data.empty()) train(answer, options, folder, claims, library);
  const std::vector<Prediction> predictions = predict_all(answer, options, library);
  const std::vector<ClaimAnswers> answers =
      foretrain::answer(claims, predictions, library.measured);
  if (answer.json) print_json(to_json(predictions, answers));
  answer.tell(to_table(predictions, answers));
  write_text_file(folder / "errors.md", errors_markdown(predictions, answers));
  write_text_file(folder / "errors.csv", errors_csv(predictions));
  write_text_file(folder / "measured.csv", measured_csv(library.measured));
  if (options.rewrite) rewrite(library, predictions, answers);
  answer.tell(fmt::format("\ntables:  {}\n", folder.string()));
  answer.tell(write_report(published_page(predictions, answers), folder));
  return kDone;
}

}  // namespace foretrain
