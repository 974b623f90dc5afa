#include "reports/cli/commands.h"

#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/summary_table.h"
#include "reports/studies/bands/bands.h"
#include "reports/studies/determinism/determinism.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

int status_of(Outcome outcome) {
  if (outcome == Outcome::done) return kDone;
  return outcome == Outcome::interrupted ? kInterrupted : kFailed;
}

void Answer::say(const std::string& line) const {
  if (!quiet) fmt::print(stderr, "{}\n", line);
}

std::filesystem::path Answer::folder_of(const Case& scenario_case) const {
  // The label of a case without settings is its scenario's name, fit for a folder.
  std::filesystem::path folder = out;
  if (out.empty()) {
    folder = std::filesystem::path("out") / Case{{}, scenario_case.scenario, {}}.label() / command;
  }
  return scenario_case.settings.empty() ? folder : folder / scenario_case.label();
}

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void answer_cases(const Answer& answer, const std::vector<Case>& cases, const AnswerCase& one) {
  Json answers = Json::array();
  std::exception_ptr failed;
  for (const Case& each : cases) {
    try {
      if (!one(each, answers)) break;
    } catch (...) {
      failed = std::current_exception();
      break;
    }
  }
  const bool sweep = cases.size() > 1 || !cases.front().settings.empty();
  if (answer.json && !answers.empty()) {
    print_json(sweep ? Json{{"cases", answers}} : answers.front());
  }
  if (failed) std::rethrow_exception(failed);
}

int train_cases(const Answer& answer, const std::vector<Case>& cases, const TrainInto& train) {
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
  CaseTable table;
  int status = kDone;
  answer_cases(answer, cases, [&](const Case& each, Json& answers) {
    const auto folder = answer.folder_of(each);
    const Record record = train(each, folder);
    table.add(record);
    answers.push_back(to_json(record));
    if (answer.provenance) write_provenance(answer.provenance(), folder);
    status = status_of(record.outcome);
    if (status != kDone && answer.quiet) fmt::print(stderr, "error: {}\n", record.failure);
    answer.say(fmt::format("{}record: {}\n", summary_table(record), folder.string()));
    return status == kDone;
  });
  if (cases.size() > 1) answer.say(table.text());
  return status;
}

int band_cases(const Answer& answer, const std::vector<Case>& cases, int seeds, int threads,
               const Train& simulate) {
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
  answer_cases(answer, cases, [&](const Case& each, Json& answers) {
    Progress progress("seeds of " + each.label(), answer.quiet);
    BandOptions options{answer.folder_of(each), threads, {}};
    options.progress = [&](std::int64_t done, std::int64_t of) { progress.update(done, of, {}); };
    const Bands bands = simulate_bands(each, seeds, options, simulate);
    answers.push_back(to_json(bands));
    answer.say(fmt::format("{}records: {}\n", to_table(bands), options.folder.string()));
    return true;
  });
  return kDone;
}

int replayed_case(const Answer& answer, const Record& recorded, const Record& record) {
  const auto folder = answer.folder_of(recorded.scenario_case);
  write_record(record, folder);
  if (answer.json) print_json(to_json(record));
  answer.say(fmt::format("{}record: {}", summary_table(record), folder.string()));
  const Replayed replayed = compare_weights(recorded, record);
  answer.say(replayed.sentence);
  return replayed.as_recorded ? status_of(record.outcome) : kFailed;
}

int twin_cases(const Answer& answer, const std::vector<Case>& cases, const Train& simulate) {
  bool same = true;
  const int status = train_cases(answer, cases, [&](const Case& each, const auto& folder) {
    Twins twins = simulate_twice(each, simulate);
    same = same && twins.difference.empty();
    fmt::print(stderr, "{}\n", verdict(twins));
    write_record(twins.record, folder);
    return std::move(twins.record);
  });
  return status == kDone && !same ? kFailed : status;
}

}  // namespace foretrain
