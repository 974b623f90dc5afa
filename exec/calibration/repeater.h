// Repeats measurements until they are steady.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/core_watch.h"
#include "scenarios/spec/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// A figure that is measured repeatedly.
struct Figure {
  std::string name;         ///< in the machine file
  double* value = nullptr;  ///< each measurement writes it; finally it is their median
  double floor = 0;         ///< smaller spreads, in the figure's unit, do not count as noise
  bool compute = false;     ///< a time of one working core (gradients, messages, bytes), which is
                            ///< divided by CoreWatch::slower
};

/// Repeats measurements, looks at the cores before and after each, and records the spreads.
class Repeater {
 public:
  /// `machine` receives the spreads; `options` the messages about noise. All outlive this.
  Repeater(Machine& machine, const CalibrateOptions& options, CoreWatch& watch)
      : machine_(machine), options_(options), watch_(watch) {}

  /// Calls `once`, which measures all of `figures`, in rounds of as many times as the options say.
  /// Begins another round while the spread (half the interquartile range over the median) of a
  /// figure exceeds kNoisy and its floor, up to kRounds rounds and the options' `patience`.
  /// @throws NotDone if the calibration was stopped or a signal came
  void measure(const std::vector<Figure>& figures, const std::function<void()>& once);

  static constexpr int kRounds = 3;
  static constexpr double kNoisy = 0.1;

 private:
  /// Calls `once` between two looks at the cores. Returns CoreWatch::slower: 1.2 is 20 % slower.
  double take(const std::function<void()>& once);

  Machine& machine_;
  const CalibrateOptions& options_;
  CoreWatch& watch_;
};

}  // namespace foretrain::exec
