// Arithmetic on times: exact if representable, else the longest time.
#include "models/base/time.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

namespace foretrain {
namespace {
using namespace literals;

constexpr Duration kLongest{std::numeric_limits<std::int64_t>::max()};
constexpr Duration kLeast{std::numeric_limits<std::int64_t>::min()};

TEST_CASE("time: sums and differences are exact up to the longest time") {
  CHECK(2_s + 3_ms == Duration{2'003'000'000});
  CHECK(kLongest - 1_ns + 1_ns == kLongest);
  CHECK(kLeast + 1_ns - 1_ns == kLeast);
  CHECK(Instant{-5} - Instant{7} == Duration{-12});
  CHECK((3_us * -4) == Duration{-12'000});
}

TEST_CASE("time: what is longer than any time is the longest time") {
  CHECK(kLongest + 1_ns == kLongest);
  CHECK(kLeast + Duration{-1} == kLeast);
  CHECK(kLeast - 1_ns == kLeast);
  CHECK(kLongest - Duration{-1} == kLongest);
  CHECK(Duration{} - kLeast == kLongest);
  CHECK(kLongest * 2 == kLongest);
  CHECK(kLongest * -2 == kLeast);
  CHECK(kLeast * -1 == kLongest);
  Duration sum = kLongest;
  sum += 1_s;
  CHECK(sum == kLongest);
  sum = kLeast;
  sum -= 1_s;
  CHECK(sum == kLeast);
  CHECK(Instant{kLongest.ns} + 1_s == Instant{kLongest.ns});
  CHECK(Instant{kLeast.ns} - Instant{1} == kLeast);
  CHECK(Instant{kLongest.ns} - Instant{kLeast.ns} == kLongest);
}

TEST_CASE("time: seconds that no integer holds are the longest time") {
  CHECK(Duration::from_seconds(1e300) == kLongest);
  CHECK(Duration::from_seconds(-1e300) == kLeast);
  CHECK(Duration::from_seconds(std::numeric_limits<double>::infinity()) == kLongest);
  CHECK(Duration::from_seconds(std::numeric_limits<double>::quiet_NaN()) == Duration{});
  CHECK(Duration::from_seconds(-2.5) == Duration{-2'500'000'000});
  CHECK(Duration::from_seconds(9.2e9) == Duration{9'200'000'000'000'000'000});
}

}  // namespace
}  // namespace foretrain
