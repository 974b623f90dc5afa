// The cores over a calibration: looked at before each measurement, then after it.
#pragma once

#include "scenarios/core_probe.h"

#include <functional>
#include <vector>

namespace foretrain::exec {

/// Keeps what every look has seen. How fast the machine is at a moment is told by the reference
/// kernel on one core, since that is what calibration measures compute by: one worker alone.
class CoreWatch {
 public:
  using Look = std::function<CoreProbe()>;

  /// `look`: probe_cores, unless a test says otherwise. `known`: what an earlier calibration of
  /// this machine has seen, whose speed its figures are of; unknown: that of some looks now.
  explicit CoreWatch(Look look, const CoresSeen& known = {});

  /// Looks.
  CoreProbe look();

  /// How much longer compute took around a measurement than in the first looks: 1.2, 20 %.
  [[nodiscard]] double slower(const CoreProbe& before, const CoreProbe& after) const;

  /// The kernel's time in the median of all looks over that in the first: times that were divided
  /// by slower() are multiplied by it in the end, since a machine may be fast or slow as a
  /// calibration begins. 1 where an earlier one is known: its figures stand.
  [[nodiscard]] double settled() const;

  /// Looks said near and far, but not twice as far: one by itself was wrong, and all are near.
  [[nodiscard]] bool all_near() const;

  /// Digest of all looks, beside what was known.
  [[nodiscard]] CoresSeen seen() const;

 private:
  Look look_;
  CoresSeen known_;
  std::vector<CoreProbe> probes_;
  double first_s_ = 0;  // of the kernel on one core, in the first looks or as known
};

}  // namespace foretrain::exec
