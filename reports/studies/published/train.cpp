#include "reports/studies/published/train.h"

#include "reports/record/files.h"
#include "reports/record/not_done.h"
#include "reports/studies/parallel/in_parallel.h"
#include "reports/studies/published/quantity.h"
#include "reports/studies/sweep/journal.h"
#include "scenarios/read.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

namespace foretrain {
namespace {

using Quantities = std::map<CaseName, std::set<std::string>>;

/// What is read from the training of which case.
Quantities trained_quantities(const PublishedLibrary& library, const std::string& study) {
  PublishedCases cases(library.folder);
  Quantities quantities;
  for (const ReportedFigure& figure : library.reported) {
    if (!study.empty() && figure.study != study) continue;
    const FigureReading& reading = reading_of(figure, library.readings);
    if (reading.quantity.empty() || source_of(reading.quantity) != Source::trained) continue;
    quantities[cases.find(figure, reading.scenario)].insert(reading.quantity);
  }
  return quantities;
}

Quantities executed_quantities(const std::vector<Claim>& claims, const std::string& study) {
  Quantities quantities;
  for (const Claim& claim : claims) {
    if (claim.scenario.empty() || (!study.empty() && claim.study != study)) continue;
    for (const int number : {claim.first_case, claim.second_case}) {
      quantities[{claim.scenario, number}].insert(claim.quantity);
    }
  }
  return quantities;
}

/// A training of a case.
struct Task {
  CaseName name;
  Case scenario_case;
  std::string digest;  // of what is trained, whatever it is called
};

/// The first seed of all cases, then the next one.
std::vector<Task> tasks_of(const Quantities& quantities, const std::filesystem::path& folder,
                           int seeds, const std::vector<std::string>& settings) {
  std::vector<Task> tasks;
  tasks.reserve(quantities.size() * static_cast<std::size_t>(seeds));
  for (int seed = 1; seed <= seeds; ++seed) {
    std::vector<std::string> overrides = settings;
    overrides.push_back(fmt::format("seed={}", seed));
    for (const auto& [name, unused] : quantities) {
      const auto cases = read_scenario((folder / name.first).string(), overrides);
      Task task{name, cases.at(static_cast<std::size_t>(name.second) - 1), {}};
      Case nameless = task.scenario_case;
      nameless.scenario.name.clear();
      nameless.scenario.question.clear();
      task.digest = digest_of(nameless);
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

/// What tasks came to, kept in a folder.
class Trained {
 public:
  using Train = std::function<Record(const Case&)>;

  explicit Trained(const std::filesystem::path& folder)
      : rows_(read_rows(folder)), journal_(folder, {}) {
    for (const auto& [number, row] : rows_) by_digest_[row.value("digest", "")] = row;
  }

  /// Trains those that were not.
  void train(const std::vector<Task>& tasks, int threads, const Train& train,
             const std::function<void(const std::string&)>& tell) {
    std::vector<const Task*> to_come;
    std::set<std::string> seen;
    for (const Task& task : tasks) {
      if (!by_digest_.contains(task.digest) && seen.insert(task.digest).second) {
        to_come.push_back(&task);
      }
    }
    std::int64_t done = 0;
    in_parallel(std::ssize(to_come), threads, [&](std::int64_t i) {
      const Task& task = *to_come[static_cast<std::size_t>(i)];
      const Record record = train(task.scenario_case);
      const std::lock_guard lock(mutex_);
      add(task, record);
      tell(fmt::format("trained {} of {}: {} case {}", ++done, to_come.size(), task.name.first,
                       task.name.second));
    });
  }

  [[nodiscard]] const nlohmann::ordered_json& row_of(const Task& task) const {
    return by_digest_.at(task.digest);
  }

 private:
  void add(const Task& task, const Record& record) {
    if (record.outcome != Outcome::done) {
      throw NotDone(record.outcome, fmt::format("{} case {}: {}", task.name.first, task.name.second,
                                                record.failure));
    }
    nlohmann::ordered_json row;
    row["case"] = rows_.size();
    row["digest"] = task.digest;
    row["scenario"] = task.name.first;
    row["mode"] = name_of(record.mode);
    row["kernel_set"] = record.kernel_set;
    for (const char* quantity : kKept) {
      const auto value = quantity_of(quantity, record, "");
      row[quantity] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    }
    journal_.add(row);
    rows_[rows_.size()] = row;
    by_digest_[task.digest] = row;
  }

  // What measured.csv can hold of a training.
  static constexpr const char* kKept[] = {"test_accuracy", "test_loss", "time", "epoch_time"};

  SweepRows rows_;
  std::map<std::string, nlohmann::ordered_json> by_digest_;
  Journal journal_;
  std::mutex mutex_;
};

/// The median over the seeds of each quantity.
void add_rows(const Quantities& quantities, const std::vector<Task>& tasks, const Trained& trained,
              const std::string& date, std::vector<Measured>& rows) {
  for (const auto& [name, wanted] : quantities) {
    for (const std::string& quantity : wanted) {
      std::vector<double> values;
      Measured row;
      for (const Task& task : tasks) {
        if (task.name != name) continue;
        const auto& kept = trained.row_of(task);
        if (!kept.contains(quantity) || !kept[quantity].is_number()) continue;
        values.push_back(kept[quantity].get<double>());
        row.mode = kept.value("mode", "");
        row.machine = kept.value("kernel_set", "");
      }
      if (values.empty()) continue;
      const Measured measured = measured_of(name.first, name.second, quantity, std::move(values));
      rows.push_back(measured);
      rows.back().mode = row.mode;
      rows.back().machine =
          fmt::format("{} on {} cores", row.machine, std::thread::hardware_concurrency());
      rows.back().date = date;
    }
  }
}

}  // namespace

std::vector<Measured> train_published(const PublishedLibrary& library,
                                      const std::vector<Claim>& claims, const std::string& study,
                                      const PublishedTraining& training) {
  const Quantities trained = trained_quantities(library, study);
  const std::vector<Task> tasks =
      tasks_of(trained, library.folder, training.seeds,
               {"dataset.format=idx", "dataset.path=" + training.data, "numerics=on"});
  prepare_folder(training.folder);
  Trained kept(training.folder);
  kept.train(tasks, training.threads, training.simulate, training.tell);
  const Quantities executed = executed_quantities(claims, study);
  const std::vector<Task> runs = tasks_of(executed, library.folder, training.seeds, {});
  kept.train(runs, 1, training.run, training.tell);
  std::vector<Measured> rows;
  for (const Measured& row : library.measured) {
    const CaseName name{row.scenario, row.number};
    if (!study.empty() && !trained.contains(name) && !executed.contains(name)) rows.push_back(row);
  }
  add_rows(trained, tasks, kept, training.date, rows);
  add_rows(executed, runs, kept, training.date, rows);
  std::ranges::sort(rows, {}, [](const Measured& row) {
    return std::tuple(row.scenario, row.number, row.quantity);
  });
  return rows;
}

}  // namespace foretrain
