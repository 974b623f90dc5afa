// Predicted beside reported.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/published/measured.h"
#include "reports/studies/published/reported.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {

/// A reported figure with what is predicted of it.
struct Prediction {
  ReportedFigure reported;
  Role role = Role::unknown;
  std::string note;
  std::string quantity;
  std::optional<double> predicted;  ///< in the unit of the figure
  std::string from;                 ///< mode, scenario, machine, calibration

  /// predicted / reported - 1; empty where either is not known or reported is 0.
  [[nodiscard]] std::optional<double> error() const;
};

/// The files of all published studies.
struct PublishedLibrary {
  std::filesystem::path folder;
  std::vector<ReportedFigure> reported;
  std::vector<FigureReading> readings;
  std::vector<Measured> measured;
};
/// @throws InputError
PublishedLibrary read_published(const std::filesystem::path& folder);

/// Names of the studies, in the order of the file.
std::vector<std::string> studies_of(const std::vector<ReportedFigure>& figures);

/// A case of a scenario of the library: its file, its number in the sweep from 1.
using CaseName = std::pair<std::string, int>;

/// The scenarios that readings name, each read once.
class PublishedCases {
 public:
  explicit PublishedCases(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The case that a figure is of: the one with its mode, workers, batch size, as far as they are
  /// reported; of a scenario without a sweep the only one. @throws InputError where it is none, or
  /// several
  CaseName find(const ReportedFigure& figure, const std::string& scenario);
  const Case& at(const CaseName& name) { return cases_of(name.first).at(name.second - 1); }

 private:
  const std::vector<Case>& cases_of(const std::string& scenario);

  std::filesystem::path folder_;
  std::map<std::string, std::vector<Case>> cases_;
};

struct PredictOptions {
  std::string study;  ///< empty: all
  int threads = 1;
  /// Simulates a case; called from several threads at once.
  std::function<Record(const Case&)> simulate;
  /// Told after each simulation, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
};

/// Simulates every case that a figure is read from, once; figures that are trained for real come
/// from `library.measured`. In the order of the reported figures. @throws InputError,
/// NotDone where a simulation is interrupted
std::vector<Prediction> predict(const PublishedLibrary& library, const PredictOptions& options);

}  // namespace foretrain
