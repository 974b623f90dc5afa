// A sweep's cases side by side: settings, figures.
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
    std::vector<std::string> settings;      ///< values, in the order of SweepTable::settings
    std::map<std::string, double> figures;  ///< by keys of `simulate --json`, and those below
    std::string source;                     ///< mode and machine
    std::string error;                      ///< why it is not done; else empty
    std::string currency{};                 ///< of its cost; empty if there is none
    std::string caveats{};                  ///< caveats of its record (caveats.h)
  };
  std::vector<std::string> settings;  ///< keys whose values differ between rows, `training.workers`
  std::vector<Row> rows;
  bool has_target = false;  ///< trainings have a target, so the time until it is compared
};

// Figures by which trainings are compared, without the time of evaluations (summary.h). A table
// that lacks them gets them from the figures with evaluations.
inline constexpr const char* kBareTimeToTarget = "time_to_target_s_without_evaluation";
inline constexpr const char* kBareRate = "examples_per_s_without_evaluation";
inline constexpr const char* kCaveats = "caveats";
/// Half the width of the forecast's range as a share (forecast_range.h).
inline constexpr const char* kForecastError = "forecast_error";

// Figures that compare rows with each other (add_gains).
inline constexpr const char* kSpeedUp = "speed_up";
inline constexpr const char* kEfficiency = "efficiency";

/// Reads the table that a sweep writes: columns `case`, `name`, the settings, then `mode`,
/// `machine`, `status`, `error`, then figures. Adds gains. @throws InputError that names `source`
/// if it is not such a table
SweepTable read_sweep(std::string_view csv, const std::string& source);

/// Removes settings that are equal in all rows, then adds gains.
SweepTable compared(SweepTable sweep);

/// Adds to each completed row kSpeedUp, its examples/s over those of the row with the fewest
/// workers and otherwise equal settings, and kEfficiency, the speed-up over the ratio of the
/// workers. A row without a partner gets neither.
void add_gains(SweepTable& sweep);

/// The number that all of `text` reads as; nothing if it is not a number.
std::optional<double> number_of(std::string_view text);

/// A figure of a row; nothing if it is missing, or if the row has an error.
std::optional<double> figure_in(const SweepTable::Row& row, const std::string& name);

/// The currency of all costs; empty if there is no cost, or more than one currency.
std::string currency_of(const SweepTable& sweep);

}  // namespace foretrain
