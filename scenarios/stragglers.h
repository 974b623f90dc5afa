// What slows a worker down, what stops it for a while: the same draws in both modes.
#pragma once

#include "models/base/random.h"
#include "scenarios/scenario.h"

#include <optional>
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

/// A time in which a worker stands still.
struct Pause {
  Instant begin;
  Duration length;

  [[nodiscard]] Instant end() const { return begin + length; }
};

/// The pauses of one worker. Each straggler with a `pause:` that concerns it draws on its own, the
/// n-th of them from the stream `pause.worker<w>.<n>`: from time zero, or the end of its last
/// pause, to its next one it is an exponential time of mean `every`.
class PauseDraws {
 public:
  PauseDraws(const Scenario& scenario, int worker);

  /// The next pause by its begin, which may lie within one before it where several stragglers make
  /// them; nothing where none does.
  std::optional<Pause> next();

 private:
  struct Source {
    Duration pause;
    Duration every;
    Stream stream;
    Instant begin;  // of its next
  };

  std::vector<Source> sources_;
};

/// The longest pause that a straggler makes; 0 where none does.
Duration longest_pause(const Scenario& scenario);

}  // namespace foretrain
