// Named random streams: their fixed bits, the distributions of their draws.
#include "models/base/random.h"

#include "models/base/check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

using namespace foretrain;

namespace {

constexpr std::uint64_t kSeed = 20'240'607;
constexpr int kDraws = 200'000;

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments moments(Draw draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

/// Five standard errors of a mean.
double tolerance(double variance) { return 5 * std::sqrt(variance / kDraws); }

double relative_error(double value, double truth) {
  return truth == 0 ? std::abs(value) : std::abs(value - truth) / std::abs(truth);
}

}  // namespace

// Computed independently, in Python, from the published definitions of FNV-1a, splitmix64 and
// xoshiro256**; that program gives the published 11520, 0, 1509978240, 1215971899390074240 for the
// state 1, 2, 3, 4.
TEST_CASE("random: the bits of a stream are pinned", "[random]") {
  struct Pinned {
    std::uint64_t seed;
    const char* name;
    std::array<std::uint64_t, 4> bits;
  };
  const Pinned pinned[] = {
      {1,
       "init",
       {0x56a643cada5c342fu, 0xed698789d42135cbu, 0x12ee1fdb7bf19cacu, 0x16ed1972a13f9034u}},
      {0, "", {0x1e28178eedbf0f30u, 0x32dadb1a9e4a4d08u, 0x4ef49088479a6d5cu, 0x03b90a6cd230303eu}},
      {0xffffffffffffffffu,
       "data.shuffle.worker1",
       {0x548028590ae44aeeu, 0x361993ccf7ca51b4u, 0x124e20f99a985cedu, 0xcca2b09464336767u}},
  };
  for (const auto& [seed, name, bits] : pinned) {
    CAPTURE(seed, name);
    Stream stream(seed, name);
    for (const auto expected : bits) CHECK(stream.bits() == expected);
  }
}

TEST_CASE("random: a uniform draw is the upper 53 bits", "[random]") {
  Stream stream(1, "init");
  CHECK(stream.uniform() == 0.33847449972596233);
  CHECK(stream.uniform() == 0.9273915015693361);
}

TEST_CASE("random: streams of other names or seeds are others", "[random]") {
  Stream a(1, "a");
  Stream b(1, "b");
  Stream c(2, "a");
  const auto first = a.bits();
  CHECK(first != b.bits());
  CHECK(first != c.bits());
}

TEST_CASE("random: uniform draws lie between 0 and 1, with mean 1/2, variance 1/12", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "uniform");
  double least = 1;
  double most = 0;
  const auto [mean, variance] = moments([&] {
    const double x = stream.uniform();
    least = std::min(least, x);
    most = std::max(most, x);
    return x;
  });
  CHECK(least >= 0);
  CHECK(most < 1);
  CHECK(std::abs(mean - 0.5) < tolerance(1.0 / 12));
  CHECK(variance == Approx(1.0 / 12).epsilon(0.02));
}

TEST_CASE("random: below deals every number about equally often", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "below");
  for (const std::uint64_t bound : {1u, 2u, 3u, 10u, 97u}) {
    std::vector<int> counts(bound);
    for (int i = 0; i < kDraws; ++i) {
      const auto draw = stream.below(bound);
      REQUIRE(draw < bound);
      ++counts[draw];
    }
    // Chi-square with bound - 1 degrees of freedom: at most its mean plus six standard deviations.
    const double expected = static_cast<double>(kDraws) / static_cast<double>(bound);
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    const double freedom = static_cast<double>(bound - 1);
    CAPTURE(bound);
    CHECK(chi_square <= freedom + 6 * std::sqrt(2 * freedom));
  }
}

// With the bound 3 * 2^62, a plain remainder of 64 bits would give the lowest third twice as often.
TEST_CASE("random: below has no bias to low numbers at large bounds", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "below.large");
  const std::uint64_t third = std::uint64_t{1} << 62;
  int low = 0;
  for (int i = 0; i < 30'000; ++i) {
    const auto draw = stream.below(3 * third);
    REQUIRE(draw < 3 * third);
    low += draw < third;
  }
  CHECK(std::abs(low - 10'000) < 5 * 82);  // standard deviation sqrt(30000 * 1/3 * 2/3) = 81.6
}

TEST_CASE("random: normal draws have mean 0, variance 1, thin tails", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "normal");
  int outside_two = 0;
  const auto [mean, variance] = moments([&] {
    const double x = stream.normal();
    outside_two += std::abs(x) > 2;
    return x;
  });
  CHECK(std::abs(mean) < tolerance(1));
  CHECK(std::abs(variance - 1) < tolerance(2));  // the variance of x^2 is 2
  // P(|x| > 2) = 0.0455003
  CHECK(std::abs(outside_two / static_cast<double>(kDraws) - 0.0455003) < tolerance(0.0434));
}

TEST_CASE("random: exponential draws have mean 1, variance 1, no memory", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "exponential");
  int above_one = 0;
  const auto [mean, variance] = moments([&] {
    const double x = stream.exponential();
    REQUIRE(x >= 0);
    above_one += x > 1;
    return x;
  });
  CHECK(std::abs(mean - 1) < tolerance(1));
  CHECK(std::abs(variance - 1) < tolerance(8));  // E (x-1)^4 - 1 = 8
  CHECK(std::abs(above_one / static_cast<double>(kDraws) - std::exp(-1)) < tolerance(0.2325));
}

