// The cost of a failing host with only workers: their share, if others continue.
#include "models/base/random.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/stragglers.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr Duration kBetweenFailures = 40_s;
constexpr Duration kRepair = 5_s;

// Each worker makes 200 steps of 1 s. The host `frail` fails, `sound0` to `sound3` do not.
Case frail_case(const std::string& strategy, std::vector<std::string> workers,
                const std::string& server = "sound3") {
  Case scenario_case = star_case(strategy, static_cast<int>(workers.size()), 200, 1_s);
  Scenario& scenario = scenario_case.scenario;
  HostSpec& sound = scenario.cluster.hosts.front();
  sound.name = "sound";
  sound.count = 4;
  sound.cores = 4;
  HostSpec frail = sound;
  frail.name = "frail";
  frail.count = 1;
  frail.mtbf = kBetweenFailures;
  frail.restart_after = kRepair;
  scenario.cluster.hosts.push_back(frail);
  scenario.cluster.placement.workers = std::move(workers);
  if (!server.empty()) scenario.cluster.placement.servers = {server};
  return scenario_case;
}

void keep_states(Case& scenario_case) {
  scenario_case.scenario.checkpoint.every.steps = 10;
  scenario_case.scenario.checkpoint.write_latency = 0_ms;
  scenario_case.scenario.checkpoint.write_rate = {1e15};
}

// The failures of `frail` by its random stream, as its workers experience them.
struct Fate {
  std::vector<Absence> away;
  std::optional<Instant> left;  // away at the end
  std::int64_t set_back = 0;    // number of restarts of all nodes
};

enum class Others { go_on, set_back };

Fate fate_of(const Case& scenario_case, Instant end, Others others) {
  Stream stream(scenario_case.scenario.seed, "failure.frail");
  Fate fate;
  Instant back;
  const auto come_back = [&] {
    if (fate.left) fate.away.push_back({failed_with("frail"), *fate.left, back});
    fate.left.reset();
  };
  const auto later = [&](Instant at) { return at + draw_interval(kBetweenFailures, stream); };
  for (Instant at = later({}); at < end; at = later(at)) {
    if (at >= back) come_back();
    if (others == Others::set_back) {
      ++fate.set_back;
    } else if (!fate.left) {
      fate.left = at;
    }
    back = at + kRepair;
  }
  if (back < end) come_back();
  return fate;
}

