// Norms: values, clipping, penalties, reproducible bits.
#include "models/optimizers/norms.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

namespace foretrain {
namespace {

/// Assigns parts to threads round robin.
class Threads : public Parallel {
 public:
  explicit Threads(int count) : count_(count) {}
  [[nodiscard]] int threads() const override { return count_; }
  void run(int parts, const std::function<void(int)>& part) override {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(count_));
    for (int t = 0; t < count_; ++t) {
      threads.emplace_back([=, this, &part] {
        for (int i = t; i < parts; i += count_) part(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int count_;
};

std::vector<float> draw(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, "norms");
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

TEST_CASE("norms: whole numbers are summed exactly at every length") {
  std::vector<float> values;
  double expected = 0;
  for (int i = 0; i < 70; ++i) {
    CHECK(squared_norm(values) == expected);
    values.push_back(static_cast<float>(i % 7 - 3));
    expected += values.back() * values.back();
  }
  const std::vector<float> ones(1'500'001, -1.0F);
  CHECK(squared_norm(ones) == 1'500'001);
}

TEST_CASE("norms: the same bits at 64 offsets of the same data in memory") {
  constexpr std::uint64_t kSeed = 21;
  CAPTURE(kSeed);
  const std::vector<float> values = draw(20'011, kSeed);
  const double expected = squared_norm(values);
  std::vector<float> memory(values.size() + 64);
  for (std::size_t offset = 0; offset < 64; ++offset) {
    CAPTURE(offset);
    std::ranges::copy(values, memory.begin() + static_cast<std::ptrdiff_t>(offset));
    CHECK(squared_norm(std::span(memory).subspan(offset, values.size())) == expected);
  }
}

TEST_CASE("norms: the same bits with any number of threads") {
  constexpr std::uint64_t kSeed = 22;
  CAPTURE(kSeed);
  for (const std::size_t count : {std::size_t{0}, std::size_t{4097}, std::size_t{1'200'007}}) {
    const std::vector<float> values = draw(count, kSeed);
    const double expected = squared_norm(values);
    for (const int threads : {1, 2, 3}) {
      CAPTURE(count, threads);
      Threads parallel(threads);
      CHECK(squared_norm(values, parallel) == expected);
    }
  }
}

TEST_CASE("norms: a gradient above the norm is scaled to it while one below stays the same bits") {
  std::vector<float> gradient{3, -4, 0};
  clip(gradient, std::sqrt(squared_norm(gradient)), 5);
  CHECK(gradient == std::vector<float>{3, -4, 0});
  clip(gradient, std::sqrt(squared_norm(gradient)), 2.5);
  CHECK(gradient == std::vector<float>{1.5, -2, 0});
  std::vector<float> drawn = draw(1000, 23);
  clip(drawn, std::sqrt(squared_norm(drawn)), 0.1);
  CHECK(std::sqrt(squared_norm(drawn)) == Approx(0.1).epsilon(1e-6));
}

TEST_CASE("norms: the penalty is half the decay of each kind times its sum of squares") {
  const std::vector<ParameterBlock> blocks{{.first = 0, .count = 3, .layer = 0, .bias = false},
                                           {.first = 3, .count = 1, .layer = 0, .bias = true},
                                           {.first = 4, .count = 2, .layer = 1, .bias = false}};
  const std::vector<float> parameters{1, -2, 3, 10, 1, 1};
  OptimizerSpec spec;
  Serial serial;
  CHECK(penalty(spec, blocks, parameters, serial) == 0);
  spec.weight_decay = 0.25;
  CHECK(penalty(spec, blocks, parameters, serial) == 0.5 * 0.25 * 16);
  spec.biases.weight_decay = 0.5;
  CHECK(penalty(spec, blocks, parameters, serial) == 0.5 * (0.25 * 16 + 0.5 * 100));
}

TEST_CASE("norms: the penalty is the same bits at any offset with any number of threads") {
  constexpr std::uint64_t kSeed = 24;
  CAPTURE(kSeed);
  const std::vector<float> values = draw(50'000, kSeed);
  const std::vector<ParameterBlock> blocks{{.first = 0, .count = 49'000},
                                           {.first = 49'000, .count = 1000, .bias = true}};
  const OptimizerSpec spec{.weight_decay = 5e-4, .biases = {.weight_decay = 1e-4}};
  Serial serial;
  const double expected = penalty(spec, blocks, values, serial);
  std::vector<float> memory(values.size() + 64);
  for (std::size_t offset = 0; offset < 64; ++offset) {
    CAPTURE(offset);
    std::ranges::copy(values, memory.begin() + static_cast<std::ptrdiff_t>(offset));
    Threads parallel(1 + static_cast<int>(offset % 3));
    CHECK(penalty(spec, blocks, std::span(memory).subspan(offset, values.size()), parallel) ==
          expected);
  }
}

}  // namespace
}  // namespace foretrain
