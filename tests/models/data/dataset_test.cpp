// Tests of cutting a data set.
#include "models/data/dataset.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace foretrain;

namespace {
const Dataset kThree{.examples = 3,
                     .rows = 1,
                     .columns = 2,
                     .classes = 10,
                     .pixels = {1, 2, 3, 4, 5, 6},
                     .labels = {7, 8, 9}};
}

TEST_CASE("dataset: take keeps the first examples with their labels", "[dataset]") {
  const Dataset two = take(kThree, 2);
  CHECK(two.examples == 2);
  CHECK(two.features() == 2);
  CHECK(two.classes == 10);
  CHECK(two.pixels == std::vector<std::uint8_t>{1, 2, 3, 4});
  CHECK(two.labels == std::vector<std::uint8_t>{7, 8});
}

TEST_CASE("dataset: take keeps all where more are asked for", "[dataset]") {
  const Dataset all = take(kThree, 100);
  CHECK(all.examples == 3);
  CHECK(all.pixels == kThree.pixels);
  CHECK(all.labels == kThree.labels);
}
