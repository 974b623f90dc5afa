#include "reports/studies/published/predictions.h"

#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/studies/parallel/in_parallel.h"
#include "reports/studies/published/quantity.h"
#include "scenarios/input_error.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace foretrain {
namespace {

bool is_case_of(const ReportedFigure& figure, const Case& each) {
  const TrainingSpec& training = each.scenario.training;
  const bool alone = !protocol_called(training.strategy).several_workers;
  return training.strategy == figure.mode &&
         (alone || !figure.workers || training.workers == *figure.workers) &&
         (!figure.batch_size || training.batch_size == *figure.batch_size);
}

/// What the predictions of one study or of all need to be simulated.
std::vector<CaseName> cases_to_simulate(const std::vector<Prediction>& predictions,
                                        const std::vector<CaseName>& names) {
  std::set<CaseName> wanted;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (names[i].second > 0 && source_of(predictions[i].quantity) == Source::simulated) {
      wanted.insert(names[i]);
    }
  }
  return {wanted.begin(), wanted.end()};
}

std::map<CaseName, Record> simulate_all(const std::vector<CaseName>& names, PublishedCases& cases,
                                        const PredictOptions& options) {
  std::vector<const Case*> inputs;
  inputs.reserve(names.size());
  for (const CaseName& name : names) inputs.push_back(&cases.at(name));
  std::vector<Record> records(names.size());
  std::mutex mutex;
  std::int64_t done = 0;
  in_parallel(std::ssize(names), options.threads, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    records[at] = options.simulate(*inputs[at]);
    if (records[at].outcome == Outcome::interrupted) {
      throw NotDone(Outcome::interrupted, "interrupted; nothing was written");
    }
    const std::lock_guard lock(mutex);
    options.progress(++done, std::ssize(names));
  });
  std::map<CaseName, Record> by_name;
  for (std::size_t i = 0; i < names.size(); ++i) by_name.emplace(names[i], std::move(records[i]));
  return by_name;
}

void predict_trained(Prediction& prediction, const CaseName& name,
                     const std::vector<Measured>& measured) {
  const Measured* row = find_measured(measured, name.first, name.second, prediction.quantity);
  if (row == nullptr) {
    prediction.from = fmt::format("not trained yet: report --published --data FOLDER; {} case {}",
                                  name.first, name.second);
    return;
  }
  prediction.predicted = in_unit(row->median, prediction.reported.unit);
  prediction.from = fmt::format("trained, {} seeds, {}, {}; {} case {}", row->seeds, row->machine,
                                row->date, name.first, name.second);
}

void predict_simulated(Prediction& prediction, const CaseName& name, const Record& record) {
  if (record.outcome != Outcome::done) {
    prediction.from = fmt::format("simulate: {}", record.failure);
    return;
  }
  const auto value = quantity_of(prediction.quantity, record, prediction.reported.node);
  if (value) prediction.predicted = in_unit(*value, prediction.reported.unit);
  prediction.from =
      fmt::format("simulate; {} case {}; machine {}", name.first, name.second, record.machine);
}

}  // namespace

std::optional<double> Prediction::error() const {
  if (!predicted) return std::nullopt;
  if (reported.value == 0) return *predicted == 0 ? std::optional(0.0) : std::nullopt;
  return *predicted / reported.value - 1;
}

PublishedLibrary read_published(const std::filesystem::path& folder) {
  return {folder, read_reported((folder / "reported.csv").string()),
          read_readings((folder / "readings.csv").string()),
          read_measured((folder / "measured.csv").string())};
}

std::vector<std::string> studies_of(const std::vector<ReportedFigure>& figures) {
  std::vector<std::string> studies;
  for (const ReportedFigure& figure : figures) {
    if (std::ranges::find(studies, figure.study) == studies.end()) studies.push_back(figure.study);
  }
  return studies;
}

const std::vector<Case>& PublishedCases::cases_of(const std::string& scenario) {
  const auto found = cases_.find(scenario);
  if (found != cases_.end()) return found->second;
  return cases_.emplace(scenario, read_scenario((folder_ / scenario).string(), {})).first->second;
}

CaseName PublishedCases::find(const ReportedFigure& figure, const std::string& scenario) {
  const std::vector<Case>& cases = cases_of(scenario);
  if (cases.size() == 1) return {scenario, 1};
  int number = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!is_case_of(figure, cases[i])) continue;
    if (number > 0) {
      throw InputError(fmt::format("{}: {}: cases {} and {} of {} both fit", figure.place,
                                   figure.title(), number, i + 1, scenario));
    }
    number = static_cast<int>(i) + 1;
  }
  if (number > 0) return {scenario, number};
  throw InputError(
      fmt::format("{}: {}: no case of {} fits", figure.place, figure.title(), scenario));
}

std::vector<Prediction> predict(const PublishedLibrary& library, const PredictOptions& options) {
  const std::vector<std::string> studies = studies_of(library.reported);
  if (!options.study.empty() && std::ranges::find(studies, options.study) == studies.end()) {
    throw InputError(fmt::format("--published {}: no such study; there are {}", options.study,
                                 fmt::join(studies, ", ")));
  }
  PublishedCases cases(library.folder);
  std::vector<Prediction> predictions;
  std::vector<CaseName> names;  // of each; number 0: none
  for (const ReportedFigure& figure : library.reported) {
    if (!options.study.empty() && figure.study != options.study) continue;
    const FigureReading& reading = reading_of(figure, library.readings);
    const bool read = !reading.scenario.empty() && !reading.quantity.empty();
    names.push_back(read ? cases.find(figure, reading.scenario) : CaseName());
    predictions.push_back({figure, reading.role, reading.note, reading.quantity, {}, {}});
  }
  const auto records = simulate_all(cases_to_simulate(predictions, names), cases, options);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    Prediction& each = predictions[i];
    if (each.quantity.empty()) continue;
    const Source source = source_of(each.quantity);
    if (source == Source::formula) {
      const double value = formula_of(each.quantity, each.reported.workers.value_or(1));
      each.predicted = in_unit(value, each.reported.unit);
      each.from = "formula";
    } else if (source == Source::trained) {
      predict_trained(each, names[i], library.measured);
    } else {
      predict_simulated(each, names[i], records.at(names[i]));
    }
  }
  return predictions;
}

}  // namespace foretrain
