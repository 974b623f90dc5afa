// How forecasts are made for whoever asks one after another; the simulator fills it.
#pragma once

#include "reports/studies/whatif/forecast.h"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace foretrain {

/// A case stands on this machine, which has not been measured for its model yet.
struct NotMeasured : std::runtime_error {
  NotMeasured() : std::runtime_error("this machine is not calibrated for it") {}
};

/// Of who waits for a forecast.
struct ForecastWatch {
  std::function<bool()> dropped;  ///< asked now and then; true ends it, interrupted
  /// Called now and then with the steps of all workers done, those to do, and the record so far,
  /// which has its evaluations alone.
  std::function<void(std::int64_t done, std::int64_t all, const Record& so_far)> progress =
      [](auto, auto, auto&) {};
};

/// From one thread. Each throws InputError where the case is wrong, NotMeasured where nobody is to
/// wait for a calibration.
struct Forecaster {
  /// The record of a few thousand steps at most, rows included, with what limits it.
  std::function<Forecast(const Case&, const ForecastWatch&)> forecast;
  /// The record of a whole training, without rows.
  std::function<Record(const Case&, const ForecastWatch&)> simulate;
  /// Makes it a training by `strategy`, with so many workers, on more hosts like its own where it
  /// needs them. Returns why that cannot be; empty: it is done.
  std::function<std::string(Scenario&, std::string_view strategy, int workers)> vary;
};

}  // namespace foretrain
