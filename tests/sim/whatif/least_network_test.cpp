// The time that messages take at least, compared with simulations.
#include "scenarios/resolve/least_network.h"

#include "models/base/random.h"
#include "models/protocol/registry.h"
#include "sim/whatif/intervention.h"
#include "tests/sim/asked_whatif.h"
#include "tests/sim/sharded_job.h"
#include "tests/support/protocol_options.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr Bytes kGradient{4 * kShardedLayer};

/// A worker on each device of these hosts.
struct HostedJob : ShardedJob {
  HostedJob(int hosts, int devices, double rate) : ShardedJob("optimizer", hosts * devices) {
    host().count = hosts;
    host().devices = devices;
    host().cores = 8;
    host().nic = {rate};
  }
};

double least_s(const ShardedJob& job) { return least_network_s(job.c.scenario, kGradient); }

TEST_CASE("least network: a gradient of each worker elsewhere, for a server") {
  HostedJob job(4, 2, 1e9);
  sim::set_strategy(job.c.scenario, "sync");
  job.c.scenario.cluster.placement.workers = {"box0", "box0", "box1", "box1",
                                              "box2", "box2", "box3", "box3"};
  job.c.scenario.cluster.placement.servers = {"box0"};
  job.c.scenario.training.servers = 1;
  CHECK(least_s(job) == Approx(6 * 16e6 / 1e9));
  job.c.scenario.training.local_reduction = true;
  CHECK(least_s(job) == Approx(3 * 16e6 / 1e9));
  job.c.scenario.training.servers = 2;
  job.c.scenario.cluster.placement.servers = {"box0", "box1"};
  CHECK(least_s(job) == Approx(3 * 16e6 / 2e9));
  // Without lockstep the workers beside a server may make all gradients.
  job.c.scenario.training.local_reduction = false;
  job.c.scenario.training.bucket_size = {160'000};
  sim::set_strategy(job.c.scenario, "async");
  CHECK(least_s(job) == Approx(8 * (1 - 0.51) * 16e6 / 2e9));
  job.c.scenario.training.bucket_size = {};  // per_tensor
  CHECK(least_s(job) == 0);
  sim::set_strategy(job.c.scenario, "sync");
  CHECK(least_s(job) > 0);
  job.c.scenario.training.compression.kind = "fp16";
  CHECK(least_s(job) == 0);
}

TEST_CASE("least network: twice the gradient, but for one host's part, round a ring of hosts") {
  HostedJob job(4, 1, 1e9);
  CHECK(least_s(job) == Approx(2 * 0.75 * 16e6 / 1e9));
  job.c.scenario.training.strategy = "local_sgd";
  CHECK(least_s(job) == 0);
  CHECK(least_s(HostedJob(1, 4, 1e9)) == 0);
}

TEST_CASE("least network: nothing is known of dropped gradients, bursts, links") {
  const auto changed = [](auto change) {
    HostedJob job(4, 2, 1e9);
    sim::set_strategy(job.c.scenario, "sync");
    CHECK(least_s(job) > 0);
    change(job.c.scenario);
    return least_s(job);
  };
  CHECK(changed([](Scenario& s) {
          set_option(s.training.protocol, "backup_workers", std::int64_t{2});
        }) == 0);
  CHECK(changed([](Scenario& s) { s.cluster.hosts.front().burst = {1'000'000}; }) == 0);
  CHECK(changed([](Scenario& s) { s.cluster.topology = "links"; }) == 0);
}

TEST_CASE("least network: no simulation takes less, of any strategy") {
  std::map<std::string, double> closest;  // time over bound
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Stream draws(seed, "least network");
    const auto one_of = [&](auto... values) {
      const std::array all{values...};
      return all[draws.below(all.size())];
    };
    const int devices = one_of(1, 2, 4);
    const int hosts = one_of(1, 2, 3, 5);
    HostedJob job(hosts, devices, one_of(1e8, 1e9));
    job.host().latency = one_of(0_us, 50_us);
    Scenario& s = job.c.scenario;
    s.cluster.tcp = one_of(0, 1) == 1;
    const Protocol& protocol = protocols()[draws.below(protocols().size())];
    const std::string strategy(protocol.name);
    CAPTURE(strategy, hosts, devices);
    if (!protocol.several_workers || hosts * devices == 1) continue;
    if (protocol.servers) s.training.bucket_rule = TrainingSpec{}.bucket_rule;
    if (protocol.wrong(s.training.protocol.only(protocol.options), s.training.workers)) continue;
    s.training.servers = one_of(1, 2);
    s.training.local_reduction = strategy == "sync" && one_of(0, 1) == 1;
    sim::set_strategy(s, strategy);
    const double least = least_s(job);
    if (least == 0) continue;
    const double ratio = job.step_s() / least;
    CHECK(ratio >= 1);
    const auto [found, fresh] = closest.emplace(strategy, ratio);
    found->second = std::min(found->second, ratio);
  }
  for (const auto& [strategy, ratio] : closest) {
    CAPTURE(strategy, ratio);
    if (protocol_called(strategy).synchronous) CHECK(ratio < 2.5);
  }
  CHECK(closest.size() >= 5);
}

TEST_CASE("whatif: servers whose messages alone take ten times as long are not simulated") {
  const HostedJob job(12, 2, 1e8);
  const WhatIf whatif = asked_whatif(job.c);
  const Change* server = whatif.find("strategy sync");
  REQUIRE(server != nullptr);
  CHECK(!server->time_s);
  // 22 gradients for the server, 22 / 12 for a host of the ring.
  CHECK(server->why_not == "its messages alone take 11 times as long");
}

TEST_CASE("whatif: what breaks the symmetry of a large cluster is not simulated") {
  HostedJob job(64, 8, 1e10);
  job.c.scenario.training.steps = 3;
  const WhatIf whatif = asked_whatif(job.c);
  const Change* slower = whatif.find(std::string(sim::kSlowerWorker));
  REQUIRE(slower != nullptr);
  // Four buckets of 512 pieces visit 512 workers twice.
  CHECK(slower->why_not ==
        "one host no longer stands for all, and 6 million messages take long to simulate");
  CHECK(time_with(whatif, "one more host") > 0);
  CHECK(time_with(whatif, "double nodes") > 0);
}

}  // namespace
}  // namespace foretrain::testing
