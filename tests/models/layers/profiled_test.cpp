// A layer with measured times in place of a computation.
#include "models/layers/profiled.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {
using namespace literals;

TEST_CASE("profiled: a pass takes what was measured and grows with the batch") {
  const ProfiledLayer layer({"conv1", 400, 2e-3, 5e-3}, 32);
  CHECK(layer.name() == "conv1");
  CHECK(layer.parameters() == 400);
  CHECK(layer.forward_cost(32).measured == 2_ms);
  CHECK(layer.forward_cost(16).measured == 1_ms);
  CHECK(layer.backward_cost(64, true).measured == 10_ms);
  CHECK(layer.backward_cost(64, false).measured == 10_ms);
  CHECK(layer.forward_cost(32).flops.value == 0);
  CHECK(layer.forward_cost(32).bytes().value == 0);
}

}  // namespace
}  // namespace foretrain
