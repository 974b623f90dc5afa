// The costs of pieces of work, counted by hand.
#include "models/cost/work.h"

#include "models/layers/dense.h"
#include "models/layers/sparse_dense.h"
#include "models/networks/registry.h"
#include "tests/models/graph/counted_trainings.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace foretrain {
namespace {

using testing::hashed;
using testing::images;

constexpr std::int64_t kParameters = 1000;

std::unique_ptr<const Optimizer> rule(const std::string& name) {
  OptimizerSpec spec;
  spec.name = name;
  return make_optimizer(spec);
}

TEST_CASE("work: a dense layer forward is a product of its input with its weights") {
  const Cost cost = Dense(300, 100, true).forward_cost(64);
  CHECK(cost.flops.value == 2.0 * 64 * 300 * 100);
  CHECK(cost.read == Traffic{.parameters = {4 * (300 * 100 + 100)}, .activations = {4 * 64 * 300}});
  CHECK(cost.written == Traffic{.activations = {4 * 64 * 100}});
}

TEST_CASE("work: a dense layer backward is a product for its weights with one for its input") {
  const Dense layer(300, 100, true);
  const Cost first = layer.backward_cost(64, false);
  CHECK(first.flops.value == 2.0 * 64 * 300 * 100);
  CHECK(first.read == Traffic{.activations = {4 * 64 * (300 + 100)}});
  CHECK(first.written == Traffic{.gradients = {4 * (300 * 100 + 100)}});
  const Cost other = layer.backward_cost(64, true);
  CHECK(other.flops.value == 4.0 * 64 * 300 * 100);
  CHECK(other.read ==
        Traffic{.parameters = {4 * (300 * 100 + 100)}, .activations = {4 * 64 * (300 + 2 * 100)}});
  CHECK(other.written ==
        Traffic{.gradients = {4 * (300 * 100 + 100)}, .activations = {4 * 64 * 300}});
}

TEST_CASE("work: a sparse layer reads the rows that its batch has") {
  const SparseDense layer(1'000'000, 1, 39);
  const Cost forward = layer.forward_cost(10);
  CHECK(forward.flops.value == 2.0 * 390);
  CHECK(forward.read == Traffic{.parameters = {4 * 391}, .batch = {8 * 390}});
  CHECK(forward.written == Traffic{.activations = {4 * 10}});
  const Cost backward = layer.backward_cost(10, false);
  CHECK(backward.read == Traffic{.activations = {4 * 10}, .batch = {8 * 390}});
  CHECK(backward.written == Traffic{.gradients = {4 * 391}});
}

TEST_CASE("work: a batch is read as a data set keeps it and written as numbers") {
  const Network dense(network_spec("softmax", {}), images(28, 1, 10));
  CHECK(batch_cost(dense, 64).read == Traffic{.batch = {64 * 784}});
  CHECK(batch_cost(dense, 64).written == Traffic{.batch = {4 * 64 * 784 + 4 * 64}});
  const Network sparse(network_spec("sparse_logistic", {}), hashed(12));
  CHECK(batch_cost(sparse, 10).read == Traffic{.batch = {8 * 390}});
  CHECK(batch_cost(sparse, 10).written == Traffic{.batch = {8 * 390 + 4 * 10}});
}

TEST_CASE("work: a gradient is a batch with all layers there and back and the loss") {
  const Network network(network_spec("softmax", {}), images(28, 1, 10));
  const Cost cost = gradient_cost(network, 64);
  CHECK(cost.flops.value == 2 * 2.0 * 64 * 7840);
  CHECK(cost.read.activations.value == 4 * 64 * (784 + 10 + (784 + 10)));
  CHECK(cost.written.activations.value == 4 * 64 * (10 + 10));
  CHECK(cost.read.batch.value == 64 * 784 + 4 * 64);
  CHECK(cost.written.gradients.value == 4 * 7850);
}

TEST_CASE("work: an evaluation goes forward and leaves nothing behind the logits") {
  const Network network(network_spec("softmax", {}), images(28, 1, 10));
  const Cost cost = evaluation_cost(network, 100);
  CHECK(cost.flops.value == 2.0 * 100 * 7840);
  CHECK(cost.read.activations.value == 4 * 100 * (784 + 10));
  CHECK(cost.written.activations.value == 4 * 100 * 10);
  CHECK(cost.written.gradients.value == 0);
}

TEST_CASE("work: a penalty reads what decays where the loss includes it") {
  const Network network(network_spec("softmax", {}), images(28, 1, 10));
  OptimizerSpec spec;
  spec.weight_decay = 1e-4;
  CHECK(penalty_cost(network, spec) == Cost{});
  spec.penalty_in_loss = true;
  CHECK(penalty_cost(network, spec).flops.value == 2.0 * 7840);
  CHECK(penalty_cost(network, spec).read == Traffic{.parameters = {4 * 7840}});
}

TEST_CASE("work: a clipped gradient is read for its norm and once more to be scaled") {
  const Cost cost = clip_cost(kParameters);
  CHECK(cost.flops.value == 3000);
  CHECK(cost.read == Traffic{.gradients = {8 * kParameters}});
  CHECK(cost.written == Traffic{.gradients = {4 * kParameters}});
}

TEST_CASE("work: an update of sgd reads gradients with parameters and writes parameters") {
  const auto sgd = rule("sgd");
  const Cost cost = apply_cost(kParameters, 3, *sgd);
  CHECK(cost.flops.value == kParameters * (3 + sgd->flops_per_parameter().value));
  CHECK(cost.read == Traffic{.parameters = {4 * kParameters}, .gradients = {3 * 4 * kParameters}});
  CHECK(cost.written == Traffic{.parameters = {4 * kParameters}});
}

TEST_CASE("work: an update of adam reads and writes two numbers of state besides") {
  const Cost cost = apply_cost(kParameters, 1, *rule("adam"));
  CHECK(cost.read.state.value == 2 * 4 * kParameters);
  CHECK(cost.written.state.value == 2 * 4 * kParameters);
  CHECK(cost.bytes().value == 4 * kParameters * (1 + 2 + 2 * 2));
}

TEST_CASE("work: a sparse update reads its pushes and the rows that they touch") {
  const auto sgd = rule("sgd");
  // Two pushes with 20 touched and 20 wanted parameters each.
  const Bytes pushes = push_size({20, 20}) * 2;
  const Cost cost = sparse_apply_cost(kParameters, 2, pushes, *sgd);
  const std::int64_t rows = pushes.value / 12;
  CHECK(rows == 41);
  CHECK(cost.read == Traffic{.parameters = {4 * rows}, .messages = pushes});
  CHECK(cost.written == Traffic{.parameters = {4 * rows}});
  // No more than exist.
  CHECK(sparse_apply_cost(30, 2, pushes, *sgd).written.parameters.value == 4 * 30);
}

TEST_CASE("work: adding up k gradients takes k less one additions") {
  const std::int64_t k = GENERATE(1, 2, 5);
  const Cost cost = reduce_cost(kParameters, k);
  CHECK(cost.flops.value == static_cast<double>(kParameters * (k - 1)));
  CHECK(cost.read == Traffic{.gradients = {8 * kParameters * (k - 1)}});
  CHECK(cost.written == Traffic{.gradients = {4 * kParameters * (k - 1)}});
}

TEST_CASE("work: a sparse push is written once and its lists are read") {
  const Listed listed{.touched = 20, .wanted = 30};
  CHECK(push_size(listed).value == 4 * (2 + 20 + 20 + 30));
  CHECK(encode_cost(listed).read == Traffic{.gradients = {4 * 20}, .batch = {4 * (20 + 30)}});
  CHECK(encode_cost(listed).written == Traffic{.messages = push_size(listed)});
  CHECK(decode_cost(listed).read == Traffic{.messages = {4 * (2 + 20 + 30)}});
  CHECK(decode_cost(listed).written == Traffic{});
  CHECK(gather_cost(30).read == Traffic{.parameters = {4 * 30}, .messages = {4 * 30}});
  CHECK(gather_cost(30).written == Traffic{.messages = {4 * 30}});
}

TEST_CASE("work: values that are picked or copied are read and written") {
  CHECK(copy_cost(kParameters).read == copy_cost(kParameters).written);
  CHECK(copy_cost(kParameters).bytes().value == 8 * kParameters);
  CHECK(pick_cost(kParameters).bytes().value == 12 * kParameters);
}

}  // namespace
}  // namespace foretrain
