// Reuse distances, compared with a list that is searched.
#include "models/cost/reuse_distance.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain {
namespace {

/// A direct, slow implementation of the header's definition.
class WalkedList {
 public:
  explicit WalkedList(Bytes most) : most_(most) {}

  std::optional<ReuseDistances::Between> touch(std::uint32_t piece, Bytes size, Instant now) {
    Bytes since;
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      if (entry->piece == piece) {
        const ReuseDistances::Between between{since, now - entry->at};
        entries_.erase(entry.base() - 1);
        entries_.push_back({piece, size, now});
        return between;
      }
      since += entry->size;
      if (since <= most_) continue;
      entries_.erase(entries_.begin(), entry.base());
      break;
    }
    entries_.push_back({piece, size, now});
    return std::nullopt;
  }

 private:
  struct Entry {
    std::uint32_t piece;
    Bytes size;
    Instant at;
  };
  Bytes most_;
  std::vector<Entry> entries_;
};

TEST_CASE("touch order: between two touches lie the pieces touched since, each once") {
  ReuseDistances order({1000});
  CHECK_FALSE(order.touch(0, {10}, {1}));
  CHECK_FALSE(order.touch(1, {20}, {2}));
  order.touch(1, {30}, {3});
  const auto between = order.touch(0, {10}, {5});
  REQUIRE(between);
  CHECK(between->bytes == Bytes{30});
  CHECK(between->time == Duration{4});
}

TEST_CASE("touch order: what lies further back than the most is as new") {
  ReuseDistances order({100});
  order.touch(0, {10}, {});
  order.touch(1, {100}, {});
  CHECK(order.touch(0, {10}, {}));
  order.touch(2, {91}, {});
  CHECK_FALSE(order.touch(1, {100}, {}));  // 101 bytes since
}

TEST_CASE("touch order: as a list that is walked through says, whatever is touched") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  Stream stream(seed, "touches");
  const std::uint64_t pieces = seed == 1 ? 3 : 700;  // never tidied; far more than are known
  const Bytes most{20'000};
  ReuseDistances order(most);
  WalkedList list(most);
  int known = 0;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t among = stream.below(4) == 0 ? pieces : std::min<std::uint64_t>(pieces, 40);
    const auto piece = static_cast<std::uint32_t>(stream.below(among));
    const Bytes size{static_cast<std::int64_t>(1 + stream.below(1000))};  // may shrink each time
    const auto found = order.touch(piece, size, {i});
    const auto expected = list.touch(piece, size, {i});
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) continue;
    ++known;
    REQUIRE(found->bytes == expected->bytes);
    REQUIRE(found->time == expected->time);
  }
  CHECK(known > 5'000);
  if (pieces > 3) CHECK(known < 20'000 - 1'000);
}

}  // namespace
}  // namespace foretrain
