// The distribution of examples to workers.
#include "models/data/sampler.h"

#include "models/base/check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

using namespace foretrain;

namespace {

/// The next `count` examples of the sampler; `count` is a multiple of the batch size.
std::vector<std::int64_t> deal(Sampler& sampler, std::size_t count) {
  std::vector<std::int64_t> dealt;
  while (dealt.size() < count) {
    const auto batch = sampler.next();
    dealt.insert(dealt.end(), batch.begin(), batch.end());
  }
  return dealt;
}

}  // namespace

TEST_CASE("sampler: shards are disjoint, cover all, differ by at most one", "[sampler]") {
  for (const std::int64_t examples : {7, 20, 21, 22, 23}) {
    for (const int workers : {1, 2, 3, 5, 7}) {
      std::set<std::int64_t> seen;
      std::size_t smallest = 1'000;
      std::size_t largest = 0;
      for (int worker = 0; worker < workers; ++worker) {
        Sampler sampler(examples, worker, workers, 1, 9);
        // One epoch: until an example repeats.
        std::set<std::int64_t> shard;
        while (shard.insert(sampler.next()[0]).second) {
        }
        smallest = std::min(smallest, shard.size());
        largest = std::max(largest, shard.size());
        for (const auto example : shard) CHECK(seen.insert(example).second);
      }
      CAPTURE(examples, workers);
      CHECK(static_cast<std::int64_t>(seen.size()) == examples);
      CHECK(*seen.begin() == 0);
      CHECK(*seen.rbegin() == examples - 1);
      CHECK(largest - smallest <= 1);
    }
  }
}

TEST_CASE("sampler: every epoch deals each example of the shard once", "[sampler]") {
  Sampler sampler(40, 1, 2, 5, 3);
  for (int epoch = 0; epoch < 4; ++epoch) {
    auto dealt = deal(sampler, 20);
    std::sort(dealt.begin(), dealt.end());
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      CHECK(dealt[i] == static_cast<std::int64_t>(1 + 2 * i));
    }
  }
}

TEST_CASE("sampler: a batch that crosses the end of an epoch is full", "[sampler]") {
  Sampler sampler(7, 0, 1, 3, 3);
  std::map<std::int64_t, int> times;
  for (int batch = 0; batch < 7; ++batch) {  // 21 examples: three epochs
    const auto examples = sampler.next();
    REQUIRE(examples.size() == 3);
    for (const auto example : examples) ++times[example];
  }
  REQUIRE(times.size() == 7);
  for (const auto& [example, dealt] : times) CHECK(dealt == 3);
}

TEST_CASE("sampler: a batch larger than the shard takes several epochs", "[sampler]") {
  Sampler sampler(3, 0, 1, 6, 3);
  const auto batch = sampler.next();
  REQUIRE(batch.size() == 6);
  for (std::int64_t example = 0; example < 3; ++example) {
    CHECK(std::count(batch.begin(), batch.end(), example) == 2);
  }
}

TEST_CASE("sampler: an epoch is dealt in another order than the one before", "[sampler]") {
  Sampler sampler(100, 0, 1, 10, 3);
  const auto first = deal(sampler, 100);
  const auto second = deal(sampler, 100);
  CHECK(first != second);
  CHECK_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST_CASE("sampler: the order is a function of the seed", "[sampler]") {
  Sampler one(100, 0, 1, 10, 3);
  Sampler same(100, 0, 1, 10, 3);
  Sampler other(100, 0, 1, 10, 4);
  const auto order = deal(one, 200);
  CHECK(order == deal(same, 200));
  CHECK(order != deal(other, 200));
}

TEST_CASE("sampler: the batch size does not change the order", "[sampler]") {
  Sampler small(30, 0, 1, 2, 3);
  Sampler large(30, 0, 1, 20, 3);
  CHECK(deal(small, 60) == deal(large, 60));
}

TEST_CASE("sampler: workers shuffle by streams of their own", "[sampler]") {
  Sampler first(200, 0, 2, 10, 3);
  Sampler second(200, 1, 2, 10, 3);
  const auto of_first = deal(first, 100);
  auto of_second = deal(second, 100);
  for (auto& example : of_second) --example;  // worker 1 holds the odd examples
  CHECK(of_first != of_second);
}

TEST_CASE("sampler: what is skipped is as if it had been dealt", "[sampler]") {
  for (std::int64_t skipped = 0; skipped < 40; ++skipped) {
    CAPTURE(skipped);
    Sampler dealt(30, 0, 1, 7, 3);
    for (std::int64_t i = 0; i < 2 + skipped; ++i) dealt.next();
    Sampler skips(30, 0, 1, 7, 3);
    skips.next();
    skips.skip(1 + skipped);
    CHECK(deal(skips, 70) == deal(dealt, 70));
  }
}

TEST_CASE("sampler: a worker without an example is a bug", "[sampler]") {
  CHECK_THROWS_AS(Sampler(2, 2, 3, 1, 1), InvariantViolation);
  CHECK_THROWS_AS(Sampler(2, 0, 1, 0, 1), InvariantViolation);
  CHECK_THROWS_AS(Sampler(2, 0, 1, -1, 1), InvariantViolation);
  CHECK_THROWS_AS(Sampler(2, 1, 1, 1, 1), InvariantViolation);
}
