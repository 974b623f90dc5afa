#include "tests/bench/products.h"

#include "models/base/random.h"
#include "models/tensor/floats.h"
#include "models/tensor/product.h"
#include "reports/record/statistics.h"

#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace foretrain::bench {
namespace {
using Clock = std::chrono::steady_clock;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Sizes {
  int rows;
  int depth;
  int lanes;
};

template <class Body>
double seconds_of(const Body& body) {
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void compare(const Sizes& sizes, int rounds) {
  Stream stream(1, "bench.products");
  const auto draw = [&](int rows, int columns) {
    Matrix drawn(rows, columns);
    for (float& x : drawn.reshaped()) x = static_cast<float>(stream.normal());
    return drawn;
  };
  const Matrix a = draw(sizes.rows, sizes.depth);
  const Matrix b = draw(sizes.depth, sizes.lanes);
  Matrix c(sizes.rows, sizes.lanes);
  Product product;
  product.rows = sizes.rows;
  product.depth = sizes.depth;
  product.lanes = sizes.lanes;
  product.a = a.data();
  product.a_step = sizes.depth;
  product.b = b.data();
  product.b_step = sizes.lanes;
  product.c = c.data();
  product.c_step = sizes.lanes;
  std::vector<float> scratch(multiply_scratch(product));
  Serial serial;
  std::vector<double> ours;
  std::vector<double> eigens;
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(seconds_of([&] { multiply(product, serial, scratch.data()); }));
    eigens.push_back(seconds_of([&] { c.noalias() = a * b; }));
  }
  const double flops = 2.0 * sizes.rows * sizes.depth * sizes.lanes;
  fmt::print("product {:3} x {:5} x {:4}   {:6.1f} GFLOP/s, Eigen {:6.1f}\n", sizes.rows,
             sizes.depth, sizes.lanes, flops / median(ours).value() * 1e-9,
             flops / median(eigens).value() * 1e-9);
}

}  // namespace

void products(bool smoke) {
  if (smoke) return compare({8, 32, 16}, 3);
  for (const Sizes& sizes : {Sizes{64, 784, 10}, Sizes{64, 400, 120}, Sizes{64, 3'136, 1'024},
                             Sizes{16, 9'216, 4'096}, Sizes{512, 512, 512}}) {
    compare(sizes, sizes.rows * sizes.lanes < 10'000 ? 2'000 : 40);
  }
}

}  // namespace foretrain::bench
