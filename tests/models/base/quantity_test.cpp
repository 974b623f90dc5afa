// Times of transfers, to the nanosecond.
#include "models/base/quantity.h"

#include "models/base/check.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

TEST_CASE("quantity: a transfer takes its bytes by the rate, rounded up") {
  CHECK(transfer_time({125'000'000}, {125e6}).ns == 1'000'000'000);
  CHECK(transfer_time({1}, {1e9}).ns == 1);
  CHECK(transfer_time({1}, {3e9}).ns == 1);  // never zero
  CHECK(transfer_time({10}, {3e9}).ns == 4);
  CHECK(transfer_time({0}, {1e9}).ns == 0);
}

TEST_CASE("quantity: gigabytes do not overflow") {
  CHECK(transfer_time({9'000'000'000}, {1e9}).ns == 9'000'000'000);
  CHECK(transfer_time({8'589'934'593}, {1e9}).ns == 8'589'934'593);
}

TEST_CASE("quantity: a rate of nothing is an error, not an endless transfer") {
  CHECK_THROWS_AS(transfer_time({1}, {0}), InvariantViolation);
}

}  // namespace
}  // namespace foretrain
