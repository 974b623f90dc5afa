// Groups of a host's devices with a slower link between hosts: their what-if question, its answer.
#include "models/protocol/route.h"
#include "sim/whatif/intervention.h"
#include "sim/whatif/whatif.h"
#include "tests/sim/asked_whatif.h"
#include "tests/sim/sharded_job.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

const std::string kGroupsOfDevices = "groups of a host's devices";
const std::string kReplicas = "a replica a host (HSDP)";
const std::string kDevicesOnPcie = "devices on 15.75 GB/s PCIe";
constexpr DeviceLinkSpec kNvlink{{150e9}, {5'000}, false};

/// An all-reduce of workers on hosts with this many devices, connected by NVLink.
struct LinkedJob : ShardedJob {
  LinkedJob(int hosts, int devices) : ShardedJob("optimizer", hosts * devices) {
    host().count = hosts;
    host().devices = devices;
    host().device_link = kNvlink;
    host().latency = 1_ms;
  }
};

TEST_CASE("whatif among workers: devices of several hosts may add up in groups") {
  const LinkedJob job(2, 4);
  Scenario changed = job.c.scenario;
  CHECK(sim::change_to_verify(kGroupsOfDevices).apply(changed) == "");
  Scenario expected = job.c.scenario;
  set_option(expected.training.protocol, "group", std::int64_t{4});
  CHECK(changed == expected);
  CHECK_FALSE(why_not(changed, kGroupsOfDevices));  // they have them already
  set_option(expected.training.protocol, "group", std::int64_t{2});
  CHECK(why_not(expected, kGroupsOfDevices) == "");  // of half of their devices
}

TEST_CASE("whatif among workers: one host, a device each, a server, cores have no such groups") {
  CHECK_FALSE(why_not(LinkedJob(1, 4).c.scenario, kGroupsOfDevices));
  CHECK_FALSE(why_not(LinkedJob(4, 1).c.scenario, kGroupsOfDevices));
  Scenario pushed = LinkedJob(2, 4).c.scenario;
  pushed.training.strategy = "sync";
  CHECK_FALSE(why_not(pushed, kGroupsOfDevices));
  Scenario cores = LinkedJob(2, 4).c.scenario;
  cores.cluster.hosts.front().devices = 0;
  cores.cluster.hosts.front().device_link = {};
  CHECK_FALSE(why_not(cores, kGroupsOfDevices));
}

TEST_CASE("whatif among workers: groups are of neighbours in rank, of hosts alike") {
  Scenario dealt = LinkedJob(2, 2).c.scenario;
  dealt.cluster.placement.workers = {"box0", "box1", "box0", "box1"};
  CHECK_FALSE(why_not(dealt, kGroupsOfDevices));
  dealt.cluster.placement.workers = {"box1", "box1", "box0", "box0"};
  CHECK(why_not(dealt, kGroupsOfDevices) == "");
  Scenario unlike = LinkedJob(2, 4).c.scenario;
  unlike.training.workers = 6;
  unlike.cluster.placement.workers = {"box0", "box0", "box1", "box1", "box1", "box1"};
  CHECK_FALSE(why_not(unlike, kGroupsOfDevices));
}

TEST_CASE("whatif among workers: with parameters in parts groups are replicas") {
  Scenario parts = LinkedJob(2, 4).c.scenario;
  CHECK_FALSE(why_not(parts, kReplicas));
  parts.training.shard = "parameters";
  CHECK_FALSE(why_not(parts, kGroupsOfDevices));
  Scenario changed = parts;
  CHECK(sim::change_to_verify(kReplicas).apply(changed) == "");
  CHECK(changed.training.shard == "parameters");
  CHECK(changed.training.protocol.integer(kGroup) == 4);
  CHECK_FALSE(why_not(changed, kReplicas));
  parts.training.shard = "gradients";
  CHECK(why_not(parts, kGroupsOfDevices) ==
        "training.shard is set: groups add up whole gradients first");
}

// A single ring crosses the wire between hosts twice in its longest chain, a ring of hosts once.
TEST_CASE("whatif among workers: groups are that scenario, and wait for fewer wires") {
  LinkedJob job(2, 4);
  const WhatIf whatif = asked_whatif(job.c);
  const double in_groups_s = time_with(whatif, kGroupsOfDevices);
  set_option(job.c.scenario.training.protocol, "group", std::int64_t{4});
  const WhatIf grouped = asked_whatif(job.c);
  CHECK(grouped.time_s == in_groups_s);
  CHECK(grouped.find(kGroupsOfDevices) == nullptr);
  REQUIRE(whatif.time_s.has_value());
  CHECK(in_groups_s < *whatif.time_s);
}

TEST_CASE("whatif among workers: what a fast link is worth is told by one of PCI Express") {
  LinkedJob job(1, 4);
  Scenario changed = job.c.scenario;
  CHECK(sim::change_to_verify(kDevicesOnPcie).apply(changed) == "");
  const DeviceLinkSpec pcie{{15.75e9}, kNvlink.latency, true};
  CHECK(changed.cluster.hosts.front().device_link == pcie);
  const WhatIf whatif = asked_whatif(job.c);
  const double on_pcie_s = time_with(whatif, kDevicesOnPcie);
  REQUIRE(whatif.time_s.has_value());
  CHECK(on_pcie_s > *whatif.time_s);
  job.host().device_link = pcie;
  const WhatIf slower = asked_whatif(job.c);
  CHECK(slower.time_s == on_pcie_s);
  CHECK(slower.find(kDevicesOnPcie) == nullptr);
}

TEST_CASE("whatif among workers: a link that is slow, unknown, not used is worth nothing to ask") {
  Scenario scenario = LinkedJob(2, 4).c.scenario;
  DeviceLinkSpec& link = scenario.cluster.hosts.front().device_link;
  link.rate = {12e9};
  CHECK_FALSE(why_not(scenario, kDevicesOnPcie));
  link = {};
  CHECK_FALSE(why_not(scenario, kDevicesOnPcie));
  CHECK_FALSE(why_not(LinkedJob(4, 1).c.scenario, kDevicesOnPcie));
  link = kNvlink;
  CHECK(why_not(scenario, kDevicesOnPcie) == "");
  HostSpec server;
  server.name = "server";
  scenario.cluster.hosts.push_back(server);
  scenario.training.strategy = "sync";
  CHECK_FALSE(why_not(scenario, kDevicesOnPcie));
  scenario.training.local_reduction = true;
  CHECK(why_not(scenario, kDevicesOnPcie) == "");
}

}  // namespace
}  // namespace foretrain::testing
