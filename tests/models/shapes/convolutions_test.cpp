// The work of convolutions, compared with sums by hand.
#include "models/shapes/convolutions.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

constexpr WorkOptions kThreeImages{.batch = 3, .number_bytes = 2};

TEST_CASE("convolutions: a convolution is a product of pixels, output channels, window") {
  const auto layers = layer_work({{.name = "a",
                                   .kernel_height = 3,
                                   .kernel_width = 3,
                                   .in = 2,
                                   .out = 4,
                                   .side = 5,
                                   .count = 2}},
                                 kThreeImages);
  REQUIRE(layers.size() == 1);
  const LayerWork& a = layers[0];
  const double output = 3 * 25 * 4 * 2;  // bytes
  CHECK(a.parameters == 2 * (9 * 2 * 4 + 2 * 4));
  CHECK(a.tensors == 2 * 3);
  CHECK(a.products == 2 * (2 * 75 * 4 * 18));
  CHECK(a.edges == Approx(2 * 2 * (4 * 18 + 75 * 18 + 75 * 4)));
  CHECK(a.moved == 2 * 5 * output);
  CHECK(a.kept == 2 * 2 * output);
  CHECK(a.kept_products == 2 * output);
  CHECK(a.kept_input == 3 * 25 * 2 * 2);
  CHECK(a.kernels == 2 * (1 + 2));
  CHECK(a.recomputable);
}

TEST_CASE("convolutions: rows of one name are one layer") {
  const ConvolutionShape first{.name = "a", .in = 4, .out = 4, .side = 5};
  const ConvolutionShape second{.name = "a",
                                .kernel_height = 1,
                                .kernel_width = 7,
                                .in = 4,
                                .out = 1,
                                .side = 5,
                                .norm = false,
                                .bias = true};
  const auto layers = layer_work({first, second, {.name = "b", .in = 1, .out = 1}}, kThreeImages);
  REQUIRE(layers.size() == 2);
  const LayerWork one = layer_work({first}, kThreeImages)[0];
  const LayerWork& both = layers[0];
  CHECK(both.parameters == one.parameters + 7 * 4 + 1);
  CHECK(both.tensors == one.tensors + 2);
  CHECK(both.products == one.products + 2 * 75 * 28);
  CHECK(both.moved == one.moved + 2 * 75 * 2);
  CHECK(both.kept == one.kept + 75 * 2);
  CHECK(both.kernels == one.kernels + 2);
  CHECK(both.kept_input == one.kept_input);
  // The input of a layer has the side of the row before it.
  CHECK(layers[1].kept_input == 3 * 5 * 5 * 1 * 2);
}

TEST_CASE("convolutions: a dense layer is a convolution of one pixel") {
  const LayerWork dense = layer_work(
      {{.name = "fc", .in = 4, .out = 10, .norm = false, .bias = true}}, kThreeImages)[0];
  CHECK(dense.parameters == 4 * 10 + 10);
  CHECK(dense.products == 2 * 3 * 4 * 10);
  CHECK_FALSE(dense.recomputable);
}

}  // namespace
}  // namespace foretrain
