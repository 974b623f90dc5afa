// The names, the layout of a network's tensors.
#include "models/networks/named_tensors.h"

#include "models/networks/registry.h"
#include "tests/support/networks.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {

Network network_called(const std::string& name, const InputShape& input) {
  return Network(network_spec(name, {}), input);
}

const InputShape kDigits{.image = {28, 28, 1}, .classes = 10};

}  // namespace

TEST_CASE("named tensors: layers are counted by their kind") {
  const Network lenet = network_called("lenet", kDigits);
  std::vector<std::string> names;
  for (const NamedTensor& tensor : named_tensors(lenet)) names.push_back(tensor.name);
  const std::vector<std::string> expected{
      "conv1.weight", "conv1.bias",    "conv2.weight", "conv2.bias",    "dense1.weight",
      "dense1.bias",  "dense2.weight", "dense2.bias",  "dense3.weight", "dense3.bias"};
  CHECK(names == expected);
}

TEST_CASE("named tensors: they are all of the parameters, in order, and fill their shapes") {
  for (const char* name : {"softmax", "lenet", "lenet_large"}) {
    CAPTURE(name);
    const Network network = network_called(name, kDigits);
    std::int64_t next = 0;
    for (const NamedTensor& tensor : named_tensors(network)) {
      CAPTURE(tensor.name);
      CHECK(tensor.first == next);
      std::int64_t count = 1;
      for (const std::int64_t size : tensor.shape) count *= size;
      CHECK(count == tensor.count);
      next += tensor.count;
    }
    CHECK(next == network.parameters());
  }
}

TEST_CASE("named tensors: a sparse model's weights have a row a feature") {
  const Network network = network_called(
      "sparse_logistic", {.image = {}, .sparse_features = 256, .sparse_entries = 3, .classes = 2});
  const std::vector<NamedTensor> tensors = named_tensors(network);
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].name == "sparse_dense1.weight");
  CHECK(shape_text(tensors[0].shape) == "[256][1]");
}

TEST_CASE("named tensors: running statistics are called as other programs call them") {
  const NetworkCase residual = residual_case();
  const Network network(residual.spec, residual.input);
  std::vector<std::string> names;
  std::int64_t next = 0;
  for (const NamedTensor& tensor : named_statistics(network)) {
    names.push_back(tensor.name);
    CHECK(tensor.first == next);
    CHECK(tensor.shape == std::vector{tensor.count});
    next += tensor.count;
  }
  CHECK(names == std::vector<std::string>{"batch_norm1.running_mean", "batch_norm1.running_var",
                                          "batch_norm2.running_mean", "batch_norm2.running_var"});
  CHECK(next == network.statistics());
  CHECK(network.statistics() == 2 * 6 + 2 * 8);
  CHECK(network.initial_statistics()[0] == 0);
  CHECK(network.initial_statistics()[6] == 1);
  CHECK(named_statistics(network_called("lenet", kDigits)).empty());
}

}  // namespace foretrain::testing
