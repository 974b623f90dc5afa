// Cache contents, compared with a set-associative cache line by line.
#include "models/cost/caches.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace foretrain {
namespace {

constexpr Bytes kOwn{1000};
constexpr Bytes kShared{10'000};

MemoryHierarchy memory() { return {kOwn, kShared, 1e-9, 1e-8, 2e-8, 1e-7, {}, {}}; }

/// The lost share of a piece after traffic of this many cache sizes.
double gone(double caches) {
  const double came = 4 * caches;
  return 1 - std::exp(-came) * (1 + came + came * came / 2 + came * came * came / 6);
}

TEST_CASE("caches: what is touched for the first time is fresh and then there") {
  Caches caches(memory(), 2);
  const CacheMisses first = caches.touch(0, {0, 1, {10}});
  CHECK(first.fresh == 10);
  CHECK(caches.time_of(first) == Duration{1000});
  const CacheMisses again = caches.touch(0, {0, 1, {10}});
  CHECK(again.fresh == 0);
  CHECK(again.shared < 0.1);
  CHECK(again.memory < 0.1);
}

TEST_CASE("caches: of a piece that grows the new bytes are fresh") {
  Caches caches(memory(), 1);
  caches.touch(0, {0, 1, {10}});
  CHECK(caches.touch(0, {0, 1, {40}}).fresh == 30);
  CHECK(caches.touch(0, {0, 1, {20}}).fresh == 0);
  CHECK(caches.touch(0, {0, 1, {40}}).fresh == 0);
}

TEST_CASE("caches: what others touched since on the core pushes bytes out to the shared cache") {
  Caches caches(memory(), 2);
  caches.touch(0, {0, 1, {10}});
  caches.touch(0, {1, 1, {1000}});  // as much as the cache holds
  const CacheMisses misses = caches.touch(0, {0, 1, {10}});
  CHECK(misses.shared + misses.memory == Approx(10 * gone(1.01)));
  CHECK(misses.memory == Approx(10 * gone(0.101)));
  // Traffic on another core does not affect the private cache.
  caches.touch(1, {1, 1, {1000}});
  CHECK(caches.touch(0, {0, 1, {10}}).shared < 0.1);
}

TEST_CASE("caches: what is touched again and again between counts once") {
  Caches caches(memory(), 1);
  caches.touch(0, {0, 1, {10}});
  for (int i = 0; i < 100; ++i) caches.touch(0, {1, 1, {100}});
  const CacheMisses misses = caches.touch(0, {0, 1, {10}});
  CHECK(misses.shared + misses.memory == Approx(10 * gone(0.11)));
}

TEST_CASE("caches: more than the caches hold comes from memory each time") {
  Caches caches(memory(), 1);
  for (int i = 0; i < 3; ++i) caches.touch(0, {0, 1, {1'000'000}});
  const CacheMisses misses = caches.touch(0, {0, 1, {1'000'000}});
  CHECK(misses.memory == 1'000'000);
  CHECK(misses.shared == 0);
}

TEST_CASE("caches: what nobody touches goes as neighbours bring their bytes") {
  MemoryHierarchy beside = memory();
  beside.background_traffic = {1e9};
  Caches caches(beside, 1);
  const Touched piece{0, 1, {10}};
  caches.touch(0, piece);
  const Duration rest = GENERATE(Duration{0}, Duration{5'000}, Duration{10'000}, Duration{100'000});
  caches.at(Instant{} + rest);
  const double brought = 1e9 * rest.seconds();
  const CacheMisses misses = caches.touch(0, piece);
  // Neighbours do not affect the core's own cache.
  CHECK(misses.memory == Approx(std::min(10 * gone(0.01), 10 * gone((10 + brought) / 10'000))));
  caches.touch(0, {0, 2, {4'000}});
  caches.at(Instant{} + rest + rest);
  CHECK(caches.touch(0, piece).memory ==
        Approx(10 * gone((4'010 + brought) / 10'000)).epsilon(0.001));
}

TEST_CASE("caches: memory that all cores want is as fast as its bandwidth") {
  MemoryHierarchy bound = memory();
  bound.bandwidth = {2e8};
  const Caches caches(bound, 4);
  const CacheMisses misses{0, 1000, 0};
  CHECK(caches.time_of(misses, 1) == Duration{10'000});
  CHECK(caches.time_of(misses, 2) == Duration{10'000});
  CHECK(caches.time_of(misses, 4) == Duration{20'000});
  CHECK(caches.time_of_message(misses, 1) == Duration{20'000});
  CHECK(caches.time_of_message({1000, 0, 0}, 1) == Duration{});
}

TEST_CASE(
    "caches: of what is gone through in another order each time, as much is gone as it is large") {
  const auto passed = [](Bytes whole) {
    Caches caches({{1'000}, {8'000}, 1e-9, 10e-9, 20e-9, 10e-9, {}, {}}, 1);
    const Touched part{0, 1, {100}};
    CHECK(caches.pass(0, part, whole).memory == 100);  // its first use
    const CacheMisses misses = caches.pass(0, part, whole);
    CHECK(misses.fresh == 0);
    return misses;
  };
  const CacheMisses all = passed({1'000'000});
  CHECK(all.memory == 100);
  CHECK(all.shared == 0);
  const CacheMisses some = passed({8'000});  // as large as the shared cache
  CHECK(some.memory == Approx(100 * gone(1)));
  CHECK(some.memory + some.shared == 100);
  const CacheMisses few = passed({100});
  CHECK(few.memory + few.shared < 0.2);
}

TEST_CASE("caches: nothing is waited for where nothing is known of them") {
  Caches caches({}, 1);
  CHECK(caches.time_of(caches.touch(0, {0, 1, {1'000'000}})) == Duration{});
}

/// A cache with hashed sets of four lines that evicts the oldest line of a set.
class FourWays {
 public:
  explicit FourWays(std::uint64_t lines) : sets_(lines / 4) {}

  /// Returns whether the line was missing.
  bool touch(std::uint64_t line) {
    std::vector<std::uint64_t>& set = sets_[mixed(line) % sets_.size()];
    const auto known = std::ranges::find(set, line);
    const bool missing = known == set.end();
    if (!missing) set.erase(known);
    set.push_back(line);
    if (set.size() > 4) set.erase(set.begin());
    return missing;
  }

 private:
  static std::uint64_t mixed(std::uint64_t line) {
    line = (line ^ (line >> 31)) * 0x7fb5d329728ea185;
    line = (line ^ (line >> 27)) * 0x81dadef4bc2dd44d;
    return line ^ (line >> 33);
  }

  std::vector<std::vector<std::uint64_t>> sets_;
};

constexpr std::uint64_t kLines = 16'384;

TEST_CASE("caches: a walk misses what it does in sets of four lines") {
  const double caches_full = GENERATE(0.25, 0.5, 0.75, 1.0, 1.5, 2.5);
  CAPTURE(caches_full);
  const auto walked = static_cast<std::uint64_t>(caches_full * kLines);
  FourWays lines(kLines);
  Caches caches({{64 * kLines}, {}, 1e-9, 1e-9, 0, 0, {}, {}}, 1);
  double missing = 0;
  CacheMisses misses;
  for (int round = 0; round < 4; ++round) {
    missing = 0;
    for (std::uint64_t i = 0; i < walked; ++i) missing += lines.touch(i) ? 1 : 0;
    misses = caches.touch(0, {0, 0, {static_cast<std::int64_t>(64 * walked)}});
  }
  const auto all = static_cast<double>(walked);
  CHECK((misses.shared + misses.memory) / (64 * all) == Approx(missing / all).margin(0.02));
}

TEST_CASE("caches: as many bytes are missing as in sets of four lines after others' work") {
  // Two pieces of work in turn; the second uses new bytes each time, like examples.
  constexpr std::uint64_t kFirst = 1'200;
  const std::uint64_t others = GENERATE(2'000U, 8'000U, 16'000U, 24'000U);
  CAPTURE(others);
  FourWays lines(kLines);
  Caches caches({{64 * kLines}, {}, 1e-9, 1e-9, 0, 0, {}, {}}, 1);
  double missing = 0;
  double told = 0;
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const bool counts = round > 0;
    for (std::uint64_t i = 0; i < kFirst; ++i) missing += lines.touch(i) && counts ? 1 : 0;
    const CacheMisses misses = caches.touch(0, {0, 0, {64 * kFirst}});
    if (counts) told += (misses.shared + misses.memory) / 64;
    const std::uint64_t first = kFirst + static_cast<std::uint64_t>(round) * others;
    for (std::uint64_t i = 0; i < others; ++i) lines.touch(first + i);
    const auto name = static_cast<std::uint64_t>(round);
    caches.touch(0, {1, name, {static_cast<std::int64_t>(64 * others)}});
  }
  CHECK(told / (kRounds * kFirst) == Approx(missing / (kRounds * kFirst)).margin(0.02));
}

}  // namespace
}  // namespace foretrain
