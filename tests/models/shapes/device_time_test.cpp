// Times of counted work, compared with the formula by hand.
#include "models/shapes/device_time.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

constexpr DeviceRates kTimedRates{
    .products = 1e14, .half_size = 100, .attention = 2e13, .memory = 1e12, .launch_s = 10e-6};

/// Products take 20 ms, half of it for their edges, attention 10 ms, the rest 4 ms.
LayerWork timed_work() {
  LayerWork work;
  work.products = 1e12;
  work.edges = 1e10;
  work.attention = 2e11;
  work.moved = 4e9;
  work.kernels = 10;
  work.recomputable = true;
  return work;
}

TEST_CASE("device time: the forward pass adds up products, attention, bytes") {
  const PassTimes times = pass_times(timed_work(), kTimedRates, Recompute::none);
  CHECK(times.forward_s == Approx(20e-3 + 10e-3 + 4e-3));
  CHECK(times.backward_s == Approx(2 * (20e-3 + 4e-3) + 2.5 * 10e-3));
}

TEST_CASE("device time: a product of edge sum 1 / half_size runs at half of the rate") {
  LayerWork square;
  square.multiply(300, 300, 300);  // 1/m + 1/n + 1/k = 1/100
  DeviceRates rates = kTimedRates;
  rates.launch_s = 0;
  CHECK(pass_times(square, rates, Recompute::none).forward_s == Approx(2 * 2 * 27e6 / 1e14));
}

TEST_CASE("device time: the backward pass computes again what was not kept") {
  const double backward_s = pass_times(timed_work(), kTimedRates, Recompute::none).backward_s;
  CHECK(pass_times(timed_work(), kTimedRates, Recompute::selective).backward_s ==
        Approx(backward_s + 4e-3));
  CHECK(pass_times(timed_work(), kTimedRates, Recompute::full).backward_s ==
        Approx(backward_s + 34e-3));
  CHECK(pass_times(timed_work(), kTimedRates, Recompute::full).forward_s == Approx(34e-3));
  LayerWork head = timed_work();
  head.recomputable = false;
  for (const Recompute how : {Recompute::selective, Recompute::full}) {
    CHECK(pass_times(head, kTimedRates, how).backward_s == Approx(backward_s));
  }
}

TEST_CASE("device time: a pass takes at least the launches of its kernels") {
  LayerWork many = timed_work();
  many.kernels = 10'000;
  const PassTimes times = pass_times(many, kTimedRates, Recompute::full);
  CHECK(times.forward_s == Approx(0.1));
  CHECK(times.backward_s == Approx(0.2 + 0.1));
}

TEST_CASE("device time: bytes kept by recomputation") {
  LayerWork work;
  work.kept = 100;
  work.kept_products = 60;
  work.kept_input = 10;
  for (const Recompute how : {Recompute::none, Recompute::selective, Recompute::full}) {
    CHECK(kept_bytes(work, how) == 100);
  }
  work.recomputable = true;
  CHECK(kept_bytes(work, Recompute::none) == 100);
  CHECK(kept_bytes(work, Recompute::selective) == 60);
  CHECK(kept_bytes(work, Recompute::full) == 10);
}

TEST_CASE("device time: work scales with the batch but for its launches") {
  LayerWork two = timed_work();
  two.kept = 8;
  two.scale(2);
  CHECK(two.products == 2e12);
  CHECK(two.edges == 2e10);
  CHECK(two.attention == 4e11);
  CHECK(two.moved == 8e9);
  CHECK(two.kept == 16);
  CHECK(two.kernels == 10);
}

}  // namespace
}  // namespace foretrain
