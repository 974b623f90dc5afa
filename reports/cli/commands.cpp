#include "reports/cli/commands.h"

#include "reports/cli/folders.h"
#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "reports/record/not_done.h"
#include "reports/record/stderr_note.h"
#include "reports/record/summary.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/seeds/seed_intervals.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/text_guard.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::vector<ClaimedPlace> places_of(const Answer& answer, const std::vector<Case>& cases) {
  std::vector<ClaimedPlace> places;
  places.reserve(cases.size());
  for (const Case& each : cases) places.push_back({answer.folder_of(each), each.scenario});
  return places;
}

/// The folders of each seed of each case.
std::vector<ClaimedPlace> seed_places(const Answer& answer, const std::vector<Case>& cases,
                                      int seeds) {
  std::vector<ClaimedPlace> places;
  places.reserve(cases.size() * static_cast<std::size_t>(seeds));
  for (const Case& each : cases) {
    for (const Case& one : seeds_of(each, seeds)) {
      places.push_back({answer.folder_of(each) / seed_folder(one), one.scenario});
    }
  }
  return places;
}

}  // namespace

int status_of(Outcome outcome) {
  if (outcome == Outcome::done) return kDone;
  return outcome == Outcome::interrupted ? kInterrupted : kFailed;
}

void Output::say(const std::string& line) const {
  if (!quiet) stderr_note(line + "\n");
}

void Output::tell(std::string_view text) const {
  if (!json) return print_result(text);
  if (full) stderr_note(text);
}

void Output::tell_anyway(std::string_view text) const {
  if (!json) return print_result(text);
  stderr_note(text);
}

std::filesystem::path Answer::root_of(const Scenario& scenario) const {
  if (!out.empty()) return out;
  // The label of a case without settings is its scenario's name as a folder name.
  return std::filesystem::path("out") / Case{{}, scenario, {}}.label() /
         (settings.empty() ? command : fmt::format("{}-{}", command, settings));
}

std::filesystem::path Answer::folder_of(const Case& scenario_case) const {
  std::filesystem::path root = root_of(scenario_case.scenario);
  return scenario_case.settings.empty() ? root : root / scenario_case.label();
}

void print_result(std::string_view text) {
  const std::string shown = printable(text);
  errno = 0;
  const bool taken = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
  if (taken && std::fflush(stdout) == 0) return;
  // The reader has closed the pipe, as `head` does: no error, but all later text is discarded.
  if (errno == EPIPE && std::freopen("/dev/null", "w", stdout) != nullptr) return;
  throw WriteError(
      fmt::format("standard output: cannot write: {}", std::generic_category().message(errno)));
}

