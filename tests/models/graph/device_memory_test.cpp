// The memory of devices, compared with ZeRO's closed forms.
#include "models/graph/device_memory.h"

#include "models/protocol/registry.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace foretrain {
namespace {

constexpr int kSharing = 4;
constexpr int kEqualLayers = 8;
constexpr std::int64_t kEqualLayer = 4'000'000;  // bytes of a layer's parameters
constexpr std::int64_t kNumbersLearned = kEqualLayers * kEqualLayer / 2;  // parameters of two bytes

struct ZeroJob {
  Sharded shard = Sharded::optimizer;
  std::string optimizer = "adam";
  int group = 0;
  int workers = kSharing;
};

/// Eight layers, a bucket each, whose stages are those of the layers.
Training zero_training(const ZeroJob& asked) {
  NetworkProfile profile;
  for (int i = 0; i < kEqualLayers; ++i)
    profile.layers.push_back({"layer", kEqualLayer / 4, 2e-3, 4e-3});
  Training training;
  training.network = std::make_shared<const Network>(profile);
  training.protocol = &protocol_called("all_reduce");
  training.workers = asked.workers;
  training.servers = 0;
  training.batch_size = 1;
  training.forward_waits = true;
  training.sharded = asked.shard;
  training.parts = asked.group > 0 ? asked.group : asked.workers;
  training.optimizer_spec.name = asked.optimizer;
  training.optimizer = make_optimizer(training.optimizer_spec);
  const std::vector<std::int64_t> tensors(kEqualLayers, kEqualLayer / 4);
  training.layout = std::make_shared<const Layout>(
      make_ddp_layout(tensors, {kEqualLayer}, {kEqualLayer}, asked.workers, {}, true));
  return training;
}

DeviceMemory zero_memory(const ZeroJob& asked, const DeviceNeeds& more = {}) {
  DeviceNeeds needs = more;
  needs.parameters = kNumbersLearned;
  needs.number_bytes = 2;
  return device_memory(zero_training(asked), needs);
}

TEST_CASE("device memory: replicated parameters need b P, b P, K P") {
  const DeviceMemory memory = zero_memory({}, {.replicated = true, .activations = {}});
  CHECK(memory.parameters.value == 2 * kNumbersLearned);
  CHECK(memory.gradients.value == 2 * kNumbersLearned);
  CHECK(memory.optimizer.value == 12 * kNumbersLearned);
}

TEST_CASE("device memory: a sharded optimizer needs b P, b P, K P / N") {
  const DeviceMemory memory = zero_memory({});
  CHECK(memory.parameters.value == 2 * kNumbersLearned);
  CHECK(memory.gradients.value == 2 * kNumbersLearned);
  CHECK(memory.optimizer.value == 12 * kNumbersLearned / kSharing);
}

TEST_CASE("device memory: sharded gradients need b P, b P / N and two stages, K P / N") {
  const DeviceMemory memory = zero_memory({.shard = Sharded::gradients});
  CHECK(memory.parameters.value == 2 * kNumbersLearned);
  CHECK(memory.gradients.value == 2 * kNumbersLearned / kSharing + 2 * kEqualLayer);
  CHECK(memory.optimizer.value == 12 * kNumbersLearned / kSharing);
}

TEST_CASE("device memory: sharded parameters need b P / N and two stages, twice, K P / N") {
  const DeviceMemory memory = zero_memory({.shard = Sharded::parameters});
  CHECK(memory.parameters.value == 2 * kNumbersLearned / kSharing + 2 * kEqualLayer);
  CHECK(memory.gradients.value == 2 * kNumbersLearned / kSharing + 2 * kEqualLayer);
  CHECK(memory.optimizer.value == 12 * kNumbersLearned / kSharing);
}

TEST_CASE("device memory: in groups the workers of a group share") {
  const DeviceMemory memory = zero_memory({.shard = Sharded::parameters, .group = 2});
  CHECK(memory.parameters.value == 2 * kNumbersLearned / 2 + 2 * kEqualLayer);
  CHECK(memory.optimizer.value == 12 * kNumbersLearned / 2);
}

TEST_CASE("device memory: one worker has all") {
  for (const Sharded shard : {Sharded::optimizer, Sharded::gradients, Sharded::parameters}) {
    CAPTURE(static_cast<int>(shard));
    const DeviceMemory memory = zero_memory({.shard = shard, .workers = 1});
    CHECK(memory.parameters.value == 2 * kNumbersLearned);
    CHECK(memory.gradients.value == 2 * kNumbersLearned);
    CHECK(memory.optimizer.value == 12 * kNumbersLearned);
  }
}

TEST_CASE("device memory: K by the optimizer, with and without master weights") {
  const auto bytes = [](const std::string& optimizer, bool master) {
    const DeviceNeeds needs{.master_weights = master, .replicated = true, .activations = {}};
    return zero_memory({.optimizer = optimizer}, needs).optimizer.value / kNumbersLearned;
  };
  CHECK(bytes("adam", true) == 12);
  CHECK(bytes("adam", false) == 8);
  CHECK(bytes("momentum", true) == 8);
  CHECK(bytes("sgd", true) == 4);
  CHECK(bytes("sgd", false) == 0);
  const DeviceNeeds full{
      .parameters = kNumbersLearned, .number_bytes = 4, .replicated = true, .activations = {}};
  CHECK(device_memory(zero_training({}), full).optimizer.value == 8 * kNumbersLearned);
}

TEST_CASE("device memory: the total compared with the capacity") {
  DeviceMemory memory{{1}, {2}, {3}, {4}, {5}, {}};
  CHECK(memory.total().value == 15);
  CHECK(memory.fits());  // unknown
  memory.capacity = {15};
  CHECK(memory.fits());
  memory.capacity = {14};
  CHECK_FALSE(memory.fits());
  CHECK(zero_memory({}, {.activations = {77}}).activations.value == 77);
}

// A gradient is read, then parameters and state are read and written; with master weights these
// are the parameters, and the copy is written.
TEST_CASE("device memory: bytes of an update, relative to those of 32 bits") {
  const auto ratio = [](const std::string& optimizer, int bytes, bool master) {
    return update_bytes_ratio(zero_training({.optimizer = optimizer}),
                              {.number_bytes = bytes, .master_weights = master, .activations = {}});
  };
  CHECK(ratio("adam", 4, true) == Approx(1));
  CHECK(ratio("sgd", 4, false) == Approx(1));
  CHECK(ratio("adam", 2, true) == Approx((2 + 2 * 8 + 2 * 4 + 2) / (28 / 2.0)));
  CHECK(ratio("adam", 2, false) == Approx((2 + 2 * 8 + 2 * 2) / (28 / 2.0)));
  CHECK(ratio("sgd", 2, true) == Approx((2 + 2 * 4 + 2) / (12 / 2.0)));
  CHECK(ratio("sgd", 2, false) == Approx(1));
}

}  // namespace
}  // namespace foretrain
