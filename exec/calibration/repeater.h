// Measures figures until they are steady, or says that they are not.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/core_watch.h"
#include "scenarios/spec/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// What a measurement is called in the machine file.
struct Figure {
  std::string name;
  double floor = 0;  ///< a spread of less than this, in the figure's unit, is noted, but no noise
  double quantile = 0.5;  ///< of its values: less for what others can only make larger
  bool compute = false;   ///< a time of one core that works (gradients, messages, bytes): the
                          ///< machine's speed of the moment is divided out of it
};

/// Repeats measurements, looks at the cores before and after each, notes how sure they are.
class Repeater {
 public:
  /// `machine` gets the notes; `options` are told of what is noisy. All outlive this.
  Repeater(Machine& machine, const CalibrateOptions& options, CoreWatch& watch)
      : machine_(machine), options_(options), watch_(watch) {}

  /// The quantile of what `once` returns, a value for each of `figures`. It is called as often as
  /// the options say; as often again, kRounds times at most, while the spread (half the
  /// interquartile range over the median) of a figure is above kNoisy. @throws NotDone where a
  /// signal has come
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
