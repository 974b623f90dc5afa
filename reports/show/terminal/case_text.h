// What a case is, how cases compare, in words for a terminal.
#pragma once

#include "models/protocol/target.h"
#include "reports/record/record.h"
#include "reports/record/summary.h"
#include "scenarios/machine.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What a case trains: `quickstart, strategy=sync: softmax on digits, 2 workers, 1 server, ...`.
std::string case_sentence(const Case& scenario_case);

/// `sentence` in lines of the terminal's width, each behind `mark`.
std::string as_comment(std::string_view sentence, std::string_view mark);

/// Trainings side by side, of which only the figures are kept.
class CaseTable {
 public:
  void add(const Record& record);
  /// Which is fastest, which learnt most; where all have a target, which reaches it first: of the
  /// runs, where there are several, else of all. Figures that are told alike are a tie. Evaluation
  /// is left out. Then what is to be known before they are compared.
  [[nodiscard]] std::string sentence() const;
  /// The sentence; then a line each; as wide as the terminal at most.
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::string title;
    Summary summary;
    Mode mode;
    Target target;
    std::vector<std::string> caveats;
  };
  /// Caveats of a comparison of the cases.
  [[nodiscard]] std::string notes() const;

  std::vector<Row> rows_;
};

/// What was measured of a machine: its models, its messages, the figure that is least sure.
std::string machine_sentence(const Machine& machine);

}  // namespace foretrain
