// Array expressions: the bits of an element do not depend on its position.
#include "models/tensor/array.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace foretrain {
namespace {

using Expression = std::function<void(ConstArrayMap x, ConstArrayMap y, ArrayMap to)>;

const Expression kExpressions[] = {
    [](auto x, auto y, auto to) { to = 0.9F * x + 0.1F * y; },
    [](auto x, auto y, auto to) { to = x - 0.3F * y / (root(x.square()) + 1e-8F); },
    [](auto x, auto y, auto to) { to = gated(x, y); },
    [](auto x, auto y, auto to) { to = x.max(0.0F) - y.min(0.25F).abs(); },
    [](auto x, auto y, auto to) { to += x * y; },
};

std::vector<float> draw_normal(std::size_t count, Stream& stream) {
  std::vector<float> numbers(count);
  for (float& x : numbers) x = static_cast<float>(stream.normal());
  return numbers;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

TEST_CASE("array: a slice of an expression is the same bits as the whole") {
  constexpr std::size_t kCount = 150;
  Stream stream(1, "test");
  const std::vector<float> x = draw_normal(kCount, stream);
  const std::vector<float> y = draw_normal(kCount, stream);
  for (const Expression& expression : kExpressions) {
    std::vector<float> whole(kCount, 1);
    expression(array(std::span(x)), array(std::span(y)), array(std::span(whole)));
    for (std::size_t first = 0; first < 40; ++first) {
      for (std::size_t count = 1; first + count <= kCount; count += 7) {
        std::vector<float> part(count, 1);
        expression(array(std::span(x).subspan(first, count)),
                   array(std::span(y).subspan(first, count)), array(std::span(part)));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i)
          wrong += same_bits(part[i], whole[first + i]) ? 0 : 1;
        CAPTURE(first, count);
        REQUIRE(wrong == 0);
      }
    }
  }
}

TEST_CASE("array: the root of a number is rounded correctly in registers") {
  Stream stream(2, "test");
  std::vector<float> x = draw_normal(1'000, stream);
  x[0] = 0;
  x[1] = 1e-41F;  // an estimate would give zero
  x[2] = 3e38F;
  std::vector<float> roots(x.size());
  array(std::span(roots)) = root(array(std::span<const float>(x)).abs());
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(roots[i] == std::sqrt(std::abs(x[i])));
}

TEST_CASE("array: an exponential in a block does not depend on its lane") {
  Stream stream(3, "test");
  const std::vector<float> x = draw_normal(200, stream);
  for (const float number : x) {
    const Lanes all = Lanes::Constant(number).exp();
    for (int lane = 0; lane < kLanes; ++lane) REQUIRE(same_bits(all[lane], all[0]));
    REQUIRE(static_cast<double>(all[0]) ==
            Approx(std::exp(static_cast<double>(number))).epsilon(3e-7));
  }
}

TEST_CASE("array: lanes beyond the count hold what is asked, and are not stored") {
  const float x[3] = {1, 2, 3};
  const Lanes some = lanes(x, 3, -7);
  CHECK(some[2] == 3);
  CHECK((some.tail<kLanes - 3>() == -7).all());
  float to[4] = {0, 0, 0, 42};
  store(some, to, 3);
  CHECK(to[2] == 3);
  CHECK(to[3] == 42);
}

TEST_CASE("array: blocks cover everything once in order") {
  for (const Eigen::Index size : {0, 1, 63, 64, 65, 200}) {
    std::vector<float> x(static_cast<std::size_t>(size), 0);
    for_each_block(size, [&](const auto& part) { part(array(std::span(x))) += 1; });
    CHECK(std::ranges::count(x, 1.0F) == size);
  }
}

}  // namespace foretrain
