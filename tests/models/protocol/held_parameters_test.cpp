// A worker's copy of the parameters, renewed bucket by bucket.
#include "models/protocol/held_parameters.h"

#include "models/cost/work.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain {
namespace {

Payload numbers(const std::vector<float>& values) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(4 * values.size())});
  std::ranges::copy(values, payload.writable_floats().begin());
  return payload;
}

std::vector<float> seen(const Payload& payload) {
  return {payload.floats().begin(), payload.floats().end()};
}

constexpr Bucket kFirst{.first = 0, .count = 2};
constexpr Bucket kSecond{.first = 2, .count = 3};

TEST_CASE("held parameters: a bucket comes to its place and leaves the others") {
  HeldParameters held(numbers({1, 2, 3, 4, 5}));
  Effects effects;
  held.put(kSecond, numbers({7, 8, 9}), effects);
  CHECK(seen(held.all()) == std::vector<float>{1, 2, 7, 8, 9});
  CHECK(seen(held.part(kFirst)) == std::vector<float>{1, 2});
  held.put(kFirst, numbers({5, 6}), effects);
  CHECK(seen(held.all()) == std::vector<float>{5, 6, 7, 8, 9});
  REQUIRE(effects.size() == 2);
  CHECK(std::get<SpentCost>(effects[0]).cost == copy_cost(3));
  CHECK(std::get<SpentCost>(effects[1]).cost == copy_cost(2));
}

TEST_CASE("held parameters: what is changed in place is what is sent and read") {
  HeldParameters held(numbers({1, 2, 3, 4, 5}));
  held.place(kSecond)[1] = 40;
  CHECK(seen(held.part(kSecond)) == std::vector<float>{3, 40, 5});
}

TEST_CASE("held parameters: one bucket of all is taken as it is, not copied") {
  HeldParameters held(numbers({1, 2}));
  const Payload whole = numbers({3, 4});
  Effects effects;
  held.put({.first = 0, .count = 2}, whole, effects);
  CHECK(effects.empty());
  CHECK(held.all().floats().data() == whole.floats().data());
  CHECK(held.place({.first = 0, .count = 2}).empty());  // the memory is shared
}

TEST_CASE("held parameters: without numerics there are sizes alone") {
  HeldParameters held(Payload::sized({20}));
  Effects effects;
  held.put(kFirst, Payload::sized({8}), effects);
  CHECK(std::get<SpentCost>(effects.at(0)).cost == copy_cost(2));
  CHECK(held.place(kFirst).empty());
  CHECK(held.part(kSecond).size() == Bytes{12});
}

}  // namespace
}  // namespace foretrain
