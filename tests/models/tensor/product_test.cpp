// Matrix products, compared with plain loops in double precision.
#include "models/tensor/product.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace foretrain {
namespace {

std::vector<float> draw(int count, Stream& stream) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& x : numbers) x = static_cast<float>(stream.normal());
  return numbers;
}

struct Sizes {
  int rows, depth, lanes;
};

// Larger than a block in each direction, and smaller than a vector.
const Sizes kSizes[] = {{1, 1, 1},     {3, 5, 7},       {7, 300, 20},   {2, 40, 1'100},
                        {5, 257, 530}, {13, 600, 33},   {64, 30, 10},   {1, 700, 16},
                        {6, 129, 513}, {4, 1'000, 100}, {9, 17, 1'029}, {70, 300, 10},
                        {33, 129, 3},  {48, 40, 17},    {40, 32, 1}};

std::size_t differing(const std::vector<float>& numbers, const std::vector<double>& exact,
                      int depth) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!(std::abs(numbers[i] - exact[i]) <= 1e-6 * (10 + depth))) ++wrong;
  }
  return wrong;
}

void check_product(const Sizes& size, bool transposed, bool relu, Stream& stream) {
  const auto [rows, depth, lanes] = size;
  CAPTURE(rows, depth, lanes, transposed, relu);
  const auto a = draw(rows * depth, stream);
  const auto b = draw(depth * lanes, stream);
  const auto bias = draw(lanes, stream);
  std::vector<float> c(static_cast<std::size_t>(rows * lanes), std::nanf(""));
  Product p;
  p.rows = rows;
  p.depth = depth;
  p.lanes = lanes;
  p.a = a.data();
  p.a_step = depth;
  p.b = b.data();
  p.b_step = transposed ? depth : lanes;
  p.b_transposed = transposed;
  p.c = c.data();
  p.c_step = lanes;
  p.bias = relu ? bias.data() : nullptr;
  p.relu = relu;
  std::vector<float> scratch(multiply_scratch(p), std::nanf(""));
  Serial serial;
  multiply(p, serial, scratch.data());
  std::vector<double> exact(c.size());
  for (int r = 0; r < rows; ++r) {
    for (int l = 0; l < lanes; ++l) {
      double sum = relu ? bias[static_cast<std::size_t>(l)] : 0;
      for (int d = 0; d < depth; ++d) {
        sum += static_cast<double>(a[static_cast<std::size_t>(r * depth + d)]) *
               b[static_cast<std::size_t>(transposed ? l * depth + d : d * lanes + l)];
      }
      exact[static_cast<std::size_t>(r * lanes + l)] = relu ? std::max(0.0, sum) : sum;
    }
  }
  CHECK(differing(c, exact, depth) == 0);
}

// A whole batch uses its rows as lanes; a few rows at a time do not.
TEST_CASE("product: few lanes have the same bits in a batch of any size") {
  Stream stream(2, "test");
  const int depth = GENERATE(40, 300);
  const int lanes = GENERATE(1, 5, 10);
  const int rows = GENERATE(16, 50, 96);
  CAPTURE(depth, lanes, rows);
  const auto a = draw(rows * depth, stream);
  const auto b = draw(depth * lanes, stream);
  const auto bias = draw(lanes, stream);
  Product p;
  p.depth = depth;
  p.lanes = lanes;
  p.a_step = depth;
  p.b = b.data();
  p.b_step = lanes;
  p.c_step = lanes;
  p.bias = bias.data();
  p.relu = lanes == 5;
  Serial serial;
  const auto multiplied = [&](int at_once) {
    std::vector<float> c(static_cast<std::size_t>(rows * lanes), std::nanf(""));
    for (int row = 0; row < rows; row += at_once) {
      p.rows = std::min(at_once, rows - row);
      p.a = a.data() + row * depth;
      p.c = c.data() + row * lanes;
      std::vector<float> scratch(multiply_scratch(p), std::nanf(""));
      multiply(p, serial, scratch.data());
    }
    return c;
  };
  CHECK(multiplied(rows) == multiplied(1));
}

TEST_CASE("product: any size equals plain loops") {
  Stream stream(1, "test");
  for (const Sizes& size : kSizes) {
    check_product(size, false, true, stream);
    check_product(size, true, false, stream);
  }
}

TEST_CASE("product: an outer product writes nothing behind its scratch") {
  // The longest parts with rows that are not whole vectors, where one part could overwrite the
  // next.
  Stream stream(3, "test");
  for (const int depth : {96, 192, 97, 288}) {
    for (const int rows : {1, 5, 64}) {
      CAPTURE(depth, rows);
      constexpr int kLanes = 40;
      constexpr float kUntouched = 12345;
      const auto a = draw(rows * depth, stream);
      const auto b = draw(rows * kLanes, stream);
      std::vector<float> c(static_cast<std::size_t>(depth * kLanes));
      const OuterProduct p{rows, depth, kLanes, a.data(), b.data(), c.data()};
      const std::size_t size = multiply_outer_scratch(p);
      std::vector<float> scratch(size + 64, kUntouched);
      Serial serial;
      multiply_outer(p, serial, scratch.data());
      CHECK(std::count(scratch.begin() + static_cast<std::ptrdiff_t>(size), scratch.end(),
                       kUntouched) == 64);
    }
  }
}

TEST_CASE("product: an outer product equals plain loops") {
  Stream stream(2, "test");
  for (const auto& [rows, depth, lanes] : kSizes) {
    CAPTURE(rows, depth, lanes);
    const auto a = draw(rows * depth, stream);
    const auto b = draw(rows * lanes, stream);
    std::vector<float> c(static_cast<std::size_t>(depth * lanes), std::nanf(""));
    const OuterProduct p{rows, depth, lanes, a.data(), b.data(), c.data()};
    std::vector<float> scratch(multiply_outer_scratch(p), std::nanf(""));
    Serial serial;
    multiply_outer(p, serial, scratch.data());
    std::vector<double> exact(c.size());
    for (int r = 0; r < rows; ++r) {
      for (int d = 0; d < depth; ++d) {
        for (int l = 0; l < lanes; ++l) {
          exact[static_cast<std::size_t>(d * lanes + l)] +=
              static_cast<double>(a[static_cast<std::size_t>(r * depth + d)]) *
              b[static_cast<std::size_t>(r * lanes + l)];
        }
      }
    }
    CHECK(differing(c, exact, rows) == 0);
  }
}

}  // namespace
}  // namespace foretrain
