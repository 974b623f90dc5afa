// The range of a forecast from made-up calibrations.
#include "reports/record/forecast_range.h"

#include "tests/reports/support.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {
using namespace testing;

/// All nodes on core 0, or the second one on another core.
Record calibrated(int second_core) {
  Record record = small_record(Mode::simulate, "sync");
  REQUIRE(record.nodes.size() > 1);
  for (NodeTotals& node : record.nodes) node.core = 0;
  record.nodes[1].core = second_core;
  record.calibrated.alone = {{10'000'000}, {9'000'000}, {12'000'000}};
  record.calibrated.together = {{20'000'000}, {19'900'000}, {20'100'000}};
  return record;
}

}  // namespace

TEST_CASE("forecast range: a machine that wandered while it was calibrated widens it") {
  const ForecastRange still = forecast_range(calibrated(1));  // all its cores at once: within 1 %
  CHECK(still.low == Approx(0.85));
  CHECK(still.high == Approx(1.15));
  const ForecastRange wandered = forecast_range(calibrated(0));
  CHECK(wandered.low == Approx(0.9 * 0.85));
  CHECK(wandered.high == Approx(1.2 * 1.15));
  CHECK(wandered.error() == Approx((1.38 - 0.765) / 2));
}

TEST_CASE("forecast range: it is as wide as its compute is unsure; a run has none") {
  Record record = small_record(Mode::simulate, "sync");
  record.basis = {{.from = ComputeBasis::From::calibrated, .spread = 0.05}};
  const double spread = forecast_range(record).error();
  CHECK(spread > 0.15);
  record.basis.push_back({.from = ComputeBasis::From::described});
  CHECK(forecast_range(record).error() > spread);
  record.mode = Mode::run;
  CHECK(forecast_range(record).error() == 0);
}

TEST_CASE("forecast range: two forecasts of one machine need to differ by less than its error") {
  const ForecastRange range = forecast_range(calibrated(0));
  CHECK(range.same(1, 1.1));
  CHECK_FALSE(range.same(1, 1.2));
  CHECK(range.close(1, 1.2));
  CHECK_FALSE(range.close(1, 1.5));
}

}  // namespace foretrain
