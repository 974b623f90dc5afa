// Messages over loopback, measured throughout a calibration.
#pragma once

#include "exec/calibration/message_costs.h"
#include "exec/calibration/repeater.h"

#include <functional>

namespace foretrain::exec {

/// Functions that measure messages once; tests replace them.
struct MessageProbes {
  std::function<OneCore()> one_core;
  std::function<Crossing()> crossing;  ///< this and `waking` are empty if there is one core
  std::function<Waking()> waking;
};
/// Probes for nodes of `hosts` on the first two of `cores`. `hosts` outlives them.
MessageProbes message_probes(const std::vector<int>& cores, const Hosts& hosts);

/// Repeats `one_core`; the names of its figures begin with `name`.
OneCore repeat_one_core(Repeater& repeater, const std::string& name, const MessageProbes& probes);

/// Costs of messages over loopback.
class Loopback {
 public:
  /// Measures messages on one core, waking a sleeping node, and first messages between two cores.
  Loopback(Repeater& repeater, CoreWatch& watch, MessageProbes probes, int repetitions);

  /// Measures some more messages between two cores.
  void cross();
  void put_into(Machine& machine) const;

 private:
  [[nodiscard]] bool two_cores() const { return static_cast<bool>(probes_.crossing); }

  MessageProbes probes_;
  int repetitions_;
  Crossings crossings_;
  OneCore one_;
  Waking waking_;
};

}  // namespace foretrain::exec
