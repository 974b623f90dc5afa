// Counted memory, compared with allocated, with resident memory.
#include "models/graph/step_memory.h"

#include "models/data/images.h"
#include "models/protocol/single.h"
#include "tests/models/graph/counted_trainings.h"
#include "tests/support/instruments.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

namespace foretrain {
namespace {

using testing::kSanitized;
using testing::single_training;

/// A figure of /proc/self/status in bytes; 0 if it is missing.
std::int64_t status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return 1024 * std::stoll(line.substr(key.size() + 1));
  }
  return 0;
}

/// The growth of the peak resident memory by `work`, in a child process.
std::int64_t growth(const std::function<void()>& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::int64_t before = status("VmRSS");
    work();
    const std::int64_t grown = status("VmHWM") - before;
    const bool written = write(ends[1], &grown, sizeof grown) == sizeof grown;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::int64_t grown = -1;
  const bool complete = read(ends[0], &grown, sizeof grown) == sizeof grown;
  close(ends[0]);
  int ended = 0;
  waitpid(child, &ended, 0);
  REQUIRE(complete);
  return grown;
}

/// Black images.
std::shared_ptr<const Dataset> blank_images(std::int64_t examples) {
  Images images;
  images.examples = examples;
  images.rows = 28;
  images.columns = 28;
  images.classes = 10;
  images.pixels.resize(static_cast<std::size_t>(examples * 28 * 28), 100);
  images.labels.resize(static_cast<std::size_t>(examples), 3);
  return make_dataset(std::move(images), {});
}

/// Acts as a driver: executes jobs until the node is finished.
void train(const std::shared_ptr<const Training>& training) {
  SingleWorker node(training);
  Serial serial;
  Effects effects;
  node.handle({}, Started{}, effects);
  for (bool going = true; going;) {
    going = false;
    Effects now = std::move(effects);
    effects.clear();
    for (Effect& effect : now) {
      auto* compute = std::get_if<Compute>(&effect);
      if (compute == nullptr) continue;
      const JobId id = compute->job.id;
      const JobResult result = compute->job.work(serial);
      compute->job = {};
      node.handle({}, Computed{id, result}, effects);
      going = true;
    }
  }
}

TEST_CASE("step memory: activations and scratch are what a workspace allocates") {
  for (const std::string& name : network_names()) {
    CAPTURE(name);
    const auto training = single_training(name);
    const StepMemory memory = step_memory(*training);
    const WorkspacePlan plan(training->network->planned({}), 64);
    CHECK(memory.activations() + memory.scratch == plan.size());
  }
}

TEST_CASE("step memory: lenet by hand") {
  const StepMemory memory = step_memory(*single_training("lenet"));
  CHECK(memory.parameters.value == 4 * 61'706);
  CHECK(memory.gradients.value == 4 * 61'706);
  CHECK(memory.optimizer_state.value == 0);
  const std::int64_t outputs =
      28 * 28 * 6 + 14 * 14 * 6 + 10 * 10 * 16 + 5 * 5 * 16 + 120 + 84 + 10;
  CHECK(memory.outputs.value == 4 * 64 * outputs);
  // Two buffers between convolutions and pools, two for the layers after them.
  CHECK(memory.output_gradients.value == 4 * 64 * (28 * 28 * 6 + 14 * 14 * 6 + 5 * 5 * 16 + 120));
  CHECK(memory.saved.value == 64 * (14 * 14 * 6 + 5 * 5 * 16));  // a byte for each maximum
  CHECK(memory.batch.value == 4 * 64 * (784 + 1));
}

TEST_CASE("step memory: of a large batch what no backward pass reads is kept of a group") {
  const StepMemory memory = step_memory(
      *testing::training_of({.strategy = "single", .workers = 1, .servers = 0, .batch = 512}));
  const std::int64_t kept = 14 * 14 * 6 + 5 * 5 * 16 + 120 + 84 + 10;
  const std::int64_t grouped = 28 * 28 * 6 + 10 * 10 * 16;
  CHECK(memory.outputs.value == 4 * (512 * kept + 64 * grouped));
  CHECK(memory.output_gradients.value ==
        4 * (64 * (28 * 28 * 6 + 14 * 14 * 6) + 512 * (5 * 5 * 16 + 120)));
}

TEST_CASE("step memory: adam has two numbers beside each parameter unless servers hold them") {
  testing::Counted counted{.strategy = "single", .workers = 1, .servers = 0};
  counted.optimizer.name = "adam";
  CHECK(step_memory(*testing::training_of(counted)).optimizer_state.value == 2 * 4 * 61'706);
  counted.strategy = "sync";
  counted.servers = 1;
  CHECK(step_memory(*testing::training_of(counted)).optimizer_state.value == 0);
}

TEST_CASE("step memory: resident memory of a step stays within 1.3 times what is counted") {
  if (kSanitized) {
    WARN("skipped: a sanitizer keeps memory of its own");
    return;
  }
  if (status("VmHWM") == 0) {
    WARN("skipped: /proc/self/status tells no resident memory");
    return;
  }
  testing::Counted counted{
      .network = "lenet_large", .strategy = "single", .workers = 1, .servers = 0, .batch = 64};
  counted.optimizer.name = "momentum";
  const auto training = testing::training_of(counted);
  training->numerics = true;
  training->steps = 3;
  training->data =
      std::make_shared<const DataSplit>(DataSplit{blank_images(256), blank_images(16)});
  training->test_examples = 16;
  const StepMemory memory = step_memory(*training);
  const std::int64_t grown = growth([&] { train(training); });
  const std::int64_t base = 2'000'000;  // pages of code that a first step touches, small heaps
  INFO("grown by " << grown << ", counted " << memory.counted().value);
  CHECK(grown <= memory.counted().value * 13 / 10 + base);
  CHECK(grown >= memory.counted().value * 8 / 10);
}

}  // namespace
}  // namespace foretrain
