// The end of a calibration: all figures are scaled to one speed of the machine.
#include "exec/calibration/calibrate.h"

namespace foretrain::exec {

void settle(Machine& machine, double factor) {
  const auto scale = [factor](AffineCost& cost) {
    cost.overhead_s *= factor;
    cost.per_item_s *= factor;
  };
  machine.context_switch = Duration::from_seconds(machine.context_switch.seconds() * factor);
  machine.thread_handoff = Duration::from_seconds(machine.thread_handoff.seconds() * factor);
  machine.warm_up = Duration::from_seconds(machine.warm_up.seconds() * factor);
  scale(machine.loopback.send);
  scale(machine.loopback.receive);
  machine.loopback.one_core_byte_s *= factor;
  scale(machine.emulated.send);
  scale(machine.emulated.receive);
  machine.memory.shared_byte_s *= factor;
  machine.memory.memory_byte_s *= factor;
  machine.memory.copied_byte_s *= factor;
  machine.memory.fresh_byte_s *= factor;
  scale(machine.apply);
  for (auto& [key, model] : machine.models) {
    scale(model.gradient);
    scale(model.evaluate);
    scale(model.apply);
    scale(model.sparse_apply);
    scale(model.coding);
  }
}

}  // namespace foretrain::exec
