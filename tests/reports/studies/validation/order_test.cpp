// Which pairs of cases have an order, which lost it.
#include "reports/studies/validation/order.h"

#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

using namespace testing;

std::optional<bool> kept(const Times& sync, const Times& async) {
  return order_of(validate_times(sync, async)).all.kept();
}

}  // namespace

TEST_CASE("order: it is lost where the forecast tells two cases apart the other way") {
  CHECK(kept({{100}, 90}, {{50}, 80}) == std::optional(true));
  CHECK(kept({{100}, 80}, {{50}, 90}) == std::optional(false));
  CHECK(kept({{100}, 80}, {{50}, 80}) == std::optional(true));  // a tie inverts nothing
  CHECK(kept({{100}, 80}, {{50}, 83}) == std::optional(true));  // within five per cent
  CHECK(kept({{100}, 80}, {{50}, 85}) == std::optional(false));
}

TEST_CASE("order: cases that their runs do not tell apart have none") {
  CHECK_FALSE(kept({{80, 100, 120}, 80}, {{70, 99, 120}, 90}).has_value());
}

TEST_CASE("order: an inverted pair says who was faster and by how much") {
  const Order order = order_of(validate_times({{100}, 80}, {{50}, 160}));
  REQUIRE(order.all.inverted.size() == 1);
  const Inversion& pair = order.all.inverted[0];
  CHECK(pair.faster == 1);
  CHECK(pair.slower == 0);
  CHECK(pair.measured == Approx(2));
  CHECK(pair.predicted == Approx(0.5));
  CHECK(order.tau.value() == Approx(-1));
}

TEST_CASE("order: sync stands against async where all else is equal") {
  Validation v{{}, 1, 0};
  const auto add = [&](const char* strategy, const char* workers, const Times& times) {
    v.cases.push_back(compare_times(case_with(strategy, "training.workers", workers), times));
  };
  add("sync", "1", {{100}, 100});
  add("async", "1", {{50}, 200});
  add("sync", "2", {{25}, 25});
  add("async", "2", {{12}, 12});
  add("ssp", "2", {{6}, 6});
  const Order order = order_of(v);
  CHECK(order.all.ordered == 10);
  CHECK(order.all.inverted.size() == 1);
  CHECK(order.weighed.ordered == 2);
  REQUIRE(order.weighed.inverted.size() == 1);
  CHECK(order.weighed.inverted[0].faster == 1);
  CHECK(order.tau.value() == Approx(0.8));  // nine pairs agree, one does not
}

}  // namespace foretrain
