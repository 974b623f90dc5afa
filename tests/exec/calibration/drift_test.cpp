// How far a machine is from its machine file, told by a training for real.
#include "exec/calibration/drift.h"

#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {

// A gradient at the batch that checked the fit took so long.
Machine softmax_of(double gradient_s, double residual = 0) {
  Machine machine;
  ModelCost& cost = machine.models["softmax 784x10"];
  cost.gradient = {gradient_s * (1 + residual), 0};
  cost.checked_batch = 16;
  cost.residual = residual;
  return machine;
}

}  // namespace

TEST_CASE("drift: what a gradient takes now over what it took when calibrated") {
  const Prepared prepared = prepare(small_case("sync", 2, 4), Need::shape);
  exec::DriftMeter meter(program_path());
  const double first = meter.measure(prepared, softmax_of(1e-9)).value();
  CHECK(first > 10);  // no machine takes a nanosecond
  // Fresh enough to be told again, whatever the machine file says by now.
  CHECK(meter.measure(prepared, softmax_of(1)).value() == first);
  exec::DriftMeter another(program_path());
  CHECK(another.measure(prepared, softmax_of(1000)).value() < 0.1);
}

TEST_CASE("drift: the fit's own error is none of the machine's") {
  const Prepared prepared = prepare(small_case("sync", 2, 4), Need::shape);
  exec::DriftMeter meter(program_path());
  CHECK(meter.measure(prepared, softmax_of(1e-9, 1e12)).value() > 10);
}

TEST_CASE("drift: nothing is known of a model that was not calibrated") {
  const Prepared prepared = prepare(small_case("sync", 2, 4), Need::shape);
  CHECK_FALSE(exec::DriftMeter(program_path()).measure(prepared, Machine{}));
  Machine by_hand = softmax_of(1e-3);
  by_hand.models.begin()->second.checked_batch = 0;
  CHECK_FALSE(exec::DriftMeter(program_path()).measure(prepared, by_hand));
}

}  // namespace foretrain::testing
