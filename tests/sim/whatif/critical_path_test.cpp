// The critical path of trainings with a known bottleneck.
#include "sim/whatif/critical_path.h"

#include "tests/sim/sharded_job.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <numeric>

namespace foretrain::testing {
namespace {
using namespace literals;
using sim::CriticalPath;
using sim::Resource;

struct Watched {
  Record record;
  CriticalPath path;
};

Watched watch(const Case& scenario_case, const sim::TimeFactors& time_factors = {}) {
  sim::History history;
  Watched watched{simulate(scenario_case, {time_factors, &history}), {}};
  REQUIRE(watched.record.outcome == Outcome::done);
  watched.path = sim::critical_path(history, Instant{} + watched.record.time);
  return watched;
}

void check_whole(const Watched& watched) {
  const auto& times = watched.path.times;
  const Duration sum = std::accumulate(times.begin(), times.end(), Duration{});
  CHECK(watched.path.whole);
  CHECK(watched.path.length == watched.record.time);
  CHECK(sum == watched.record.time);
  CHECK(watched.path.time(Resource::waiting).ns == 0);
}

TEST_CASE("critical path: every nanosecond of any strategy has a resource") {
  const std::string strategy = GENERATE("single", "sync", "async", "ssp", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 3, 12);
  scenario_case.scenario.numerics = false;
  check_whole(watch(scenario_case));  // on two cores, with a machine file
}

TEST_CASE("critical path: gradients alone are all of it where nothing else takes time") {
  const Watched watched = watch(star_case("sync", 4, 10, 20_ms));
  check_whole(watched);
  CHECK(watched.path.longest() == Resource::worker_cpu);
  CHECK(watched.path.share(Resource::worker_cpu) == Approx(1).epsilon(1e-6));
}

// All workers gather all parameters once more, for the last evaluation.
TEST_CASE("critical path: gathers after the last update are not on it") {
  ShardedJob job("parameters", 2);
  job.host().nic = {2e9};
  check_whole(watch(job.c));
}

TEST_CASE("critical path: a star of one server is what its closed form adds up") {
  Case scenario_case = star_case("sync", 8, 50, 20_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(1e-3);
  scenario_case.scenario.cluster.hosts[0].latency = 30_us;
  const Watched watched = watch(scenario_case);
  check_whole(watched);
  // C + N S / B in + N S / B out + 4 a per step; the last one has no way back.
  const CriticalPath& path = watched.path;
  CHECK(path.time(Resource::worker_cpu) == 1000_ms);
  CHECK(path.time(Resource::server_nic_in).seconds() == Approx(0.4).epsilon(1e-4));
  CHECK(path.time(Resource::server_nic_out).seconds() == Approx(0.392).epsilon(1e-4));
  CHECK(path.time(Resource::latency) == 30_us * (4 * 49 + 2));
  CHECK(path.time(Resource::worker_nic).ns == 0);
}

TEST_CASE("critical path: a slow worker is told apart from its work") {
  Case scenario_case = star_case("sync", 4, 10, 20_ms);
  StragglerSpec slow;
  slow.workers = {2};
  slow.slowdown = 3;
  scenario_case.scenario.stragglers = {slow};
  const Watched watched = watch(scenario_case);
  check_whole(watched);
  CHECK(watched.path.time(Resource::straggling) == 400_ms);
  CHECK(watched.path.time(Resource::worker_cpu) == 200_ms);
  CHECK(watched.path.most_of(Resource::straggling) == 2U);
}

TEST_CASE("critical path: a pause is straggling") {
  Case scenario_case = star_case("sync", 2, 100, 20_ms);
  StragglerSpec pausing;
  pausing.workers = {1};
  pausing.pause = 50_ms;
  pausing.every = 300_ms;
  scenario_case.scenario.stragglers = {pausing};
  const Watched watched = watch(scenario_case);
  check_whole(watched);
  CHECK(watched.path.time(Resource::worker_cpu) == 2000_ms);
  CHECK(watched.path.time(Resource::straggling) == watched.record.time - 2000_ms);
  CHECK(watched.path.time(Resource::straggling) >= 100_ms);
}

}  // namespace
}  // namespace foretrain::testing
