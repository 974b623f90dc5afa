// What a benchmark found, for people as for programs.
#pragma once

#include "reports/record/provenance.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::bench {

enum class Better { less, more };

/// A piece of work, with the figure that it came to.
struct Result {
  std::string name;  ///< the same in every build: `models/softmax/64`
  std::string unit;  ///< of both figures: `ms`, `messages/s`
  Better better = Better::less;
  double figure = 0;  ///< median over the rounds
  int rounds = 0;
  /// Over the rounds: half the interquartile range, over the median. Empty for a single one.
  std::optional<double> spread{};
  std::string peer{};                   ///< whose figure stands beside it; empty: nobody's
  std::optional<double> peer_figure{};  ///< median over the peer's rounds
  std::string note{};                   ///< what else its line says

  bool operator==(const Result&) const = default;
};

/// Of what each round came to: one figure at least.
Result result_of(const std::string& name, const std::string& unit, Better better,
                 const std::vector<double>& figures);
/// The same beside a peer's figures, in the same unit. None: as without a peer.
void set_peer(Result& result, const std::string& peer, const std::vector<double>& figures);

/// How many times better `figure` is than `other`.
double times_better(Better better, double figure, double other);
/// The same over the peer; empty without one.
std::optional<double> ratio_of(const Result& result);

/// A figure in at most five digits, more where it is a large whole number.
std::string figure_text(double figure);

/// All that a call found, with the program that did.
struct Results {
  Provenance program;
  std::string kernel_set;
  std::vector<std::string> remarks;  ///< which BLAS a peer had, ...
  std::vector<Result> rows;
};

/// One JSON object: build, date, host, processor, command, kernel_set, remarks, rows.
std::string to_json(const Results& results);
/// Reads it again; `place` names it in errors. @throws std::runtime_error where it is no such text
Results results_of(const std::string& text, const std::string& place);
/// That of a file. @throws std::runtime_error also where it cannot be read
Results read_results(const std::string& file);

}  // namespace foretrain::bench
