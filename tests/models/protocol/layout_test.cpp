// The partition of parameters into buckets, of buckets over shards.
#include "models/protocol/layout.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("layout: a model smaller than a bucket is one bucket") {
  const Layout layout = make_layout(7'850, {1'000'000}, 1);
  REQUIRE(layout.buckets.size() == 1);
  CHECK(layout.buckets[0].count == 7'850);
}

TEST_CASE("layout: products with very many parameters do not overflow") {
  constexpr std::int64_t kParameters = 2'000'000'000'000'000'000;
  const Bytes part{kParameters};  // four parts by size
  for (const Layout& layout :
       {make_layout(kParameters, part, 5), make_round_robin_layout(kParameters, part, 5),
        make_ddp_layout({kParameters}, part, part, 5)}) {
    std::int64_t next = 0;
    for (const Bucket& bucket : layout.buckets) {
      CHECK(bucket.first == next);
      CHECK(bucket.count == kParameters / 5);
      next += bucket.count;
    }
    CHECK(next == kParameters);
  }
}

TEST_CASE("layout: buckets are contiguous, cover everything, and keep to their size") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 31));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const auto parameters = static_cast<std::int64_t>(1 + stream.below(5'000'000));
  const int shards = static_cast<int>(1 + stream.below(std::min<std::uint64_t>(parameters, 9)));
  const Bytes bucket_size{static_cast<std::int64_t>(4 + stream.below(2'000'000))};
  CAPTURE(parameters, shards, bucket_size.value);
  const Layout layout = make_layout(parameters, bucket_size, shards);
  std::int64_t next = 0;
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(shards), 0);
  for (const Bucket& bucket : layout.buckets) {
    CHECK(bucket.first == next);
    CHECK(bucket.count > 0);
    CHECK(bucket.size() <= bucket_size);
    bytes[static_cast<std::size_t>(bucket.shard)] += bucket.size().value;
    next += bucket.count;
  }
  CHECK(next == parameters);
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  CHECK(*least > 0);
  CHECK(*most - *least <= 4);
}

/// The tensors of a ResNet for ImageNet (He, Zhang, Ren, Sun 2015) in the order of their
/// definition: convolutions without bias, two tensors per normalisation, the classifier. `blocks`
/// per stage; `bottleneck`: blocks of three convolutions with four times the channels.
std::vector<std::int64_t> resnet_tensors(const std::vector<int>& blocks, bool bottleneck) {
  std::vector<std::int64_t> tensors;
  const auto convolution = [&](std::int64_t in, std::int64_t out, std::int64_t side) {
    tensors.push_back(in * out * side * side);
    tensors.insert(tensors.end(), 2, out);
  };
  convolution(3, 64, 7);
  std::int64_t in = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    const std::int64_t out = bottleneck ? 4 * width : width;
    for (int block = 0; block < blocks[stage]; ++block) {
      if (bottleneck) {
        convolution(in, width, 1);
        convolution(width, width, 3);
        convolution(width, out, 1);
      } else {
        convolution(in, width, 3);
        convolution(width, out, 3);
      }
      if (in != out) convolution(in, out, 1);
      in = out;
    }
  }
  tensors.insert(tensors.end(), {in * 1'000, 1'000});
  return tensors;
}

TEST_CASE("layout: DDP's buckets of ResNets are those that PyTorch reported") {
  constexpr Bytes kCap{25 << 20};
  const auto resnet50 = resnet_tensors({3, 4, 6, 3}, true);
  CHECK(std::accumulate(resnet50.begin(), resnet50.end(), std::int64_t{0}) == 25'557'032);
  CHECK(ddp_buckets(resnet50, kCap) ==
        std::vector<std::int64_t>{2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040});
  // PyTorch's issue 48880: 2052000, 28852224, 15853824 bytes.
  CHECK(ddp_buckets(resnet_tensors({2, 2, 2, 2}, false), kCap) ==
        std::vector<std::int64_t>{513'000, 7'213'056, 3'963'456});
}

TEST_CASE("layout: DDP's buckets close when they have reached their size") {
  CHECK(ddp_buckets({10, 10, 10}, {1'000}) == std::vector<std::int64_t>{30});
  CHECK(ddp_buckets({10, 10, 10}, {40}) == std::vector<std::int64_t>{10, 10, 10});
  CHECK(ddp_buckets({10, 10, 10}, {44}) == std::vector<std::int64_t>{20, 10});
  // The first bucket has 1 MiB for any cap.
  CHECK(ddp_buckets({1'000'000, 1'000'000, 262'144}, {8'000'000}) ==
        std::vector<std::int64_t>{262'144, 2'000'000});
}

TEST_CASE("layout: pieces of DDP's buckets cover everything and leave with their bucket") {
  const std::vector<std::int64_t> tensors{700'000, 10, 600'000, 3, 300'000};
  const Layout layout = make_ddp_layout(tensors, {2'000'000}, {100'000}, 3);
  CHECK(layout.parameters == 1'600'013);
  const std::vector<std::int64_t> counts = ddp_buckets(tensors, {2'000'000});
  std::int64_t next = 0;
  std::int64_t begin = 0;
  std::size_t group = counts.size();
  std::vector<std::int64_t> of_owner(3, 0);
  for (const Bucket& bucket : layout.buckets) {
    if (group == counts.size() || next == begin + counts[group]) {
      --group;
      begin = next;
    }
    CHECK(bucket.first == next);
    CHECK(bucket.size() <= Bytes{100'000});
    CHECK(bucket.leaves_with() == begin);
    of_owner.at(static_cast<std::size_t>(bucket.shard)) += bucket.count;
    next += bucket.count;
  }
  CHECK(next == layout.parameters);
  CHECK(group == 0);
  const auto [least, most] = std::minmax_element(of_owner.begin(), of_owner.end());
  CHECK(*most - *least <= static_cast<std::int64_t>(layout.buckets.size()));
}

std::vector<int> owners_of(const Layout& layout, bool tree) {
  std::vector<int> owners;
  for (const Bucket& bucket : layout.buckets) {
    if (bucket.tree == tree) owners.push_back(bucket.shard);
  }
  return owners;
}

TEST_CASE("layout: over trees the first group and the last one own the buckets in turn") {
  const Layout trees = make_round_robin_layout(1'000, {800}, 8, {{4'000}, 8, 2});
  CHECK(owners_of(trees, true) == std::vector<int>{0, 1, 6, 7, 0, 1, 6, 7});
  CHECK(trees.trees);
  CHECK_FALSE(trees.rings);
  // It exceeds the limit for trees.
  const Layout rings = make_round_robin_layout(1'000, {800}, 8, {{3'999}, 8, 2});
  CHECK(owners_of(rings, false) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(rings.rings);
  CHECK_FALSE(rings.trees);
}

TEST_CASE("layout: each of DDP's buckets goes over trees or round rings by its own size") {
  const Layout layout = make_ddp_layout({50'000, 1'000}, {4'000}, {100'000}, 8, {{4'000}, 8, 2});
  CHECK(owners_of(layout, false) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(owners_of(layout, true) == std::vector<int>{0, 1, 6, 7});
  CHECK(layout.rings);
  CHECK(layout.trees);
}

}  // namespace
}  // namespace foretrain
