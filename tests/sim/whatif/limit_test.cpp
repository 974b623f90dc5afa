// The limiting resource of a training, from the parts of its critical path.
#include "sim/whatif/limit.h"

#include "reports/record/summary.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace foretrain::sim {
namespace {
using namespace literals;

CriticalPath path_with(Duration compute, Duration in, Duration out) {
  CriticalPath path;
  path.times[static_cast<std::size_t>(Resource::worker_cpu)] = compute;
  path.times[static_cast<std::size_t>(Resource::server_nic_in)] = in;
  path.times[static_cast<std::size_t>(Resource::server_nic_out)] = out;
  path.length = compute + in + out;
  return path;
}

TEST_CASE("limit: the resource with the largest part, the largest first") {
  const CriticalPath path = path_with(6_ms, 3_ms, 1_ms);
  const auto shares = path_shares(path);
  REQUIRE(shares.size() == 3);
  CHECK(shares[0].share == Approx(0.6));
  CHECK(shares[2].share == Approx(0.1));
  CHECK(limit_of(path).resource == shares[0].resource);
  CHECK(network_share(path) == Approx(0.4));
}

TEST_CASE("limit: both directions of the servers' NICs are one") {
  const Limit limit = limit_of(path_with(4_ms, 3_ms, 3_ms));
  CHECK(limit.resource == "server NIC");
  CHECK(limit.share == Approx(0.6));
}

TEST_CASE("limit: a path of nothing is limited by nothing") {
  CHECK(limit_of(CriticalPath{}).resource.empty());
}

TEST_CASE("limit: a forecast has the record of a plain simulation, with its path") {
  const Case scenario_case = testing::star_case("sync", 3, 20, 4_ms);
  const Prepared prepared = prepare(scenario_case, Need::shape);
  SimulateOptions options;
  options.machines = [](const std::string&) { return testing::made_up_machine(); };
  const Forecast forecast = forecast_of(prepared, options);
  CHECK(to_json(forecast.record) == to_json(simulate(prepared, options)));
  CHECK(forecast.path_s == forecast.record.time.seconds());
  CHECK(forecast.limit.resource == "worker CPU");
  REQUIRE(!forecast.path.empty());
  CHECK(forecast.path.front().time_s == Approx(0.08));
  CHECK(first_sentence(forecast).starts_with("sync: worker CPU limits it, "));
  const auto json = to_json(forecast);
  CHECK(json.at("record") == to_json(forecast.record));
  CHECK(json.at("limit").at("share") == forecast.limit.share);
  CHECK(json.at("path").size() == forecast.path.size());
}

TEST_CASE("limit: a forecast that nobody waits for any more has no path") {
  const Prepared prepared = prepare(testing::star_case("sync", 3, 2000, 4_ms), Need::shape);
  SimulateOptions options;
  options.machines = [](const std::string&) { return testing::made_up_machine(); };
  options.interrupted = [] { return true; };
  const Forecast forecast = forecast_of(prepared, options);
  CHECK(forecast.record.outcome == Outcome::interrupted);
  CHECK(forecast.path.empty());
  CHECK(first_sentence(forecast) == "sync: interrupted.");
}

}  // namespace
}  // namespace foretrain::sim
