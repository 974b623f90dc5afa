// The runs of a validation in its folder: which are there, which are to come.
#pragma once

#include "reports/record/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// Names for the folders of `cases`: their labels, told apart by a number where two are alike.
std::vector<std::string> folder_names(const std::vector<Case>& cases);

/// What is where a run should be.
struct KeptRun {
  bool usable = false;  ///< a run that was done, of the case
  std::string trouble;  ///< not usable, though something is there: why
  Duration took;        ///< usable: start-up included, the final evaluation not
};

/// Whether `place` holds a record, but not of a run of the case.
bool holds_other(const std::filesystem::path& place, const Case& scenario_case);

/// Looks at `place`. @throws InputError where it holds a record of something else
KeptRun look_for_run(const std::filesystem::path& place, const Case& scenario_case);

/// How long so many trainings will take, from those that were timed.
class TimeLeft {
 public:
  explicit TimeLeft(std::size_t cases) : took_s_(cases, -1) {}

  /// A run of a case took so long; the last one counts.
  void took(std::size_t which, double seconds) { took_s_.at(which) = seconds; }
  /// `to_come[i]` runs of case i: as long as it took, where nobody knows as long as the others in
  /// the mean. Seconds; negative while nothing is known.
  [[nodiscard]] double seconds(const std::vector<int>& to_come) const;

 private:
  std::vector<double> took_s_;  // negative: not known
};

/// `about 12 min left`, `about 40 s left`; empty where `seconds` is negative.
std::string about_left(double seconds);

}  // namespace foretrain
