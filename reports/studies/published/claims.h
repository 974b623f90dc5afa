// What the authors of the studies claim, held against forecasts, against runs.
#pragma once

#include "reports/studies/published/predictions.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A row of scenarios/published/claims.csv: a claim as a comparison of two figures.
struct Claim {
  std::string place;  ///< file:line, for messages
  std::string study;
  std::string text;
  std::string metric;
  std::string relation;  ///< `<`, `>`, `~`: the same to 5 %, of accuracies to half a point
  std::string first;     ///< of the reported figures: table/mode/workers/batch, `-`: not reported
  std::string second;
  // What a run on this machine can say of it: the quantity of two cases of a scenario.
  std::string scenario;  ///< file beside claims.csv; empty: none, it cannot be run here
  std::string quantity;
  int first_case = 0;
  int second_case = 0;
  std::string note;
};

/// @throws InputError
std::vector<Claim> read_claims(const std::string& path);

/// Two figures with what they say of the claim.
struct Answered {
  double first = 0;
  double second = 0;
  bool holds = false;
};

struct ClaimAnswers {
  Claim claim;
  std::optional<Answered> reported;   ///< the study's own figures
  std::optional<Answered> simulator;  ///< what is predicted of them
  std::optional<Answered> executor;   ///< what was run
};

/// Nothing is typed in: each answer is a comparison of two figures. Claims of studies that were not
/// predicted are left out. @throws InputError where a claim names no reported figure
std::vector<ClaimAnswers> answer(const std::vector<Claim>& claims,
                                 const std::vector<Prediction>& predictions,
                                 const std::vector<Measured>& measured);

/// `yes: 91.5 > 88.6`
std::string sentence(const std::optional<Answered>& answered);

}  // namespace foretrain