Record run_through(const Case& scenario_case) {
  Record record = simulate(scenario_case);
  CAPTURE(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  return record;
}

Fate fate_in(const Record& record, const Case& scenario_case, Others others) {
  return fate_of(scenario_case, Instant{} + record.time, others);
}

// The time that worker1 was away.
Duration time_away(const Fate& fate, const Record& record) {
  Duration sum;
  for (const Absence& each : fate.away) sum += each.back - each.left;
  if (fate.left) sum += Instant{} + record.time - *fate.left;
  return sum;
}

std::int64_t times_away(const Fate& fate) {
  return static_cast<std::int64_t>(fate.away.size()) + (fate.left ? 1 : 0);
}

TEST_CASE("lost hosts: async loses a worker's share while its host is down, and no more") {
  const std::string strategy = GENERATE("async", "ssp");
  const auto seed = static_cast<std::uint64_t>(GENERATE(1, 2, 3));
  CAPTURE(strategy, seed);
  Case scenario_case = frail_case(strategy, {"sound0", "frail", "sound1"});
  scenario_case.scenario.seed = seed;
  set_option(scenario_case.scenario.training.protocol, "staleness", std::int64_t{2});
  const Record record = run_through(scenario_case);
  const Fate fate = fate_in(record, scenario_case, Others::go_on);
  REQUIRE(times_away(fate) > 0);
  CHECK(record.nodes[1].away == fate.away);
  CHECK(record.nodes[1].lost == (fate.left ? failed_with("frail") : ""));
  CHECK(record.restarts.count == 0);
  CHECK(record.gradients == 600);
  // At three gradients a second, minus the time it was away, with at most one lost gradient per
  // failure.
  const double least_s = (600 + time_away(fate, record).seconds()) / 3;
  const double lost_gradients = static_cast<double>(times_away(fate));
  CHECK(record.time.seconds() > least_s - 1);
  CHECK(record.time.seconds() < least_s + lost_gradients / 3 + 1);
}

TEST_CASE("lost hosts: who waits for all, but not for a lost worker, is set back each time") {
  const std::string strategy = GENERATE("sync", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case =
      frail_case(strategy, {"sound0", "frail", "sound1"}, strategy == "sync" ? "sound3" : "");
  if (GENERATE(false, true)) scenario_case.scenario.training.rejoin_limit = 1'000_s;
  keep_states(scenario_case);
  const Record record = run_through(scenario_case);
  const Fate fate = fate_in(record, scenario_case, Others::set_back);
  REQUIRE(fate.set_back > 0);
  CHECK(record.restarts.count == fate.set_back);
  CHECK(record.nodes[1].away.empty());
  CHECK(record.restarts.lost > 0_s);
  const Duration rest = record.time - record.restarts.lost - record.restarts.down;
  CHECK(rest.seconds() == Approx(200).epsilon(1e-3));
}

TEST_CASE("lost hosts: with the chief or a server there, all are set back") {
  const std::vector<std::vector<std::string>> placements{
      {"frail", "sound1", "sound2", "sound3"},
      {"frail", "frail", "sound2", "sound3"},
      {"sound0", "sound1", "sound2", "frail"},
      {"sound0", "frail", "sound2", "frail"},
  };
  for (const std::vector<std::string>& hosts : placements) {
    CAPTURE(hosts);
    Case scenario_case = frail_case("async", {hosts.begin(), hosts.begin() + 3}, hosts[3]);
    keep_states(scenario_case);
    const Record record = run_through(scenario_case);
    const Fate fate = fate_in(record, scenario_case, Others::set_back);
    REQUIRE(fate.set_back > 0);
    CHECK(record.restarts.count == fate.set_back);
    CHECK(record.gradients == 600);
    for (const NodeTotals& node : record.nodes) {
      CHECK(node.away.empty());
      CHECK(node.lost.empty());
    }
  }
}

TEST_CASE("lost hosts: backup workers stand in for as many as there are") {
  Case scenario_case = frail_case("sync", {"sound0", "frail", "sound1"});
  set_option(scenario_case.scenario.training.protocol, "backup_workers", std::int64_t{1});
  const Record record = run_through(scenario_case);
  const Fate fate = fate_in(record, scenario_case, Others::go_on);
  REQUIRE(times_away(fate) > 0);
  CHECK(record.nodes[1].away == fate.away);
  CHECK(record.restarts.count == 0);
  // 600 gradients, two per step of 1 s: the two other workers make them in any case.
  CHECK(record.updates == 300);
  CHECK(record.time.seconds() == Approx(300).epsilon(0.01));

  Case two = frail_case("sync", {"sound0", "frail", "frail"});
  set_option(two.scenario.training.protocol, "backup_workers", std::int64_t{1});
  keep_states(two);
  const Record set_back = run_through(two);
  CHECK(set_back.restarts.count == fate_in(set_back, two, Others::set_back).set_back);
  CHECK(set_back.restarts.count > 0);
  CHECK(set_back.nodes[1].away.empty());
}

TEST_CASE("lost hosts: two workers of a host are lost and come back together") {
  const Case scenario_case = frail_case("async", {"sound0", "frail", "frail"});
  const Record record = run_through(scenario_case);
  const Fate fate = fate_in(record, scenario_case, Others::go_on);
  REQUIRE(times_away(fate) > 0);
  CHECK(record.nodes[1].away == fate.away);
  CHECK(record.nodes[2].away == fate.away);
  CHECK(record.restarts.count == 0);
  CHECK(record.gradients == 600);
}

}  // namespace
}  // namespace foretrain::testing