void print_json(const Json& json) {
  print_result(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void answer_cases(const Answer& answer, const std::vector<Case>& cases, const AnswerCase& one,
                  const std::function<void()>& end) {
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
  if (end) end();
  const bool sweep = cases.size() > 1 || !cases.front().settings.empty();
  if (answer.json && !answers.empty()) {
    print_json(sweep ? Json{{"cases", answers}} : answers.front());
  }
  if (failed) std::rethrow_exception(failed);
}

void keep_record(const Record& record, const std::filesystem::path& folder) {
  try {
    write_record(record, folder);
  } catch (const WriteError& error) {
    if (record.step_totals) throw;  // it has no rows to leave out
    Record summary = record;
    keep_summary(summary);
    write_record(summary, folder);
    throw WriteError(fmt::format("{}; {} has the record so far, without its rows", error.what(),
                                 folder.string()));
  }
}

std::string progress_title(const char* mode, const Case& each, const std::vector<Case>& cases) {
  std::string what = fmt::format("{} {}", mode, each.label());
  if (cases.size() == 1) return what;
  return fmt::format("{} of {} trainings, {}", &each - cases.data() + 1, cases.size(), what);
}

int train_cases(const Answer& answer, const std::vector<Case>& cases, Mode mode,
                const TrainInto& train, const KeepRecord& keep) {
  const std::filesystem::path root = answer.root_of(cases.front().scenario);
  const FolderLock lock(root);
  check_unfinished(answer, cases);
  claim_folders(answer, root, places_of(answer, cases), mode);
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
  std::vector<Record> records;  // without their rows
  int status = kDone;
  answer_cases(
      answer, cases,
      [&](const Case& each, Json& answers) {
        if (Interruption::asked()) status = kInterrupted;
        if (status != kDone) return false;
        const auto folder = answer.folder_of(each);
        std::optional<FolderLock> own;  // against a process that resumes this case of a sweep
        if (folder != root) own.emplace(folder);
        Record record;
        try {
          record = train(each, folder);
        } catch (const NotDone& error) {
          status = tell_failure(error);
          return false;
        }
        if (answer.json) answers.push_back(to_json(record));  // large if there are many nodes
        status = status_of(record.outcome);
        if (!record.failure.empty()) stderr_note(fmt::format("error: {}\n", record.failure));
        unless_full(status, [&] {
          if (keep) keep(record, folder);
          if (answer.provenance) write_provenance(answer.provenance(), folder);
        });
        keep_summary(record);
        records.push_back(std::move(record));
        if (status == kDone) return true;
        const std::string how = how_it_goes_on(answer, each, folder);
        if (!how.empty()) stderr_note(how + "\n");
        return false;
      },
      [&] {
        if (records.empty()) return;
        unless_full(status, [&] {
          answer.tell(to_text(result_of(records), answer.full));
          answer.tell(cases.size() > 1 ? fmt::format("\nrecords: {}\n", root.string())
                                       : fmt::format("\nrecord: {}\n",
                                                     answer.folder_of(cases.front()).string()));
        });
      });
  return status;
}

int band_cases(const Answer& answer, const std::vector<Case>& cases, int seeds, int threads,
               const Train& simulate) {
  const std::filesystem::path root = answer.root_of(cases.front().scenario);
  const FolderLock lock(root);
  claim_folders(answer, root, seed_places(answer, cases, seeds), Mode::simulate);
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
  int status = kDone;
  std::string basis;  // printed once if it is the same for all cases
  answer_cases(answer, cases, [&](const Case& each, Json& answers) {
    Interruption::check();
    std::optional<Progress> progress(std::in_place, "seeds of " + each.label(), answer.quiet,
                                     "trainings");
    SeedIntervalOptions options{answer.folder_of(each), threads, {}};
    options.progress = [&](std::int64_t done, std::int64_t of) { progress->update(done, of); };
    const SeedIntervals intervals = simulate_seed_intervals(each, seeds, options, simulate);
    progress.reset();
    answers.push_back(to_json(intervals));
    Result result = seed_intervals_result(intervals);
    result.tables.front().full = cases.size() > 1;  // with several cases one sentence each
    if (!answer.full && result.stands_on == basis) result.stands_on.clear();
    if (!result.stands_on.empty()) basis = result.stands_on;
    answer.tell(
        fmt::format("{}\nrecords: {}\n\n", to_text(result, answer.full), options.folder.string()));
    unless_full(status, [&] {
      write_text_file(options.folder / "bands.csv", to_csv(seed_intervals_table(intervals)));
    });
    return status == kDone;
  });
  return status;
}

Replayed compare_weights(const Record& recorded, const Record& replayed) {
  if (recorded.weights_sha256.empty()) {
    return {true, "the recorded training did not finish, so there are no weights to compare"};
  }
  if (replayed.weights_sha256 == recorded.weights_sha256) {
    return {true, "weights equal the recorded ones bit for bit"};
  }
  if (replayed.kernel_set == recorded.kernel_set) {
    return {false, "weights DIFFER from the recorded ones"};
  }
  return {true, "weights were computed with other kernels: not comparable"};
}

int replayed_case(const Answer& answer, const Record& recorded,
                  const std::function<Record(const Record&)>& replay) {
  const auto folder = answer.folder_of(recorded.scenario_case);
  const FolderLock lock(folder);
  claim_folders(answer, folder, {{folder, recorded.scenario_case.scenario}}, Mode::simulate);
  std::vector<Record> records;
  records.push_back(replay(recorded));
  const Record& record = records.front();
  answer.tell(to_text(result_of(records), answer.full));
  const Replayed replayed = compare_weights(recorded, record);
  int status = replayed.as_recorded ? status_of(record.outcome) : kFailed;
  unless_full(status, [&] {
    keep_record(record, folder);
    answer.tell(fmt::format("\nrecord: {}\n", folder.string()));
  });
  answer.tell_anyway(replayed.sentence + "\n");
  if (answer.json) print_json(to_json(record));
  return status;
}

}  // namespace foretrain
