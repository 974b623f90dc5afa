// Figures of a calibration that began fast or slow.
#include "exec/calibration/calibrate.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {

TEST_CASE("settle: what a core takes is longer, what others decide stays") {
  Machine machine;
  machine.loopback.send = {4e-6, 1e-10};
  machine.loopback.wake = Duration{60'000};
  machine.loopback.one_core_byte_s = 1e-10;
  machine.emulated.receive = {8e-6, 3e-10};
  machine.memory.memory_byte_s = 4e-11;
  machine.memory.bandwidth = {2e10};
  machine.apply = {1e-7, 1e-11};
  machine.slice = Duration{4'000'000};
  machine.warm_up = Duration{4'000};
  machine.context_switch = Duration{1'000};
  machine.thread_handoff = Duration{6'000};
  machine.disk = {{1e8}, Duration{3'000'000}};
  ModelCost& model = machine.models["softmax 784x10"];
  model.gradient = {1e-5, 6e-7};
  model.evaluate = {1e-5, 2e-7};
  model.residual = 0.02;
  exec::settle(machine, 1.5);
  CHECK(machine.loopback.send.overhead_s == Approx(6e-6));
  CHECK(machine.loopback.send.per_item_s == Approx(1.5e-10));
  CHECK(machine.loopback.wake == Duration{60'000});
  CHECK(machine.loopback.one_core_byte_s == Approx(1.5e-10));
  CHECK(machine.emulated.receive.overhead_s == Approx(12e-6));
  CHECK(machine.memory.memory_byte_s == Approx(6e-11));
  CHECK(machine.memory.bandwidth.value == 2e10);
  CHECK(machine.apply.per_item_s == Approx(1.5e-11));
  CHECK(machine.slice == Duration{4'000'000});
  CHECK(machine.warm_up == Duration{6'000});
  CHECK(machine.context_switch == Duration{1'500});
  CHECK(machine.thread_handoff == Duration{9'000});
  CHECK(machine.disk == DiskCost{{1e8}, Duration{3'000'000}});
  CHECK(model.gradient.per_item_s == Approx(9e-7));
  CHECK(model.evaluate.overhead_s == Approx(1.5e-5));
  CHECK(model.residual == 0.02);
}

}  // namespace foretrain::testing
