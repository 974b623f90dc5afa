// Resource usage of a process without that of its parent.
#include "exec/usage/usage.h"

#include "tests/support/cases.h"
#include "tests/support/instruments.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain {
namespace {
using namespace testing;

constexpr std::size_t kHeld = 300'000'000;

TEST_CASE("usage: the most that was resident is told") {
  const Bytes before = exec::process_usage().rss_most;
  REQUIRE(before.value > 0);
  { std::vector<char> held(kHeld, 'x'); }
  const exec::ProcessUsage after = exec::process_usage();
  CHECK(after.rss_most.value >= static_cast<std::int64_t>(kHeld));
  CHECK(after.rss <= after.rss_most);
}

TEST_CASE("usage: what the launcher has held is no memory of a node") {
  if (kSanitized) {
    WARN("skipped: a sanitizer's own memory is a node's, too");
    return;
  }
  const std::vector<char> held(kHeld, 'x');
  REQUIRE(std::ranges::count(held, 'x') == std::ptrdiff_t{kHeld});
  const Record record = real_run(small_case("sync", 1, 1));
  REQUIRE(record.nodes.size() == 2);
  for (const NodeTotals& node : record.nodes) {
    CAPTURE(node.role);
    CHECK(node.rss->value > 0);
    CHECK(node.rss->value < static_cast<std::int64_t>(kHeld));
  }
}

}  // namespace
}  // namespace foretrain
