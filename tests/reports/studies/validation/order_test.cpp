// Pairs of cases with an order, also lost ones.
#include "reports/studies/validation/order.h"

#include "reports/studies/validation/output.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

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
}

TEST_CASE("order: what the forecast ties is neither kept nor lost") {
  for (const std::int64_t async_ms : {80, 86}) {  // 86: within the forecast's error, 10 %
    CAPTURE(async_ms);
    const Validation v = validate_times({{100}, 80}, {{50}, async_ms});
    const Order order = order_of(v);
    CHECK(order.all.ordered == 1);
    CHECK(order.all.tied == 1);
    CHECK(order.all.inverted.empty());
    CHECK_FALSE(order.all.kept().has_value());
    CHECK_FALSE(order.tau.has_value());
    CHECK_THAT(
        first_sentence(v),
        Catch::EndsWith("; the cases differ by less than the forecast's error in gradients/s."));
    CHECK(to_json(v)["order_kept"].is_null());
    CHECK(to_json(v)["order"]["all"]["tied"] == 1);
  }
}

TEST_CASE("order: rates that are told alike, or within their spreads, are a tie") {
  // 0.04 and 0.0399984 gradients a second.
  const Validation alike = validate_times({{100'000}, 90}, {{100'004}, 200});
  CHECK(order_of(alike).pairs == 1);
  CHECK(order_of(alike).all.ordered == 0);
  CHECK_FALSE(order_of(alike).tau.has_value());
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
