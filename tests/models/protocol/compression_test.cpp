// Compressed gradients: messages, residuals, learning.
#include "models/payload/compression.h"

#include "models/base/random.h"
#include "models/cost/work.h"
#include "models/payload/sparse_push.h"
#include "models/protocol/shard.h"
#include "models/tensor/half.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace foretrain {
namespace {
using testing::run_shuffled;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

Compression compression_of(const std::string& kind, double share = 0.01) {
  Compression compression;
  compression.kind = kind;
  compression.share = share;
  return compression;
}

Payload gradient_of(const std::vector<float>& values) {
  Payload payload = Payload::allocate({4 * std::ssize(values)});
  std::ranges::copy(values, payload.writable_floats().begin());
  return payload;
}

std::vector<float> drawn_gradient(Stream& stream, std::size_t count) {
  std::vector<float> gradient(count);
  // Rounded, so that many numbers are equal.
  for (float& g : gradient) g = std::round(static_cast<float>(stream.normal()) * 8) / 8;
  return gradient;
}

// The indices of the `count` largest numbers, by sorting all.
std::vector<std::uint32_t> twin_places(const std::vector<float>& values, std::size_t count) {
  std::vector<std::uint32_t> places(values.size());
  std::iota(places.begin(), places.end(), 0U);
  std::ranges::stable_sort(places, [&](std::uint32_t a, std::uint32_t b) {
    return std::abs(values[a]) > std::abs(values[b]);
  });
  places.resize(count);
  std::ranges::sort(places);
  return places;
}

std::shared_ptr<Training> compressed_training(const std::string& strategy, int workers, int servers,
                                              std::int64_t steps, const Compression& compression) {
  auto training = small_training(strategy, workers, servers, steps, {4'000});
  training->compression = compression;
  set_option(training->options, "staleness", std::int64_t{0});
  return training;
}

TEST_CASE("compression: the largest numbers are sent, and with the rest they are all there was") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U);
  const double share = GENERATE(0.001, 0.01, 0.25);
  CAPTURE(seed, share);
  Stream stream(seed, "test.topk");
  const std::size_t count = 1 + stream.below(3000);
  const Compression topk = compression_of("topk", share);
  const auto sent = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(count)));
  std::vector<float> rest(count);
  for (int step = 0; step < 10; ++step) {
    const std::vector<float> gradient = drawn_gradient(stream, count);
    std::vector<float> all = rest;
    for (std::size_t i = 0; i < count; ++i) all[i] += gradient[i];
    const Payload push = compress(topk, gradient_of(gradient), rest);
    REQUIRE(push.size() == Bytes{8 + 8 * sent});
    REQUIRE(push.size() == compressed_size(topk, std::ssize(gradient)));
    const auto parts = decode(push, std::ssize(gradient));
    REQUIRE(parts.has_value());
    REQUIRE(std::ranges::equal(parts->touched, twin_places(all, static_cast<std::size_t>(sent))));
    const auto arrived = expand(topk, push, std::ssize(gradient));
    REQUIRE(arrived.has_value());
    for (std::size_t i = 0; i < count; ++i) {
      // One of the two is zero.
      REQUIRE(arrived->floats()[i] + rest[i] == all[i]);
      REQUIRE((arrived->floats()[i] == 0 || rest[i] == 0));
    }
  }
}

TEST_CASE("compression: no number is the largest, and does no harm to the others") {
  std::vector<float> rest(4);
  const Payload push =
      compress(compression_of("topk", 0.25), gradient_of({1, std::nanf(""), INFINITY, -2}), rest);
  CHECK(parts_of(push).touched.front() == 1);
  CHECK(rest == std::vector<float>{1, 0, INFINITY, -2});
}

TEST_CASE("compression: halves arrive as the nearest ones, of any number of them") {
  const std::size_t count = GENERATE(1U, 2U, 7U, 1000U);
  CAPTURE(count);
  Stream stream(1, "test.fp16");
  std::vector<float> gradient(count);
  for (float& g : gradient) g = static_cast<float>(stream.normal());
  const Compression fp16 = compression_of("fp16");
  const Payload push = compress(fp16, gradient_of(gradient), {});
  CHECK(push.size() == Bytes{2 * static_cast<std::int64_t>(count)});
  const auto arrived = expand(fp16, push, std::ssize(gradient));
  REQUIRE(arrived.has_value());
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(arrived->floats()[i] == from_half(to_half(gradient[i])));
  }
}

TEST_CASE("compression: a push of another size, or with places that are none, is refused") {
  const Compression topk = compression_of("topk", 0.25);
  const std::vector<std::uint32_t> good{1, 4};
  const std::vector<std::uint32_t> falling{4, 1};
  const std::vector<std::uint32_t> beyond{1, 8};
  const std::vector<float> numbers{1, 2};
  CHECK(expand(topk, encode({good, numbers, true, {}}), 8).has_value());
  CHECK_FALSE(expand(topk, encode({falling, numbers, true, {}}), 8).has_value());
  CHECK_FALSE(expand(topk, encode({beyond, numbers, true, {}}), 8).has_value());
  CHECK_FALSE(expand(topk, encode({good, numbers, true, {}}), 20).has_value());
  // A message of the same size with other lists.
  const std::vector<std::uint32_t> one{1};
  const std::vector<float> number{1};
  CHECK_FALSE(expand(topk, encode({one, number, false, good}), 8).has_value());
  CHECK_FALSE(expand(compression_of("fp16"), Payload::allocate({17}), 8).has_value());
}

