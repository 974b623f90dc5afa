#include "exec/calibration/loopback.h"

#include <algorithm>
#include <utility>

namespace foretrain::exec {
namespace {

// Except for the copy per byte, figures are microseconds; noise of one microsecond is irrelevant.
constexpr double kMessageFloor_s = 2e-6;
constexpr double kWakeFloor_s = 10e-6;
constexpr double kMessageByteFloor_s = 30e-12;

Waking repeat_waking(Repeater& repeater, const MessageProbes& probes) {
  constexpr double kSliceFloor_s = 5e-3;  // occasionally the kernel delays a sleeper
  Waking waking;
  repeater.measure({{"loopback, wake", &waking.idle_s, kWakeFloor_s},
                    {"loopback, preempt", &waking.busy_s, kSliceFloor_s}},
                   [&] { waking = probes.waking(); });
  return waking;
}

}  // namespace

MessageProbes message_probes(const std::vector<int>& cores, const Hosts& hosts) {
  MessageProbes probes;
  probes.one_core = [core = cores[0], &hosts] { return measure_one_core(core, hosts); };
  if (cores.size() < 2) return probes;
  const int a = cores[0];
  const int b = cores[1];
  probes.crossing = [a, b, &hosts] { return measure_crossing(a, b, hosts); };
  probes.waking = [a, b, &hosts] { return measure_waking(a, b, hosts); };
  return probes;
}

OneCore repeat_one_core(Repeater& repeater, const std::string& name, const MessageProbes& probes) {
  OneCore one;
  repeater.measure({{name + ", one core, message", &one.message_s, kMessageFloor_s, true},
                    {name + ", one core, byte", &one.byte_s, kMessageByteFloor_s, true},
                    {name + ", one core, first bytes", &one.short_message_factor, 0.1}},
                   [&] { one = probes.one_core(); });
  return one;
}

Loopback::Loopback(Repeater& repeater, CoreWatch& watch, MessageProbes probes, int repetitions)
    : probes_(std::move(probes)),
      repetitions_(repetitions),
      crossings_(probes_.crossing, watch),
      one_(repeat_one_core(repeater, "loopback", probes_)) {
  if (!two_cores()) return;
  waking_ = repeat_waking(repeater, probes_);
  crossings_.take(repetitions_);
}

void Loopback::cross() {
  constexpr int kMore = 3;
  if (two_cores()) crossings_.take(std::min(repetitions_, kMore));
}

void Loopback::put_into(Machine& machine) const {
  if (!two_cores()) {
    machine.loopback = transport_cost(one_, nullptr, nullptr);
    return;
  }
  const Crossing crossing = crossings_.median_of_all();
  machine.loopback = transport_cost(one_, &crossing, &waking_);
  crossings_.note(machine.measurements);
}

}  // namespace foretrain::exec
