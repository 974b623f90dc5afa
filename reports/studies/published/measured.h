// What trainings for real came to: kept, since they take minutes.
#pragma once

#include "reports/record/record.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A row of measured.csv: a quantity of a case, over several trainings.
struct Measured {
  std::string scenario;  ///< file in the folder of the published studies
  int number = 0;        ///< of the case in its sweep, from 1
  std::string quantity;  ///< one of quantity.h
  double median = 0;     ///< in base units
  double low = 0;        ///< the least of the trainings
  double high = 0;
  int seeds = 0;        ///< trainings: one a seed, or one a repetition
  std::string mode;     ///< run, simulate (with numerics, whose weights are a run's)
  std::string machine;  ///< kernel set and cores that it was measured with
  std::string date;     ///< 2026-11-22
};

/// @throws InputError; a file that is not there has no rows
std::vector<Measured> read_measured(const std::string& path);

/// The row of a case, or null.
const Measured* find_measured(const std::vector<Measured>& rows, std::string_view scenario,
                              int number, std::string_view quantity);

}  // namespace foretrain