TEST_CASE("compression: sizes alone are those of the numbers") {
  Compression ratio = compression_of("ratio");
  ratio.ratio = 8;
  CHECK(compressed_size(ratio, 1000) == Bytes{500});
  CHECK(compress(ratio, Payload::sized({4000}), {}).size() == Bytes{500});
  CHECK(expand(ratio, Payload::sized({500}), 1000)->size() == Bytes{4000});
  CHECK_FALSE(expand(ratio, Payload::sized({501}), 1000).has_value());
  ratio.ratio = 1e6;
  CHECK(compressed_size(ratio, 10) == Bytes{1});
  CHECK(compress(compression_of("topk"), Payload::sized({4000}), {}).size() == Bytes{8 + 80});
  CHECK(compressed_size(compression_of("none"), 10) == Bytes{40});
}

TEST_CASE("compression: what it takes is counted, or as the scenario gives it") {
  Compression topk = compression_of("topk");
  CHECK(compress_cost(topk, 1000) == compress_cost(1000, {88}, true));
  CHECK(compress_cost(topk, 1000).bytes() == Bytes{3 * 4000 + 88});
  CHECK(expand_cost(topk, 1000) == expand_cost(1000, {88}));
  topk.encode_s = 2e-9;
  CHECK(compress_cost(topk, 1000).measured == Duration{8000});
  CHECK(expand_cost(topk, 1000) == compress_cost(topk, 1000));
  CHECK(compress_cost(compression_of("ratio"), 1000) == Cost{});
}

TEST_CASE("compression: a training ends with the same bits, whatever the order of messages") {
  const std::string strategy = GENERATE("sync", "ssp");
  const std::string kind = GENERATE("fp16", "topk");
  const int servers = GENERATE(1, 2);
  CAPTURE(strategy, kind, servers);
  const auto training = compressed_training(strategy, 3, servers, 12, compression_of(kind, 0.05));
  const auto plain = compressed_training(strategy, 3, servers, 12, {});
  const Shuffled first = run_shuffled(training, 1);
  for (std::uint64_t seed = 2; seed < 5; ++seed) {
    CHECK(run_shuffled(training, seed).weights == first.weights);
  }
  CHECK(run_shuffled(plain, 1).weights != first.weights);
}

TEST_CASE("compression: bytes on the wire are as the sizes say") {
  const std::string kind = GENERATE("fp16", "topk");
  CAPTURE(kind);
  const auto training = compressed_training("sync", 2, 2, 6, compression_of(kind));
  std::int64_t step = 0;
  for (const Bucket& bucket : training->layout->buckets) {
    step += 2 * kHeaderSize.value + bucket.size().value;
    step += compressed_size(training->compression, bucket.count).value;
  }
  Shuffled run(training, 1);
  run.run();
  CHECK(run.faults.empty());
  CHECK(run.bytes_sent == 6 * 2 * step);
}

TEST_CASE("compression: who goes on from a cut has what its pushes had left out") {
  const std::string strategy = GENERATE("sync", "ssp");
  const std::string kind = GENERATE("fp16", "topk");
  CAPTURE(strategy, kind);
  const auto training = compressed_training(strategy, 3, 2, 11, compression_of(kind, 0.02));
  const Shuffled expected = run_shuffled(training, 1);
  training->checkpoint.steps = 3;
  const Shuffled kept = run_shuffled(training, 2);
  CHECK(kept.weights == expected.weights);
  CHECK(kept.kept.moved == 0);
  REQUIRE(kept.kept.cuts.size() == 3);
  for (const auto& [cut, states] : kept.kept.cuts) {
    CAPTURE(cut);
    CHECK(run_shuffled(training, 3, &states).weights == expected.weights);
    if (kind != "topk") continue;
    // Without the residual it is another training.
    testing::KeptCut forgetful = states;
    std::string& state = forgetful.states.at(0);
    const std::int64_t parameters = training->layout->parameters;
    std::memset(state.data() + state.size() - 4 * parameters, 0, 4 * parameters);
    CHECK(run_shuffled(training, 3, &forgetful).weights != expected.weights);
  }
}

TEST_CASE("compression: a state of another training is refused") {
  auto training = compressed_training("sync", 2, 1, 6, compression_of("topk"));
  training->checkpoint.steps = 2;
  const Shuffled kept = run_shuffled(training, 1);
  const testing::KeptCut& cut = kept.kept.cuts.begin()->second;
  const auto other = compressed_training("sync", 2, 1, 6, compression_of("fp16"));
  StateReader state(cut.states.at(0));
  CHECK_THROWS_AS(make_node(other, NodeId(0))->restore(state), StateError);
}

TEST_CASE("compression: strategies whose order of updates is free end, with all gradients") {
  const std::string strategy = GENERATE("async", "ssp", "sync");
  const std::string kind = GENERATE("fp16", "topk");
  CAPTURE(strategy, kind);
  const auto training = compressed_training(strategy, 4, 2, 10, compression_of(kind));
  set_option(training->options, "staleness", std::int64_t{2});
  if (strategy == "sync") {
    set_option(training->options, "backup_workers", std::int64_t{1});
    training->updates = 10;
  }
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const Shuffled run = run_shuffled(training, seed);
    CHECK(run.gradients == (strategy == "sync" ? 30 : 40));
  }
}

TEST_CASE("compression: topk learns what it sends late") {
  // A push has a hundredth of the numbers: without residuals most weights would never change.
  const auto training = compressed_training("sync", 2, 1, 150, compression_of("topk"));
  const auto plain = compressed_training("sync", 2, 1, 150, {});
  const Shuffled compressed = run_shuffled(training, 1);
  const Shuffled whole = run_shuffled(plain, 1);
  CHECK(compressed.evals.back().accuracy >= whole.evals.back().accuracy - 0.06);
}

}  // namespace
}  // namespace foretrain
