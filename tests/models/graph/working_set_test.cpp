// The memory that jobs of a node touch.
#include "models/graph/working_set.h"

#include "models/graph/node_memory.h"
#include "models/graph/step_memory.h"
#include "tests/models/graph/counted_trainings.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace foretrain {
namespace {

using namespace literals;
using testing::training_of;

/// A negligible private cache and a shared cache of this size.
MemoryHierarchy memory_with(Bytes shared) { return {{64}, shared, 0, 1e-9, 1e-9, 1e-9, {}, {}}; }

/// The span of a gradient that takes no time.
constexpr WorkingSet::Span kNow{};

Job job_of(JobKind kind, std::uint32_t bucket = 0) {
  Job job;
  job.kind = kind;
  job.bucket = bucket;
  return job;
}

Message push_of(Bytes size, std::uint32_t bucket = 0) {
  Message message;
  message.kind = MessageKind::push;
  message.bucket = bucket;
  message.payload = Payload::sized(size);
  return message;
}

TEST_CASE("working set: a gradient touches batch, activations, parameters, gradients") {
  const auto training = training_of({.network = "lenet", .strategy = "single", .servers = 0});
  const StepMemory memory = step_memory(*training);
  const WorkingSet touched(training, training->worker(0));
  CHECK(touched.of_gradient() == memory.batch + memory.activations() + memory.scratch +
                                     Bytes{2 * 4 * training->network->parameters()});
}

TEST_CASE("working set: scratch is that of the machine's kernels, not of those of this program") {
  const auto [kernels, floats] =
      GENERATE(table<const char*, std::int64_t>({{"avx512", 128 * (10 + 2 * 16)},
                                                 {"avx2", 128 * (10 + 2 * 8)},
                                                 {"sse2", 10 * (256 + 2 * 4)},
                                                 {"nobody's", 128 * (10 + 2 * 8)}}));
  CAPTURE(kernels);
  const auto training = training_of({.network = "softmax", .strategy = "single", .servers = 0});
  const int simd = register_floats(kernels);
  CHECK(step_memory(*training, simd).scratch.value == 4 * floats);
  const WorkingSet own(training, training->worker(0));
  const WorkingSet other(training, training->worker(0), simd);
  CHECK(other.of_gradient() - own.of_gradient() ==
        Bytes{4 * floats} - step_memory(*training).scratch);
  const NodeMemory resident = node_memory(*training, {}, training->worker(0), simd);
  CHECK(resident.step - node_memory(*training, {}, training->worker(0)).step ==
        Bytes{4 * floats} - step_memory(*training).scratch);
}

TEST_CASE("working set: examples of a large data set come from memory") {
  const auto small = training_of({.network = "softmax", .strategy = "single", .servers = 0});
  auto large = std::make_shared<Training>(*small);
  large->workers = 1;  // it has all examples
  large->train_examples = 1'000'000;
  const Bytes shared{100'000'000};
  const auto missing = [&](const std::shared_ptr<const Training>& training) {
    Caches caches(memory_with(shared), 1);
    WorkingSet touched(training, training->worker(0));
    touched.gradient(caches, 0, kNow);
    return touched.gradient(caches, 0, kNow).memory;
  };
  const double batch = 784.0 * small->batch_size;
  CHECK(missing(large) - missing(small) == Approx(batch).epsilon(0.001));
  auto shares = std::make_shared<Training>(*large);
  shares->train_examples = 100'000'000 / 784;  // as large as the cache
  CHECK(missing(shares) - missing(small) == Approx(0.567 * batch).epsilon(0.01));
}

TEST_CASE("working set: what is touched first is fresh once") {
  const auto training = training_of({.network = "lenet", .strategy = "single", .servers = 0});
  Caches caches(memory_with({1'000'000'000}), 1);
  WorkingSet touched(training, training->worker(0));
  const CacheMisses first = touched.gradient(caches, 0, kNow);
  CHECK(first.fresh == static_cast<double>(touched.of_gradient().value));
  CHECK(touched.gradient(caches, 0, kNow).fresh == 0);
}

TEST_CASE("working set: an update finds what the backward pass left in the cache") {
  const auto training = training_of({.network = "lenet_large", .strategy = "single", .servers = 0});
  const Bytes parameters{4 * training->network->parameters()};
  // Parameters and gradients fit; everything that a gradient touches does not.
  Caches caches(memory_with(parameters * 3), 1);
  WorkingSet touched(training, training->worker(0));
  CacheMisses gradient;
  CacheMisses update;
  for (int step = 0; step < 4; ++step) {
    gradient = touched.gradient(caches, 0, kNow);
    update = touched.job(caches, 0, job_of(JobKind::apply));
  }
  const auto bytes = static_cast<double>(parameters.value);
  CHECK(update.memory < 0.6 * 2 * bytes);  // one after the other, through a cache of three
  CHECK(gradient.memory > 0.5 * 2 * bytes);
}

TEST_CASE("working set: an update touches the pushes that came for its bucket, once") {
  const auto training = training_of({.network = "lenet", .strategy = "sync", .workers = 2});
  const NodeId server = training->server(0);
  REQUIRE(training->layout->buckets.size() > 1);
  const Bytes size = training->layout->buckets[0].size();
  Caches caches(memory_with({0}), 1);  // holds nothing: every touched byte comes from memory
  WorkingSet touched(training, server);
  const auto bytes = static_cast<double>(size.value);
  for (int round = 0; round < 2; ++round) {
    for (int worker = 0; worker < 2; ++worker) {
      touched.message(caches, 0, training->worker(worker), push_of(size), true);
    }
    touched.job(caches, 0, job_of(JobKind::apply, 1));  // of another bucket
    const CacheMisses misses = touched.job(caches, 0, job_of(JobKind::apply, 0));
    CHECK(misses.memory + misses.fresh == Approx(3 * bytes).epsilon(0.01));
  }
  const CacheMisses nothing_came = touched.job(caches, 0, job_of(JobKind::apply, 0));
  CHECK(nothing_came.memory == Approx(bytes).epsilon(0.01));
}

TEST_CASE("working set: values that a message brings wait for no job") {
  const auto training = training_of({.network = "lenet", .strategy = "all_reduce", .servers = 0});
  const Bytes size = training->layout->buckets[0].size();
  Caches caches(memory_with({0}), 1);
  WorkingSet touched(training, training->worker(1));
  touched.gradient(caches, 0, kNow);
  const auto bytes = static_cast<double>(size.value);
  touched.message(caches, 0, training->worker(0), push_of(size), false);
  CHECK(touched.job(caches, 0, job_of(JobKind::reduce)).memory == Approx(bytes).epsilon(0.01));
  touched.message(caches, 0, training->worker(0), push_of(size), true);
  CHECK(touched.job(caches, 0, job_of(JobKind::reduce)).memory == Approx(2 * bytes).epsilon(0.01));
}

TEST_CASE("working set: what is sent goes to pages of the kernel, to each peer its own") {
  const auto training = testing::training_of({.workers = 2});
  Caches caches({{1'000'000}, {10'000'000}, 1e-11, 1e-10, 1e-10, 1e-9, {}, {}}, 1);
  WorkingSet touched(training, NodeId{2});
  const Message message = push_of({100'000});
  CHECK(touched.sent(caches, 0, NodeId{0}, message).fresh == 100'000);
  CHECK(touched.sent(caches, 0, NodeId{1}, message).fresh == 100'000);
  CHECK(touched.sent(caches, 0, NodeId{16'384}, message).fresh == 100'000);
  const CacheMisses again = touched.sent(caches, 0, NodeId{0}, message);
  CHECK(again.fresh == 0);
  CHECK(again.memory < 2'100);  // 200 kB of other messages in between, in a cache of 10 MB
  // The buffers of outgoing messages are separate from them.
  CHECK(touched.message(caches, 0, NodeId{0}, message, false).fresh == 100'000);
  CHECK(touched.sent(caches, 0, NodeId{0}, push_of({1'000})).fresh == 0);  // small: in the cache
}

TEST_CASE("working set: the state of an optimizer lies beside the parameters") {
  testing::Counted counted{.network = "lenet", .strategy = "single", .servers = 0};
  const auto moved = [&](const char* name) {
    counted.optimizer.name = name;
    const auto training = training_of(counted);
    Caches caches(memory_with({0}), 1);
    WorkingSet touched(training, training->worker(0));
    CacheMisses misses;
    for (int step = 0; step < 2; ++step) {
      touched.gradient(caches, 0, kNow);
      misses = touched.job(caches, 0, job_of(JobKind::apply));
    }
    return misses.memory;
  };
  CHECK(moved("adam") == Approx(2 * moved("sgd")).epsilon(0.01));
}

TEST_CASE("working set: sparse work touches a line for each parameter") {
  const auto training =
      training_of({.network = "sparse_logistic", .strategy = "sync", .workers = 2, .batch = 48});
  Caches caches(memory_with({0}), 1);
  WorkingSet touched(training, training->server(0));
  touched.message(caches, 0, training->worker(0), push_of({12'000}), true);
  const CacheMisses misses = touched.job(caches, 0, job_of(JobKind::apply));
  CHECK(misses.memory + misses.fresh == Approx(12'000 + 64 * 1000).epsilon(0.01));
}

TEST_CASE("working set: nothing is waited for where nothing is known of the caches") {
  const auto training = training_of({.network = "lenet", .strategy = "single", .servers = 0});
  CHECK(misses_alone({}, training, 1_ms).gradient_s == 0);
  CHECK(misses_alone(memory_with({1'000'000}), training, 1_ms).gradient_s > 0);
}

}  // namespace
}  // namespace foretrain
