// Plain stochastic gradient descent.
#include "models/optimizers/optimizer.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain {
namespace {

TEST_CASE("sgd: moves against the gradient by the learning rate") {
  const auto sgd = make_optimizer({.name = "sgd", .learning_rate = 0.5});
  const std::vector<float> before{1, 2, -3};
  std::vector<float> after(3);
  sgd->apply(before, std::vector<float>{2, 0, -1}, after);
  CHECK(after == std::vector<float>{0, 2, -2.5});
}

TEST_CASE("sgd: in place is the same as into another buffer") {
  const auto sgd = make_optimizer({.name = "sgd", .learning_rate = 0.1});
  std::vector<float> values{1, 2, 3, 4, 5};
  const std::vector<float> gradient{5, 4, 3, 2, 1};
  std::vector<float> elsewhere(5);
  sgd->apply(values, gradient, elsewhere);
  sgd->apply(values, gradient, values);
  CHECK(values == elsewhere);
}

}  // namespace
}  // namespace foretrain
