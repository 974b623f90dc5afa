// Hashed feature names: the published function, a uniform distribution.
#include "models/data/feature_hash.h"

#include "models/data/data_error.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace foretrain {
namespace {

std::uint32_t hashed(std::string_view text, int bits = 32) {
  FeatureHash hash;
  hash.add(text);
  return hash.below(bits);
}

// MurmurHash3's finaliser applied to known FNV-1a states: 0xaf63dc4c8601ec8c for "a".
std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

TEST_CASE("feature hash: it is FNV-1a, mixed once more") {
  CHECK(hashed("") == static_cast<std::uint32_t>(mixed(0xcbf29ce484222325u)));
  CHECK(hashed("a") == static_cast<std::uint32_t>(mixed(0xaf63dc4c8601ec8cu)));
  CHECK(hashed("foobar") == static_cast<std::uint32_t>(mixed(0x85944171f73967e8u)));
}

TEST_CASE("feature hash: pieces are as good as the whole, a number is its eight bytes") {
  FeatureHash pieces;
  pieces.add("foo");
  pieces.add("bar");
  CHECK(pieces.below(32) == hashed("foobar"));
  FeatureHash number;
  number.add(std::uint64_t{'a'});
  CHECK(number.below(32) == hashed(std::string_view("a\0\0\0\0\0\0\0", 8)));
}

TEST_CASE("feature hash: short names fill a small table evenly") {
  std::vector<int> table(64);
  for (int i = 0; i < 64'000; ++i) ++table.at(hashed(std::to_string(i), 6));
  const auto [least, most] = std::ranges::minmax(table);
  CHECK(least > 850);  // mean 1,000, standard deviation 31
  CHECK(most < 1'150);
}

TEST_CASE("feature hash: a table of no size, or of no machine's, is refused") {
  CHECK_NOTHROW(check_hash_bits(1));
  CHECK_NOTHROW(check_hash_bits(kHashBitsMax));
  CHECK_THROWS_AS(check_hash_bits(0), DataError);
  CHECK_THROWS_AS(check_hash_bits(kHashBitsMax + 1), DataError);
}

}  // namespace
}  // namespace foretrain
