// The measured runs in the folder of a validation: those present, those still to do.
#pragma once

#include "reports/record/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// Folder names for `cases`: their labels, with a number appended to a label that occurs twice.
std::vector<std::string> folder_names(const std::vector<Case>& cases);

/// Result of looking for a run in its folder.
struct KeptRun {
  bool usable = false;  ///< a complete run of this case
  std::string trouble;  ///< why an existing record is not usable; else empty
  Duration took;        ///< duration of a usable run, start-up included, final evaluation not
};

/// Whether `place` holds a readable record that is not a run of this case.
bool holds_other(const std::filesystem::path& place, const Case& scenario_case);

/// Looks for a run in `place`. @throws InputError if there is a record of something else
KeptRun look_for_run(const std::filesystem::path& place, const Case& scenario_case);

/// Estimates the remaining time of a validation from the runs that were timed.
class TimeLeft {
 public:
  explicit TimeLeft(std::size_t cases) : took_s_(cases, -1) {}

  /// Records the duration of a run of case `which`; a later call replaces an earlier one.
  void took(std::size_t which, double seconds) { took_s_.at(which) = seconds; }
  /// Time of `to_come[i]` runs of each case i, in seconds. A case without a known duration counts
  /// with the mean of the others; negative if no duration is known.
  [[nodiscard]] double seconds(const std::vector<int>& to_come) const;

 private:
  std::vector<double> took_s_;  // negative: not known
};

/// `about 12 min left`, `about 40 s left`; empty if `seconds` is negative.
std::string about_left(double seconds);

}  // namespace foretrain
