// Plain stochastic gradient descent.
#include "models/base/check.h"
#include "models/optimizers/optimizer.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain {
namespace {

TEST_CASE("sgd: moves against the gradient by the learning rate") {
  const auto sgd = make_optimizer({.name = "sgd", .learning_rate = 0.5});
  const std::vector<float> before{1, 2, -3};
  std::vector<float> after(3);
  sgd->apply({}, false, before, std::vector<float>{2, 0, -1}, after, {});
  CHECK(after == std::vector<float>{0, 2, -2.5});
}

TEST_CASE("sgd: biases have their own rate with their own decay") {
  OptimizerSpec spec{.learning_rate = 0.5, .weight_decay = 1};
  spec.biases = {.rate_factor = 2, .weight_decay = 0.5};
  const auto sgd = make_optimizer(spec);
  const std::vector<float> before{4};
  std::vector<float> after(1);
  sgd->apply({}, false, before, std::vector<float>{2}, after, {});
  CHECK(after.front() == 4 - 0.5F * (2 + 4));
  sgd->apply({}, true, before, std::vector<float>{2}, after, {});
  CHECK(after.front() == 4 - 1.0F * (2 + 0.5F * 4));
}

TEST_CASE("sgd: the schedule follows the examples learned from") {
  OptimizerSpec spec{.learning_rate = 1};
  spec.schedule = {.kind = "step", .every = 100, .factor = 0.5};
  const auto sgd = make_optimizer(spec);
  const std::vector<float> before{1};
  std::vector<float> after(1);
  sgd->apply({.version = 1, .examples = 99}, false, before, std::vector<float>{1}, after, {});
  CHECK(after.front() == 0);
  sgd->apply({.version = 1, .examples = 200}, false, before, std::vector<float>{1}, after, {});
  CHECK(after.front() == 0.75F);
}

TEST_CASE("sgd: arguments of different lengths are refused") {
  const auto sgd = make_optimizer({});
  std::vector<float> two(2);
  std::vector<float> three(3);
  CHECK_THROWS_AS(sgd->apply({}, false, two, three, two, {}), InvariantViolation);
  CHECK_THROWS_AS(sgd->apply({}, false, two, two, three, {}), InvariantViolation);
  const std::vector<float*> state{two.data()};
  CHECK_THROWS_AS(sgd->apply({}, false, two, two, two, state), InvariantViolation);
}

}  // namespace
}  // namespace foretrain
