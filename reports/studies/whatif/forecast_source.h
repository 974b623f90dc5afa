// The interface to the simulator for callers that ask for one forecast after another.
#pragma once

#include "reports/studies/whatif/forecast.h"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace foretrain {

/// Thrown for a case on this machine if its model has not been measured here yet.
struct NotMeasured : std::runtime_error {
  NotMeasured() : std::runtime_error("this machine is not calibrated for it") {}
};

/// Callbacks of a caller that waits for a forecast.
struct ForecastWatch {
  std::function<bool()> dropped;  ///< polled now and then; true interrupts the simulation
  /// Called now and then with the finished steps of all workers, the planned ones, and the record
  /// so far, which holds evaluations only.
  std::function<void(std::int64_t done, std::int64_t all, const Record& so_far)> progress =
      [](auto, auto, auto&) {};
};

/// The functions are called from one thread. Each throws InputError if the case is wrong,
/// NotMeasured if a calibration is needed that the caller does not wait for.
struct Forecaster {
  /// Simulates a few thousand steps at most; returns the record with rows, and the bottleneck.
  std::function<Forecast(const Case&, const ForecastWatch&)> forecast;
  /// Simulates the whole training; returns the record without rows.
  std::function<Record(const Case&, const ForecastWatch&)> simulate;
  /// Changes the scenario to `strategy` with `workers` workers, adding hosts like its own if
  /// needed. Returns the reason if that is impossible, else an empty string.
  std::function<std::string(Scenario&, std::string_view strategy, int workers)> vary;
};

}  // namespace foretrain
