#include "reports/cli/validate_cases.h"

#include "reports/record/files.h"
#include "reports/record/json_object.h"
#include "reports/record/stderr_note.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/page_report.h"
#include "reports/show/page/sections.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace foretrain {
namespace {

using Clock = std::chrono::steady_clock;

/// Prints at most one progress line in 5 s, since cases may take only milliseconds.
class NowAndThen {
 public:
  explicit NowAndThen(const Answer& answer) : answer_(answer) {}

  void tell(const std::string& line) {
    constexpr auto kBetweenLines = std::chrono::seconds(5);
    if (Clock::now() < next_) return;
    next_ = Clock::now() + kBetweenLines;
    answer_.say(line);
  }

 private:
  const Answer& answer_;
  Clock::time_point next_;
};

/// The records for the figures; none if there are too many cases to distinguish their curves.
std::vector<Record> drawn_records(const Validation& validation) {
  std::vector<Record> records;
  if (validation.cases.size() > kDetailedCases) return records;
  records.reserve(2 * validation.cases.size());
  for (const CaseValidation& each : validation.cases) {
    records.push_back(each.run);
    records.push_back(each.simulated);
  }
  return records;
}

/// Draws the main figures, and writes the page with all. Returns a line each for the figure of
/// accuracy and the page; with `full` for every figure.
std::string draw_figures(const Validation& validation, const JsonObject& json,
                         const std::filesystem::path& folder, bool full) {
  Found found;
  found.records = drawn_records(validation);
  found.sections.push_back(validation_section(json));
  found.sentences.push_back(json.text("sentence"));
  found.question = json.text("question");
  std::string lines;
  try {
    const Figure accuracy = accuracy_of_forecast(json);
    if (!accuracy.panels.empty()) {
      lines += fmt::format("figure:  {}\n", draw(accuracy, folder).string());
    }
    const std::string others = draw_all(found.records, folder);
    if (full) lines += others;
  } catch (const NoGnuplot& error) {
    lines += fmt::format("figures: not drawn as files: {}\n", error.what());
  }
  return lines + write_page(page_of(found), folder);
}

/// Whether weights are equal and no strategy's error exceeds `fail_above`; reports those that do.
bool passes(const Validation& validation, std::optional<double> fail_above) {
  bool good =
      validation.weights_equal().value_or(true) && validation.replays_equal().value_or(true);
  if (!fail_above) return good;
  for (const std::string& strategy : strategies_above(validation, *fail_above / 100)) {
    stderr_note(fmt::format("error: {}: the median error of the step time is above {} %\n",
                            strategy, *fail_above));
    good = false;
  }
  return good;
}

}  // namespace

int validate_cases(const ValidateArguments& arguments, const std::vector<Case>& cases,
                   const Modes& modes, Occasion measured) {
  constexpr std::size_t kDay = 10;  // 2026-11-23
  measured.date.resize(kDay);
  measured.file = std::filesystem::path(arguments.scenario).stem().string();
  const std::filesystem::path ledger = arguments.ledger;
  if (!ledger.empty()) read_ledger(ledger);  // rejects a damaged one before anything is trained
  const Answer answer = answer_of(arguments, "validate");
  NowAndThen progress(answer);
  ValidateOptions options;
  options.folder = answer.root_of(cases.front().scenario);
  options.repetitions = arguments.repetitions;
  options.anew = answer.out.empty();
  options.replace = answer.force;
  options.tell = [&](const std::string& line) { progress.tell(line); };
  options.note = [&](const std::string& line) { answer.say(line); };
  const FolderLock lock(options.folder);
  const Validation validation = validate_into(cases, options, modes);
  const nlohmann::ordered_json json = to_json(validation);
  const JsonObject object(json, options.folder.string() + ":");
  const Result result = validation_result(object);
  if (answer.json) print_json(json);
  answer.tell(to_text(result, answer.full) + "\n");
  int status = kDone;
  unless_full(status, [&] {
    {
      const FileColumns as_a_file;
      keep_validation(json, to_text(result, true), options.folder);
    }
    answer.tell(
        fmt::format("tables:  {0}/validation.txt\nrecords: {0}\n", options.folder.string()));
    answer.tell(draw_figures(validation, object, options.folder, answer.full));
    if (!ledger.empty()) {
      enter_into_ledger(ledger, ledger_rows(validation, measured));
      answer.tell(fmt::format("ledger:  {}\n", ledger.string()));
    }
  });
  return passes(validation, arguments.fail_above) ? status : kFailed;
}

}  // namespace foretrain
