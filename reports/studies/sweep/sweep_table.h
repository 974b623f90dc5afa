// A sweep's cases beside each other: what was set, what came out.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

struct SweepTable {
  struct Row {
    std::string name;
    std::vector<std::string> settings;      ///< by SweepTable::settings
    std::map<std::string, double> figures;  ///< by the names of `simulate --json`, and those below
    std::string source;                     ///< mode, machine
    std::string error;                      ///< empty: it was done
    std::string currency{};                 ///< of its cost; empty: it has none
    std::string caveats{};                  ///< of its record (caveats.h)
  };
  std::vector<std::string> settings;  ///< keys that differ between rows, `training.workers`
  std::vector<Row> rows;
  bool has_target = false;  ///< trainings end at a target: the time until it is what is compared
};

// Figures that trainings are compared by: what evaluations take is left out (summary.h). Of a table
// that has none such they are those with evaluations.
inline constexpr const char* kBareTimeToTarget = "time_to_target_s_without_evaluation";
inline constexpr const char* kBareRate = "examples_per_s_without_evaluation";
inline constexpr const char* kCaveats = "caveats";
/// Half the width of the forecast's range, as a share (forecast_range.h).
inline constexpr const char* kForecastError = "forecast_error";

// Figures that rows have of each other (add_gains).
inline constexpr const char* kSpeedUp = "speed_up";
inline constexpr const char* kEfficiency = "efficiency";

/// Of the table that a sweep leaves: columns `case`, `name`, the settings, then `mode`, `machine`,
/// `status`, `error`, then figures, with gains. @throws InputError naming `source` where it is no
/// such table
SweepTable read_sweep(std::string_view csv, const std::string& source);

/// Leaves out settings that are the same in all rows, then adds gains.
SweepTable compared(SweepTable sweep);

/// Gives each row that was done kSpeedUp, its examples/s over those of the row with the fewest
/// workers among those whose other settings are the same, and kEfficiency, that over how many times
/// as many workers it has. Rows without such another get neither.
void add_gains(SweepTable& sweep);

/// All of `text` as a number; nothing where it is none.
std::optional<double> number_of(std::string_view text);

/// The figure of a row that was done.
std::optional<double> figure_in(const SweepTable::Row& row, const std::string& name);

/// The one currency of all costs; empty: they have none, or not one.
std::string currency_of(const SweepTable& sweep);

}  // namespace foretrain
