// Tests of the sizes of a full frame.
#include "models/base/ethernet.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

TEST_CASE("ethernet: a full frame carries 1448 bytes, is counted as 1514, takes those of 1538") {
  CHECK(ethernet::kSegment == 1448);
  CHECK(ethernet::kHeaders == 66);
  CHECK(ethernet::kCounted == 1514);
  CHECK(ethernet::kOnWire == 1538);
}

}  // namespace
}  // namespace foretrain
