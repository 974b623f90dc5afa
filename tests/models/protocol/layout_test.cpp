// Parameters are cut into buckets, which are dealt to shards.
#include "models/protocol/layout.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

TEST_CASE("layout: a model smaller than a bucket is one bucket") {
  const Layout layout = make_layout(7'850, {1'000'000}, 1);
  REQUIRE(layout.buckets.size() == 1);
  CHECK(layout.buckets[0].count == 7'850);
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

}  // namespace
}  // namespace foretrain
