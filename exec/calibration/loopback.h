// Messages over loopback, measured all over a calibration.
#pragma once

#include "exec/calibration/message_costs.h"
#include "exec/calibration/repeater.h"

#include <functional>

namespace foretrain::exec {

/// What measures messages once; a test has its own.
struct MessageProbes {
  std::function<OneCore()> one_core;
  std::function<Crossing()> crossing;  ///< these two are empty where there is one core
  std::function<Waking()> waking;
};
/// Those of the nodes of `hosts`, on the first two of `cores`. `hosts` outlives them.
MessageProbes message_probes(const std::vector<int>& cores, const Hosts& hosts);

/// `one_core`, repeated; its figures are called after `name`.
OneCore repeat_one_core(Repeater& repeater, const std::string& name, const MessageProbes& probes);

/// What messages over loopback cost.
class Loopback {
 public:
  /// Measures messages on one core, waking who sleeps, and the first messages between two cores.
  Loopback(Repeater& repeater, CoreWatch& watch, MessageProbes probes, int repetitions);

  /// Some more between two cores.
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
