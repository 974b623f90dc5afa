// 16-bit floats, compared with the definition of binary16.
#include "models/tensor/half.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace foretrain {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of a finite number: a sign, 5 bits of exponent, 10 of mantissa.
double meaning(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

// Searches all numbers of one sign.
std::uint16_t nearest_by_search(float number) {
  static const std::vector<double> sizes = [] {
    std::vector<double> all;
    for (std::uint16_t half = 0; half < 0x7C00; ++half) all.push_back(meaning(half));
    return all;
  }();
  const double size = std::abs(static_cast<double>(number));
  const auto above = std::ranges::lower_bound(sizes, size);
  auto nearest = static_cast<std::uint16_t>(above - sizes.begin());
  if (above == sizes.end()) --nearest;
  if (above != sizes.end() && above != sizes.begin()) {
    const double up = *above - size;
    const double down = size - *(above - 1);
    if (down < up || (down == up && nearest % 2 == 1)) --nearest;
  }
  return static_cast<std::uint16_t>(nearest | (std::signbit(number) ? 0x8000 : 0));
}

TEST_CASE("half: each of the 65,536 is the number that it says, and comes back") {
  for (std::uint32_t i = 0; i < 0x1'0000; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const float number = from_half(half);
    if ((half & 0x7C00) != 0x7C00) {
      REQUIRE(static_cast<double>(number) == meaning(half));
      REQUIRE(to_half(number) == half);
    } else if ((half & 0x3FF) == 0) {
      REQUIRE(number == ((half & 0x8000) != 0 ? -kInfinity : kInfinity));
      REQUIRE(to_half(number) == half);
    } else {
      REQUIRE(std::isnan(number));
      REQUIRE(std::isnan(from_half(to_half(number))));
    }
  }
}

TEST_CASE("half: a number becomes the nearest one, as a search among all finds it") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  Stream stream(seed, "test.half");
  for (int i = 0; i < 200'000; ++i) {
    // Exponents inside and outside the range of 16-bit floats.
    const int exponent = static_cast<int>(stream.below(48)) - 30;
    auto number = static_cast<float>(std::ldexp(1 + stream.uniform(), exponent));
    if (stream.below(2) == 1) number = -number;
    if (stream.below(4) == 0)
      number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) &
                                    0xFFFF'F000U);  // often halfway between two
    if (to_half(number) == nearest_by_search(number)) continue;
    CAPTURE(i, number);
    REQUIRE(to_half(number) == nearest_by_search(number));
  }
}

TEST_CASE("half: what is finite stays finite, ties go to the even one") {
  CHECK(from_half(to_half(65504)) == 65504);
  CHECK(from_half(to_half(65520)) == kMostHalf);
  CHECK(from_half(to_half(-1e30F)) == -kMostHalf);
  CHECK(from_half(to_half(kInfinity)) == kInfinity);
  CHECK(std::isnan(from_half(to_half(std::nanf("")))));
  CHECK(to_half(-0.0F) == 0x8000);
  CHECK(to_half(0x1p-25F) == 0);
  CHECK(to_half(std::nextafter(0x1p-25F, 1.0F)) == 1);
  CHECK(to_half(3 * 0x1p-25F) == 2);
  CHECK(from_half(to_half(2049)) == 2048);
  CHECK(from_half(to_half(2051)) == 2052);
}

}  // namespace
}  // namespace foretrain
