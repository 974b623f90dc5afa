#include "reports/studies/validation/validate_into.h"

#include "models/base/check.h"
#include "reports/record/files.h"
#include "reports/record/json_object.h"
#include "reports/record/not_done.h"
#include "reports/studies/validation/cached_runs.h"
#include "reports/studies/validation/output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFinished = "validation.json";
constexpr const char* kTables = "validation.txt";

/// A validation in its folder.
class Keeper {
 public:
  Keeper(const std::vector<Case>& cases, const ValidateOptions& options, const Modes& modes)
      : cases_(cases),
        options_(options),
        modes_(modes),
        names_(folder_names(cases)),
        to_come_(cases.size()),
        time_left_(cases.size()) {}

  void begin() {
    const bool finished = fs::exists(options_.folder / kFinished);
    const bool others = (options_.anew || options_.replace) && holds_others();
    if (others || (options_.anew && finished)) put_aside();
    std::error_code ignored;  // a later write reports what could not be removed
    fs::remove(options_.folder / kFinished, ignored);  // not finished from here on
    note_strangers();
    for (const char* mode : {"run", "simulate"}) prepare_folder(options_.folder / mode);
    usable_.assign(cases_.size(),
                   std::vector<bool>(static_cast<std::size_t>(options_.repetitions)));
    for (std::size_t i = 0; i < cases_.size(); ++i) look_at(i);
    if (found_ > 0) {
      options_.note(fmt::format("{} of {} runs are in {} already and are used", found_,
                                std::ssize(cases_) * options_.repetitions,
                                options_.folder.string()));
    }
  }

  void run_all() {
    for (int repetition = 1; repetition <= options_.repetitions; ++repetition) {
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        if (!usable_[i].at(static_cast<std::size_t>(repetition - 1))) run(i, repetition);
      }
    }
  }

  CaseValidation compare(std::size_t i) {
    options_.tell(fmt::format("simulation {} of {}", i + 1, cases_.size()));
    std::vector<Record> runs;
    runs.reserve(static_cast<std::size_t>(options_.repetitions));
    for (int repetition = 1; repetition <= options_.repetitions; ++repetition) {
      runs.push_back(read_record(place_of_run(i, repetition)));
    }
    Record simulated =
        keep(modes_.simulate(cases_[i]), options_.folder / "simulate" / names_[i], i);
    return compare_case(cases_[i], {std::move(runs), std::move(simulated)}, modes_.replay,
                        modes_.own_times, modes_.of_moment);
  }

  [[nodiscard]] int found() const { return found_; }

 private:
  [[nodiscard]] bool holds_others() const {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      for (int repetition = 1; repetition <= options_.repetitions; ++repetition) {
        if (holds_other(place_of_run(i, repetition), cases_[i])) return true;
      }
    }
    return false;
  }

  void put_aside() const {
    const fs::path aside =
        set_aside(options_.folder, {"run", "simulate", "broken", "cases.csv", kTables, kFinished});
    options_.note(fmt::format("the earlier validation was moved to {}", aside.string()));
  }

  /// Notes runs of an earlier validation whose cases are not in this one.
  void note_strangers() const {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator each(options_.folder / "run", error), end; !error && each != end;
         each.increment(error)) {
      std::string name = each->path().filename().string();
      if (std::ranges::find(names_, name) == names_.end()) names.push_back(std::move(name));
    }
    if (names.empty()) return;
    std::ranges::sort(names);
    options_.note(fmt::format("{} also holds {}, which is no case of this validation",
                              (options_.folder / "run").string(), fmt::join(names, ", ")));
  }

  [[nodiscard]] fs::path place_of_run(std::size_t i, int repetition) const {
    return options_.folder / "run" / names_[i] / fmt::format("{}", repetition);
  }

  void look_at(std::size_t i) {
    for (int repetition = 1; repetition <= options_.repetitions; ++repetition) {
      const KeptRun kept = look_for_run(place_of_run(i, repetition), cases_[i]);
      usable_[i].at(static_cast<std::size_t>(repetition - 1)) = kept.usable;
      if (!kept.trouble.empty()) options_.note(kept.trouble + "; it is run again");
      if (!kept.usable) {
        ++to_come_[i];
        continue;
      }
      ++found_;
      time_left_.took(i, kept.took.seconds());
    }
  }

  void run(std::size_t i, int repetition) {
    const std::string left = about_left(time_left_.seconds(to_come_));
    options_.tell(fmt::format("case {} of {}, repetition {} of {}{}{}", i + 1, cases_.size(),
                              repetition, options_.repetitions, left.empty() ? "" : ", ", left));
    const auto before = std::chrono::steady_clock::now();
    const fs::path place = place_of_run(i, repetition);
    const WallTime launched = std::chrono::system_clock::now();
    Record record = modes_.run(cases_[i]);
    const WallTime zero = launched + std::chrono::nanoseconds(record.startup.ns);
    keep(std::move(record), place, i, zero);
    const auto passed = std::chrono::steady_clock::now() - before;
    time_left_.took(i, std::chrono::duration<double>(passed).count());
    --to_come_[i];
  }

  /// Writes the record of a complete training to `place`, else to broken/CASE, where it is not
  /// taken for a complete one. `zero` is passed to write_record.
  Record keep(Record record, const fs::path& place, std::size_t i, WallTime zero = {}) {
    const bool done = record.outcome == Outcome::done;
    const fs::path where = done ? place : options_.folder / "broken" / names_[i];
    write_record(record, where, zero);
    if (done) return record;
    throw NotDone(record.outcome,
                  fmt::format("{}; its record so far is in {}", record.failure, where.string()));
  }

  const std::vector<Case>& cases_;
  const ValidateOptions& options_;
  const Modes& modes_;
  std::vector<std::string> names_;
  std::vector<std::vector<bool>> usable_;  // by case, then repetition - 1
  std::vector<int> to_come_;               // number of runs still to do of each case
  int found_ = 0;
  TimeLeft time_left_;
};

}  // namespace

Validation validate_into(const std::vector<Case>& cases, const ValidateOptions& options,
                         const Modes& modes) {
  FT_CHECK_OP(options.repetitions, >=, 1);
  Keeper keeper(cases, options, modes);
  keeper.begin();
  keeper.run_all();
  Validation validation{{}, options.repetitions, keeper.found()};
  validation.cases.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) validation.cases.push_back(keeper.compare(i));
  return validation;
}

void keep_validation(const nlohmann::ordered_json& validation, const std::string& text,
                     const fs::path& folder) {
  write_text_file(folder / "cases.csv",
                  to_csv(metrics_table(JsonObject(validation, folder.string() + ":"))));
  write_text_file(folder / kTables, text);
  // Written last: its presence marks the validation as finished.
  write_text_file(folder / kFinished, to_text(validation));
}

}  // namespace foretrain
