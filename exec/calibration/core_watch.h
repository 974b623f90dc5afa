// The cores over a calibration: looked at before each measurement, then after it.
#pragma once

#include "scenarios/spec/cores_seen.h"

#include <functional>
#include <vector>

namespace foretrain::exec {

/// One look at the cores.
struct CoreLook {
  double alone_s = 0;     ///< the reference kernel on the first core
  double together_s = 0;  ///< its mean on all cores at once; 0: one core
};

/// Looks with the reference kernel, some 15 ms.
CoreLook look_at(const std::vector<int>& cores);

/// Keeps what every look has seen. How fast the machine is at a moment is told by the reference
/// kernel on one core, since that is what calibration measures compute by: one worker alone.
class CoreWatch {
 public:
  using Look = std::function<CoreLook()>;

  /// `look`: look_at, unless a test says otherwise. `known`: what an earlier calibration of
  /// this machine has seen, whose speed its figures are of; unknown: that of some looks now.
  explicit CoreWatch(Look look, const CoresSeen& known = {});

  /// Looks.
  CoreLook look();

  /// How much longer compute took around a measurement than in the first looks: 1.2, 20 %.
  [[nodiscard]] double slower(const CoreLook& before, const CoreLook& after) const;

  /// The kernel's time in the median of all looks over that in the first: times that were divided
  /// by slower() are multiplied by it in the end, since a machine may be fast or slow as a
  /// calibration begins. 1 where an earlier one is known: its figures stand.
  [[nodiscard]] double settled() const;

  /// Digest of all looks, beside what was known.
  [[nodiscard]] CoresSeen seen() const;

 private:
  Look look_;
  CoresSeen known_;
  std::vector<CoreLook> looks_;
  double first_s_ = 0;  // of the kernel on one core, in the first looks or as known
};

}  // namespace foretrain::exec
