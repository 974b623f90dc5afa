// Results of benchmarks, as text or JSON.
#pragma once

#include "reports/record/provenance.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::bench {

enum class Better { less, more };

/// A piece of work and its measured figure.
struct Result {
  std::string name;  ///< the same in every build: `models/softmax/64`
  std::string unit;  ///< of both figures: `ms`, `messages/s`
  Better better = Better::less;
  double figure = 0;  ///< median over the rounds
  int rounds = 0;
  /// Half the interquartile range over the median of the rounds. Empty for a single round.
  std::optional<double> spread{};
  std::string peer{};                   ///< program that the figure is compared with; empty: none
  std::optional<double> peer_figure{};  ///< median over the peer's rounds
  std::string note{};                   ///< additional text in its line

  bool operator==(const Result&) const = default;
};

/// The result of these figures, one per round; at least one.
Result result_of(const std::string& name, const std::string& unit, Better better,
                 const std::vector<double>& figures);
/// Adds a peer's figures, in the same unit. Changes nothing if there are none.
void set_peer(Result& result, const std::string& peer, const std::vector<double>& figures);

/// How many times better `figure` is than `other`.
double times_better(Better better, double figure, double other);
/// The same relative to the peer; empty without one.
std::optional<double> ratio_of(const Result& result);

/// A figure with at most five digits, or more for a large whole number.
std::string figure_text(double figure);

/// All results of a call, with the program that measured them.
struct Results {
  Provenance program;
  std::string kernel_set;
  std::vector<std::string> remarks;  ///< such as a peer's BLAS
  std::vector<Result> rows;
};

/// One JSON object: build, date, host, processor, command, kernel_set, remarks, rows.
std::string to_json(const Results& results);
/// Parses to_json's text; `place` names it in errors. @throws std::runtime_error if it is invalid
Results results_of(const std::string& text, const std::string& place);
/// Reads a file. @throws std::runtime_error if it is unreadable or invalid
Results read_results(const std::string& file);

}  // namespace foretrain::bench
