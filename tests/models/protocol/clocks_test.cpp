// Clocks of workers, compared with a direct computation.
#include "models/base/random.h"
#include "models/protocol/server_queue.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain {
namespace {

// The clocks of present workers.
struct Plain {
  std::vector<std::int64_t> clocks;
  std::vector<bool> lost;

  [[nodiscard]] std::vector<std::int64_t> there() const {
    std::vector<std::int64_t> values;
    values.reserve(clocks.size());
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      if (!lost[i]) values.push_back(clocks[i]);
    }
    return values;
  }
};

void check_equal(const Clocks& clocks, const Plain& plain) {
  const std::vector<std::int64_t> there = plain.there();
  const std::int64_t slowest = *std::ranges::min_element(there);
  REQUIRE(clocks.slowest() == slowest);
  REQUIRE(clocks.at_slowest() == std::ranges::count(there, slowest));
  for (std::size_t i = 0; i < plain.clocks.size(); ++i) {
    REQUIRE(clocks.of(i) == plain.clocks[i]);
    REQUIRE(clocks.is_lost(i) == plain.lost[i]);
  }
}

TEST_CASE(
    "clocks: whoever advances, is lost or comes back the slowest are those that a look at all "
    "finds") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Stream draw(seed, "test.clocks");
    const std::size_t workers = 1 + draw.below(12);
    Clocks clocks(static_cast<int>(workers));
    Plain plain{std::vector<std::int64_t>(workers), std::vector<bool>(workers)};
    check_equal(clocks, plain);
    for (int operation = 0; operation < 200; ++operation) {
      // A push of a lost worker may still be applied.
      const std::size_t worker = draw.below(workers);
      if (draw.below(20) > 0) {
        clocks.advance(worker);
        ++plain.clocks[worker];
      } else if (plain.lost[worker] && draw.below(2) == 0) {
        plain.lost[worker] = false;
        plain.clocks[worker] += static_cast<std::int64_t>(draw.below(5));
        clocks.come_back(worker, plain.clocks[worker]);
      } else if (plain.lost[worker] || plain.there().size() > 1) {
        clocks.mark_lost(worker);  // losing it twice has no further effect
        plain.lost[worker] = true;
      }
      check_equal(clocks, plain);
    }
  }
}

}  // namespace
}  // namespace foretrain
