// How much longer than usual a worker's next gradient takes: the same draws in both modes.
#pragma once

#include "models/base/random.h"
#include "scenarios/scenario.h"

#include <cstdint>
#include <vector>

namespace foretrain {

/// The factors of one worker's gradients, from the stream `straggler.worker<w>`. Every straggler
/// that concerns the worker multiplies in, in the order of the scenario; distributions have
/// mean 1, so a factor's mean is the product of the slowdowns.
class StragglerDraws {
 public:
  StragglerDraws(const Scenario& scenario, int worker);

  /// The factor of the next gradient, above 0.
  double next();

 private:
  std::vector<StragglerSpec> specs_;
  Stream stream_;
};

}  // namespace foretrain
