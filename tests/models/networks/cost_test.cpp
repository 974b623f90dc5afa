// The costs of the networks, counted by hand.
#include "models/cost/work.h"
#include "models/networks/network.h"
#include "models/networks/registry.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

InputShape image_input(int side, int channels, int classes) {
  return {.image = {side, side, channels}, .classes = classes};
}

std::int64_t parameters_of(const std::string& name, const InputShape& input,
                           const NetworkOptions& options = {}) {
  return Network(network_spec(name, options), input).parameters();
}

double gradient_flops(const std::string& name, const InputShape& input, std::int64_t batch) {
  return gradient_cost(Network(network_spec(name, {}), input), batch).flops.value;
}

double forward_flops(const std::string& name, const InputShape& input, std::int64_t batch) {
  return evaluation_cost(Network(network_spec(name, {}), input), batch).flops.value;
}

TEST_CASE("network: every network has exactly the parameters of its source") {
  CHECK(parameters_of("softmax", image_input(28, 1, 10)) == 7'850);
  CHECK(parameters_of("lenet", image_input(28, 1, 10)) == 61'706);
  CHECK(parameters_of("lenet_large", image_input(28, 1, 10)) == 3'274'634);
  CHECK(parameters_of("alexnet", image_input(224, 3, 1000)) == 61'100'840);
  CHECK(parameters_of("alexnet", image_input(256, 3, 1000)) == 61'100'840);
  CHECK(parameters_of("alexnet_cifar", image_input(24, 3, 10)) == 1'068'298);
  CHECK(parameters_of("vgg11", image_input(32, 3, 10)) == 9'231'114);
  CHECK(parameters_of("resnet20", image_input(32, 3, 10)) == 269'722);
}

TEST_CASE("network: vgg11 has 34 tensors, resnet20 has 59, its convolutions no biases") {
  const InputShape input = image_input(32, 3, 10);
  CHECK(Network(network_spec("vgg11", {}), input).blocks().size() == 8 * 4 + 2);
  const Network resnet(network_spec("resnet20", {}), input);
  CHECK(resnet.blocks().size() == 19 + 19 * 2 + 2);
  CHECK(resnet.skips().size() == 9);
  for (const auto& layer : resnet.layers()) {
    if (layer->name().starts_with("conv")) CHECK(layer->biases() == 0);
  }
}

TEST_CASE("network: forward passes of vgg11, of resnet20 are counted as by hand") {
  const auto conv = [](double side, double in, double out) { return side * side * out * in * 18; };
  const double vgg = conv(32, 3, 64) + conv(16, 64, 128) + conv(8, 128, 256) + conv(8, 256, 256) +
                     conv(4, 256, 512) + conv(4, 512, 512) + 2 * conv(2, 512, 512) + 2 * 5'120.0;
  const double vgg_norms = 7 * (64.0 * 1024 + 128 * 256 + 512 * 64 + 1024 * 16 + 1024 * 4);
  const double vgg_pools = 4 * (64.0 * 256 + 128 * 64 + 256 * 16 + 512 * 4 + 512);
  const InputShape input = image_input(32, 3, 10);
  CHECK(vgg == 305'539'072.0);  // 0.153 G multiply-adds
  CHECK(forward_flops("vgg11", input, 1) == Approx(vgg + vgg_norms + vgg_pools).epsilon(0.01));
  const double resnet = conv(32, 3, 16) + 6 * conv(32, 16, 16) + conv(16, 16, 32) +
                        5 * conv(16, 32, 32) + conv(8, 32, 64) + 5 * conv(8, 64, 64) + 1'280;
  CHECK(resnet == 81'102'080.0);  // 0.041 G multiply-adds
  CHECK(forward_flops("resnet20", input, 1) > resnet);
  CHECK(forward_flops("resnet20", input, 1) < 1.05 * resnet);
}

TEST_CASE("network: mlp has a matrix with biases for each hidden size") {
  CHECK(parameters_of("mlp", image_input(28, 1, 10), {.hidden = {300, 100}}) ==
        784 * 300 + 300 + 300 * 100 + 100 + 100 * 10 + 10);
  CHECK(parameters_of("mlp", image_input(28, 1, 10), {.hidden = {7}}) == 784 * 7 + 7 + 7 * 10 + 10);
}

TEST_CASE("network: sparse_logistic has a weight for each hash with one bias") {
  for (const int bits : {1, 12, 18, 20}) {
    CAPTURE(bits);
    InputShape input;
    input.sparse_features = std::int64_t{1} << bits;
    input.sparse_entries = 39;
    input.classes = 2;
    CHECK(parameters_of("sparse_logistic", input) == (std::int64_t{1} << bits) + 1);
  }
}

TEST_CASE("network: a forward pass of lenet is counted as by hand") {
  const double conv1 = 28 * 28 * 6 * (5 * 5 * 1) * 2;
  const double pool1 = 14 * 14 * 6 * (2 * 2);
  const double conv2 = 10 * 10 * 16 * (5 * 5 * 6) * 2;
  const double pool2 = 5 * 5 * 16 * (2 * 2);
  const double dense = (400 * 120 + 120 * 84 + 84 * 10) * 2;
  CHECK(forward_flops("lenet", image_input(28, 1, 10), 1) == conv1 + pool1 + conv2 + pool2 + dense);
  CHECK(forward_flops("lenet", image_input(28, 1, 10), 64) ==
        64 * (conv1 + pool1 + conv2 + pool2 + dense));
}

TEST_CASE("network: a backward pass of lenet is two products a layer save the first") {
  const double conv1 = 28 * 28 * 6 * (5 * 5 * 1) * 2;  // gradient by the weights only
  const double pool1 = 14 * 14 * 6;                    // one addition per output
  const double conv2 = 2 * (10 * 10 * 16 * (5 * 5 * 6) * 2);
  const double pool2 = 5 * 5 * 16;
  const double dense = 2 * ((400 * 120 + 120 * 84 + 84 * 10) * 2);
  const InputShape input = image_input(28, 1, 10);
  CHECK(gradient_flops("lenet", input, 8) ==
        forward_flops("lenet", input, 8) + 8 * (conv1 + pool1 + conv2 + pool2 + dense));
}

TEST_CASE("network: a gradient of alexnet is counted as by hand") {
  const double conv1 = 55.0 * 55 * 64 * (11 * 11 * 3) * 2;
  const double pool1 = 27.0 * 27 * 64;
  const double conv2 = 27.0 * 27 * 192 * (5 * 5 * 64) * 2;
  const double pool2 = 13.0 * 13 * 192;
  const double conv3 = 13.0 * 13 * 384 * (3 * 3 * 192) * 2;
  const double conv4 = 13.0 * 13 * 256 * (3 * 3 * 384) * 2;
  const double conv5 = 13.0 * 13 * 256 * (3 * 3 * 256) * 2;
  const double pool5 = 6.0 * 6 * 256;  // already 6 x 6: nothing to average
  const double dense6 = 9216.0 * 4096 * 2;
  const double dense7 = 4096.0 * 4096 * 2;
  const double dense8 = 4096.0 * 1000 * 2;
  const double dropped = 9216 + 4096;  // units subject to dropout
  const double products = conv2 + conv3 + conv4 + conv5 + dense6 + dense7 + dense8;
  const double pools = pool1 + pool2 + pool5;
  const double forward = conv1 + products + 9 * pools + 2 * dropped;
  const double backward = conv1 + 2 * products + pools + dropped;
  const InputShape input = image_input(224, 3, 1000);
  CHECK(conv1 + products == 1'428'376'960.0);  // 0.714 G multiply-adds, as published
  CHECK(forward_flops("alexnet", input, 1) == forward);
  CHECK(gradient_flops("alexnet", input, 64) == 64 * (forward + backward));
}

TEST_CASE("network: at 256 pixels alexnet averages 7 x 7 pixels to 6 x 6") {
  const double convs = 63.0 * 63 * 64 * (11 * 11 * 3) * 2 + 31.0 * 31 * 192 * (5 * 5 * 64) * 2 +
                       15.0 * 15 * 384 * (3 * 3 * 192) * 2 + 15.0 * 15 * 256 * (3 * 3 * 384) * 2 +
                       15.0 * 15 * 256 * (3 * 3 * 256) * 2;
  const double pools = 9.0 * (31 * 31 * 64 + 15 * 15 * 192 + 7 * 7 * 256);
  const double average = 256.0 * (6 * 6) * (2 * 2);  // overlapping windows of 2 x 2
  const double dense = (9216.0 * 4096 + 4096.0 * 4096 + 4096.0 * 1000) * 2;
  CHECK(forward_flops("alexnet", image_input(256, 3, 1000), 1) ==
        convs + pools + average + dense + 2 * (9216 + 4096));
}

}  // namespace
}  // namespace foretrain