TEST_CASE("random: pareto draws have mean shape / (shape - 1), a power tail", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "pareto");
  const double shape = 5;
  int above_two = 0;
  const auto [mean, variance] = moments([&] {
    const double x = stream.pareto(shape);
    REQUIRE(x >= 1);
    above_two += x > 2;
    return x;
  });
  const double true_variance = shape / ((shape - 1) * (shape - 1) * (shape - 2));
  CHECK(std::abs(mean - shape / (shape - 1)) < tolerance(true_variance));
  CHECK(variance == Approx(true_variance).epsilon(0.1));
  const double tail = std::pow(2, -shape);
  CHECK(std::abs(above_two / static_cast<double>(kDraws) - tail) < tolerance(tail));
}

TEST_CASE("random: a bound of zero, a shape of zero are bugs", "[random]") {
  Stream stream(1, "x");
  CHECK_THROWS_AS(stream.below(0), InvariantViolation);
  CHECK_THROWS_AS(stream.pareto(0), InvariantViolation);
}

TEST_CASE("random: shuffle makes permutations, each of three items as often", "[random]") {
  INFO("seed " << kSeed);
  Stream stream(kSeed, "shuffle");
  std::vector<int> items(1'000);
  std::iota(items.begin(), items.end(), 0);
  auto shuffled = items;
  stream.shuffle(std::span(shuffled));
  CHECK(shuffled != items);
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == items);

  std::vector<int> counts(27);
  for (int i = 0; i < 6'000; ++i) {
    std::vector<int> three{0, 1, 2};
    stream.shuffle(std::span(three));
    ++counts[static_cast<std::size_t>(9 * three[0] + 3 * three[1] + three[2])];
  }
  CHECK(std::count(counts.begin(), counts.end(), 0) == 21);
  // Expected are 1,000 of each with a standard deviation of 29; the bound is five of them.
  for (const int count : counts) CHECK((count == 0 || std::abs(count - 1'000) < 145));
}

TEST_CASE("random: shuffle of none or one is no draw", "[random]") {
  Stream stream(1, "x");
  Stream twin(1, "x");
  std::vector<int> none;
  std::vector<int> one{5};
  stream.shuffle(std::span(none));
  stream.shuffle(std::span(one));
  CHECK(one == std::vector<int>{5});
  CHECK(stream.bits() == twin.bits());
}

TEST_CASE("random: portable_log is the logarithm to 1e-15", "[random]") {
  CHECK(portable_log(1) == 0);
  double worst = 0;
  double at = 0;
  const auto check = [&](double x) {
    const double error = relative_error(portable_log(x), std::log(x));
    if (error > worst) {
      worst = error;
      at = x;
    }
  };
  INFO("seed " << kSeed);
  Stream stream(kSeed, "log");
  for (int i = 0; i < kDraws; ++i) {
    check(1 - stream.uniform());
    check(0.9 + 0.2 * stream.uniform());  // where the logarithm is small
    check(std::ldexp(0.5 + stream.uniform(), static_cast<int>(stream.below(2'000)) - 1'000));
  }
  for (const double x : {std::numeric_limits<double>::min(), std::numeric_limits<double>::max(),
                         std::numeric_limits<double>::denorm_min(), 0x1p-53, 1 - 0x1p-53,
                         1 + 0x1p-52, 0.70710678118654752}) {
    check(x);
  }
  CAPTURE(at);
  CHECK(worst < 1e-15);
}

TEST_CASE("random: portable_exp is the exponential function to 1e-15", "[random]") {
  CHECK(portable_exp(0) == 1);
  double worst = 0;
  double at = 0;
  const auto check = [&](double x) {
    const double error = relative_error(portable_exp(x), std::exp(x));
    if (error > worst) {
      worst = error;
      at = x;
    }
  };
  INFO("seed " << kSeed);
  Stream stream(kSeed, "exp");
  for (int i = 0; i < kDraws; ++i) {
    check(4 * stream.uniform() - 2);
    check(1'399 * stream.uniform() - 699.5);
  }
  for (const double x : {1.0, -1.0, 0.34657359, -0.34657359, 1e-300, 699.9, -699.9}) check(x);
  CAPTURE(at);
  CHECK(worst < 1e-15);
}

TEST_CASE("random: streams of a name by number are apart, each the same again", "[random]") {
  std::set<std::uint64_t> firsts{Stream(1, "dropout").bits()};
  for (std::int64_t number = 0; number < 1'000; ++number) {
    const std::uint64_t first = Stream(1, "dropout", number).bits();
    CHECK(first == Stream(1, "dropout", number).bits());
    CHECK(firsts.insert(first).second);
    CHECK(firsts.insert(Stream(2, "dropout", number).bits()).second);
  }
}

TEST_CASE("random: logarithms of nothing, exponentials out of range are bugs", "[random]") {
  CHECK_THROWS_AS(portable_log(0), InvariantViolation);
  CHECK_THROWS_AS(portable_log(-1), InvariantViolation);
  CHECK_THROWS_AS(portable_exp(700), InvariantViolation);
}
