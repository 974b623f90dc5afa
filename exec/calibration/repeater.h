// Repeats measurements until they are steady.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/core_watch.h"
#include "scenarios/spec/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// A measured figure, with its name in the machine file.
struct Figure {
  std::string name;
  double floor = 0;       ///< smaller spreads, in the figure's unit, do not count as noise
  double quantile = 0.5;  ///< quantile of its values: low if others can only increase it
  bool compute = false;   ///< a time of one working core (gradients, messages, bytes): divided by
                          ///< the machine's momentary slowness
};

/// Repeats measurements, looks at the cores before and after each, and records the spreads.
class Repeater {
 public:
  /// `machine` receives the spreads; `options` the messages about noise. All outlive this.
  Repeater(Machine& machine, const CalibrateOptions& options, CoreWatch& watch)
      : machine_(machine), options_(options), watch_(watch) {}

  /// Calls `once`, which returns a value for each of `figures`, and returns the quantiles. It is
  /// called as often as the options say, and as often again, up to kRounds times, while the spread
  /// (half the interquartile range over the median) of a figure exceeds kNoisy.
  /// @throws NotDone if a signal came
  std::vector<double> measure(const std::vector<Figure>& figures,
                              const std::function<std::vector<double>()>& once);

  static constexpr int kRounds = 3;
  static constexpr double kNoisy = 0.1;

 private:
  std::vector<double> take(const std::vector<Figure>& figures,
                           const std::function<std::vector<double>()>& once);

  Machine& machine_;
  const CalibrateOptions& options_;
  CoreWatch& watch_;
};

}  // namespace foretrain::exec
