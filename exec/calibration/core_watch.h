// Observes the speed of the cores around each measurement of a calibration.
#pragma once

#include "scenarios/spec/machine.h"

#include <functional>
#include <vector>

namespace foretrain::exec {

/// One look at the cores.
struct CoreLook {
  double alone_s = 0;     ///< time of the reference kernel on the first core
  double together_s = 0;  ///< its mean time on all cores at once; 0 if there is one core
};

/// Looks with the reference kernel; takes about 15 ms.
CoreLook look_at(const std::vector<int>& cores);

/// Stores all looks. The machine's speed at a moment is the reference kernel's time on one core,
/// because calibration measures compute in the same way: with one worker alone.
class CoreWatch {
 public:
  using Look = std::function<CoreLook()>;

  /// `look`: look_at, except in tests. `known`: looks of an earlier calibration of this machine, to
  /// whose speed its figures refer; if unknown, some looks now set the reference.
  explicit CoreWatch(Look look, const CoresSeen& known = {});

  /// Takes a look.
  CoreLook look();

  /// Ratio of compute times around a measurement to those of the first looks: 1.2 is 20 % slower.
  [[nodiscard]] double slower(const CoreLook& before, const CoreLook& after) const;

  /// Ratio of the kernel's median time over all looks to that of the first looks. Times that were
  /// divided by slower() are finally multiplied by it, since the machine may have been fast or slow
  /// when the calibration began. 1 if an earlier calibration is known: its figures stay valid.
  [[nodiscard]] double settled() const;

  /// Summary of all looks together with the known ones.
  [[nodiscard]] CoresSeen seen() const;

 private:
  Look look_;
  CoresSeen known_;
  std::vector<CoreLook> looks_;
  double first_s_ = 0;  // kernel time on one core, in the first looks or known
};

}  // namespace foretrain::exec
