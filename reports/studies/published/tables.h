// The error table of the published studies: for people, for files, for programs.
#pragma once

#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain {

/// A forecast that is not farther off than this is called near.
inline constexpr double kNear = 0.15;
/// Where every prediction comes from.
inline constexpr const char* kPredictionsSource =
    "simulated by the study's machine files; accuracies trained (measured.csv)";

/// What the predictions of one study come to.
struct StudySummary {
  std::string study;
  int figures = 0;
  int fitted = 0;
  int forecasts = 0;        ///< of role forecast, with an error
  double median_error = 0;  ///< of those, without signs; 0 where there are none
  int near = 0;             ///< of those, within kNear
  int not_explained = 0;    ///< unexplained, artefact, impossible
  int without = 0;          ///< no prediction
};
std::vector<StudySummary> summarize(const std::vector<Prediction>& predictions);

/// `342 reported figures of 5 studies: 119 of 157 forecasts are within 15 %.`
std::string summary_sentence(const std::vector<StudySummary>& summaries);

/// A terminal of 80 columns: the sentence that matters, a line a study, then every figure.
std::string to_table(const std::vector<Prediction>& predictions,
                     const std::vector<ClaimAnswers>& claims);

/// errors.md: a line a study, then every figure of every study, where its prediction comes from,
/// claims last.
std::string errors_markdown(const std::vector<Prediction>& predictions,
                            const std::vector<ClaimAnswers>& claims);
/// study, figure, unit, reported, predicted, error, role, from, note.
std::string errors_csv(const std::vector<Prediction>& predictions);
nlohmann::ordered_json to_json(const std::vector<Prediction>& predictions,
                               const std::vector<ClaimAnswers>& claims);

}  // namespace foretrain
