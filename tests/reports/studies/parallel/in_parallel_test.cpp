// Work on several threads is done completely, once, or ends with its first error.
#include "reports/studies/parallel/in_parallel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("in parallel: each number is done once whatever the threads") {
  const int threads = GENERATE(1, 2, 7);
  std::vector<std::atomic<int>> done(100);
  in_parallel(100, threads, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
  CHECK(std::ranges::all_of(done, [](const std::atomic<int>& count) { return count == 1; }));
  in_parallel(0, threads, [](std::int64_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("in parallel: the first error ends all threads and is thrown") {
  std::atomic<int> begun = 0;
  const auto work = [&](std::int64_t i) {
    ++begun;
    if (i == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH(in_parallel(1'000'000, 2, work), "three");
  CHECK(begun < 1'000'000);
}

}  // namespace
}  // namespace foretrain
