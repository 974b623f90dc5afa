// What caches hold, against a cache that replaces at random, line by line.
#include "models/cost/caches.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <unordered_map>
#include <vector>

namespace foretrain {
namespace {

constexpr Bytes kOwn{1000};
constexpr Bytes kShared{10'000};

MemoryHierarchy memory() { return {kOwn, kShared, 1e-9, 1e-8, 2e-8, 1e-7, {}}; }

TEST_CASE("caches: what is touched for the first time is fresh and then there") {
  Caches caches(memory(), 2);
  const Refill first = caches.touch(0, {0, 1, {10}});
  CHECK(first.fresh == 10);
  CHECK(caches.time_of(first) == Duration{1000});
  const Refill again = caches.touch(0, {0, 1, {10}});
  CHECK(again.fresh == 0);
  CHECK(again.shared < 0.1);
  CHECK(again.memory < 0.1);
}

TEST_CASE("caches: what others touched since on the core pushes bytes out to the shared cache") {
  Caches caches(memory(), 2);
  caches.touch(0, {0, 1, {10}});
  caches.touch(0, {1, 1, {1000}});  // as much as the cache holds
  const Refill refill = caches.touch(0, {0, 1, {10}});
  CHECK(refill.shared + refill.memory == Approx(10 * (1 - std::exp(-1.0))).epsilon(0.01));
  CHECK(refill.memory == Approx(10 * (1 - std::exp(-0.1))).epsilon(0.01));
  // On another core they leave the private cache alone.
  caches.touch(1, {1, 1, {1000}});
  CHECK(caches.touch(0, {0, 1, {10}}).shared < 0.1);
}

TEST_CASE("caches: what is touched again and again between counts once") {
  Caches caches(memory(), 1);
  caches.touch(0, {0, 1, {10}});
  for (int i = 0; i < 100; ++i) caches.touch(0, {1, 1, {100}});
  const Refill refill = caches.touch(0, {0, 1, {10}});
  CHECK(refill.shared + refill.memory == Approx(10 * (1 - std::exp(-0.1))).epsilon(0.05));
}

TEST_CASE("caches: more than the caches hold comes from memory each time") {
  Caches caches(memory(), 1);
  for (int i = 0; i < 3; ++i) caches.touch(0, {0, 1, {1'000'000}});
  const Refill refill = caches.touch(0, {0, 1, {1'000'000}});
  CHECK(refill.memory == Approx(1'000'000 - 10'000).epsilon(0.001));
  CHECK(refill.shared == Approx(9'000).epsilon(0.01));
}

TEST_CASE("caches: memory that all cores want is as fast as its bandwidth") {
  MemoryHierarchy bound = memory();
  bound.bandwidth = {2e8};
  const Caches caches(bound, 4);
  const Refill refill{0, 1000, 0};
  CHECK(caches.time_of(refill, 1) == Duration{10'000});
  CHECK(caches.time_of(refill, 2) == Duration{10'000});
  CHECK(caches.time_of(refill, 4) == Duration{20'000});
  CHECK(caches.time_of_message(refill, 1) == Duration{20'000});
  CHECK(caches.time_of_message({1000, 0, 0}, 1) == Duration{});
}

TEST_CASE(
    "caches: of what is gone through in another order each time, as much is gone as it is large") {
  const Caches caches({{1'000}, {8'000}, 1e-9, 10e-9, 20e-9, 10e-9, {}}, 1);
  const Refill all = caches.pass({100}, {1'000'000});
  CHECK(all.memory == Approx(100));
  CHECK(all.shared == Approx(0).margin(1e-9));
  const Refill some = caches.pass({100}, {8'000});  // as large as the shared cache
  CHECK(some.memory == Approx(100 * (1 - std::exp(-1))));
  CHECK(some.memory + some.shared == Approx(100 * (1 - std::exp(-8))));
  const Refill few = caches.pass({100}, {1});
  CHECK(few.memory + few.shared < 0.2);
  CHECK(some.fresh == 0);
}

TEST_CASE("caches: nothing is waited for where nothing is known of them") {
  Caches caches({}, 1);
  CHECK(caches.time_of(caches.touch(0, {0, 1, {1'000'000}})) == Duration{});
}

/// A cache of lines that replaces one at random for each that it does not have.
class RandomReplacement {
 public:
  RandomReplacement(std::size_t lines, std::uint64_t seed)
      : lines_(lines, ~std::uint64_t{0}), stream_(seed, "replacement") {}

  /// Whether it was missing.
  bool touch(std::uint64_t line) {
    const auto known = places_.find(line);
    if (known != places_.end()) return false;
    const std::size_t place = stream_.below(lines_.size());
    places_.erase(lines_[place]);
    lines_[place] = line;
    places_[line] = place;
    return true;
  }

 private:
  std::vector<std::uint64_t> lines_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  Stream stream_;
};

TEST_CASE("caches: as many bytes are missing as of a cache that replaces lines at random") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  // Two pieces of work in turn: the second has more than the cache holds, and leaves of the first
  // what chance leaves.
  constexpr std::uint64_t kLines = 4096;
  constexpr std::uint64_t kFirst = 300;
  const auto [others, tolerance] =
      GENERATE(table<std::uint64_t, double>({{500, 0.25}, {2000, 0.15}, {6000, 0.15}}));
  CAPTURE(others);
  RandomReplacement lines(kLines, seed);
  Caches caches({{64 * kLines}, {}, 1e-9, 1e-9, 0, {}}, 1);
  double missing = 0;
  double told = 0;
  for (int round = 0; round < 40; ++round) {
    for (std::uint64_t i = 0; i < kFirst; ++i) missing += lines.touch(i) && round >= 10 ? 64 : 0;
    const Refill refill = caches.touch(0, {0, 0, {64 * kFirst}});
    if (round >= 10) told += refill.shared + refill.memory;
    // New ones each time, as examples are.
    for (std::uint64_t i = 0; i < others; ++i) {
      lines.touch(kFirst + static_cast<std::uint64_t>(round) * others + i);
    }
    caches.touch(0,
                 {1, static_cast<std::uint64_t>(round), {static_cast<std::int64_t>(64 * others)}});
  }
  CHECK(told == Approx(missing).epsilon(tolerance));
}

}  // namespace
}  // namespace foretrain
