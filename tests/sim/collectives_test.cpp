// All-reduce over trees in virtual time, compared with sums by hand.
#include "models/protocol/message.h"
#include "tests/sim/sharded_job.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr Duration kCompute = 20_ms;
constexpr Duration kToSwitch = 30_us;

/// Number of steps; after the last one an inner node of a tree ends a little before a leaf.
constexpr int kSumSteps = 20;

/// One host per worker, with 2 x `kToSwitch` between any two.
Case sum_case(const std::string& algorithm, int workers) {
  Case scenario_case = star_case("all_reduce", workers, kSumSteps, kCompute);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].count = workers;
  scenario.cluster.hosts[0].latency = kToSwitch;
  set_option(scenario.training.protocol, "algorithm", algorithm);
  return scenario_case;
}

/// The time of a step without compute, in seconds.
double sum_s(const Case& scenario_case) {
  return mean_step_s(simulate(scenario_case)) - kCompute.seconds();
}

TEST_CASE("collectives: a small bucket takes 2 log2 N latencies over trees") {
  const int workers = GENERATE(2, 4, 8, 100);
  CAPTURE(workers);
  const int depth = static_cast<int>(std::log2(workers));
  CHECK(sum_s(sum_case("tree", workers)) ==
        Approx(2 * depth * 60e-6).margin(60e-6 / kSumSteps + 4e-9 * workers));
  CHECK(sum_s(sum_case("ring", workers)) ==
        Approx(2 * (workers - 1) * 60e-6).margin(4e-9 * workers));
}

// With four workers the tree is 0: 1, 2; 1: 3, and the same from the other end. Upwards each port
// has one message of half of the parameters at a time, twice; downwards two from each root, then
// one.
TEST_CASE("collectives: four workers take 4 latencies and 5 halves over trees") {
  Case scenario_case = sum_case("tree", 4);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(10e-3);
  const auto parameters = static_cast<double>(message_size().value - kHeaderSize.value);
  const double half = parameters / 2 + static_cast<double>(kHeaderSize.value);
  const double half_s = 10e-3 * half / static_cast<double>(message_size().value);
  CHECK(sum_s(scenario_case) == Approx(4 * 60e-6 + 5 * half_s).margin(half_s / kSumSteps));
}

// Each host's port has one message of the ring at a time, but two if consecutive ranks are on
// different hosts.
TEST_CASE("collectives: left out, placement has a ring leave each host once") {
  const auto on_two_hosts = [](std::vector<std::string> workers) {
    Case scenario_case = sum_case("ring", 4);
    HostSpec& host = scenario_case.scenario.cluster.hosts[0];
    host.count = 2;
    host.cores = 2;
    host.nic = rate_for(10e-3);
    scenario_case.scenario.cluster.placement.workers = std::move(workers);
    return sum_s(scenario_case);
  };
  const double left_out_s = on_two_hosts({});
  CHECK(left_out_s == on_two_hosts({"node0", "node0", "node1", "node1"}));
  CHECK(on_two_hosts({"node0", "node1", "node0", "node1"}) > 1.8 * left_out_s);
}

// An inner node receives two halves of n, and one from each root: 2 n / B if slices are pipelined,
// except for the first and last slices.
TEST_CASE("collectives: slices that follow each other take the time of their bytes over trees") {
  Case scenario_case = sum_case("tree", 8);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.bucket_size = {400};
  scenario.cluster.hosts[0].latency = {};
  scenario.cluster.hosts[0].nic = rate_for(10e-3);
  const double headers = 1 + static_cast<double>(kHeaderSize.value) / 400;
  const double bytes_s = 2 * 10e-3 * headers;
  CHECK(sum_s(scenario_case) > 0.95 * bytes_s);
  CHECK(sum_s(scenario_case) < 1.5 * bytes_s);
}

// Softmax has 31,400 bytes: trees win if latencies cost more than these bytes.
TEST_CASE("collectives: auto takes the quicker of ring and trees by the links of the cluster") {
  Case fast = sum_case("auto", 8);
  Case slow = sum_case("auto", 8);
  slow.scenario.cluster.hosts[0].nic = rate_for(100e-3);
  for (Case* each : {&fast, &slow}) {
    const double chosen_s = sum_s(*each);
    set_option(each->scenario.training.protocol, "algorithm", "ring");
    const double ring_s = sum_s(*each);
    set_option(each->scenario.training.protocol, "algorithm", "tree");
    const double tree_s = sum_s(*each);
    CHECK(ring_s != tree_s);
    CHECK(chosen_s == std::min(ring_s, tree_s));
  }
}

// Four workers on each of two hosts: a ring leaves a host once, the edges of trees share its port.
// With fast ports trees wait for two wires, the ring for four.
TEST_CASE("collectives: auto counts what leaves a host where workers share hosts") {
  const auto on_two_hosts = [](const std::string& algorithm, BytesPerSecond nic) {
    Case scenario_case = sum_case(algorithm, 8);
    HostSpec& host = scenario_case.scenario.cluster.hosts[0];
    host.count = 2;
    host.cores = 4;
    if (nic.value > 0) host.nic = nic;
    return sum_s(scenario_case);
  };
  const BytesPerSecond slow = rate_for(250e-6);
  CHECK(on_two_hosts("ring", slow) < on_two_hosts("tree", slow));
  CHECK(on_two_hosts("auto", slow) == on_two_hosts("ring", slow));
  CHECK(on_two_hosts("tree", {}) < on_two_hosts("ring", {}));
  CHECK(on_two_hosts("auto", {}) == on_two_hosts("tree", {}));
}

// With connected devices, trees between the hosts: for few hosts they carry less than a ring.
TEST_CASE("collectives: auto is the quicker of both where hosts have devices") {
  const auto [hosts, devices] =
      GENERATE(table<int, int>({{2, 2}, {2, 8}, {3, 4}, {4, 2}, {4, 8}, {8, 8}}));
  CAPTURE(hosts, devices);
  const auto step_s = [&, &hosts = hosts, &devices = devices](const std::string& algorithm) {
    ShardedJob job("optimizer", hosts * devices, 32'000'000);
    job.c.scenario.training.steps = 2;
    job.c.scenario.training.bucket_size = {4'000'000};
    job.host().count = hosts;
    job.host().devices = devices;
    job.host().device_link = {{150e9}, 5_us, false};
    job.host().nic = {100e9 / 8};
    job.host().latency = 10_us;
    set_option(job.c.scenario.training.protocol, "algorithm", algorithm);
    return job.step_s();
  };
  CHECK(step_s("auto") <= 1.001 * std::min(step_s("ring"), step_s("tree")));
}

TEST_CASE("collectives: by size goes round a ring where devices share a NIC") {
  const auto step_s = [](const std::string& algorithm) {
    ShardedJob job("optimizer", 8, 40'000);
    job.host().count = 2;
    job.host().devices = 4;
    job.host().cores = 4;
    job.host().device_link = {{1e18}, {}, false};
    job.host().nic = {1e7};
    set_option(job.c.scenario.training.protocol, "algorithm", algorithm);
    return job.step_s();
  };
  CHECK(step_s("by_size") == step_s("ring"));
}

TEST_CASE("collectives: one that takes a while to start takes that before its first message") {
  const int workers = GENERATE(1, 2, 4);
  CAPTURE(workers);
  Case scenario_case = sum_case("ring", workers);
  scenario_case.scenario.training.bucket_rule = "ddp";
  const double without_s = sum_s(scenario_case);
  scenario_case.scenario.framework.collective = 3_ms;
  CHECK(sum_s(scenario_case) == Approx(without_s + 3e-3).margin(1e-9));
}

// Two buckets that are ready at the same time.
TEST_CASE("collectives: those of a worker start one after another, the pieces of one together") {
  Case scenario_case = sum_case("ring", 4);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = "mlp";
  scenario.model.options.hidden = {200, 10};
  scenario.training.overlap = false;
  scenario.training.bucket_rule = "ddp";
  scenario.training.bucket_size = {4'000};
  scenario.framework.collective = 3_ms;
  CHECK(sum_s(scenario_case) == Approx(2 * 3e-3 + 6 * 60e-6).margin(1e-7));
}

// Four layers with one bucket each: 8 ms forward, then one is ready every 6 ms.
TEST_CASE("collectives: what starting them takes is hidden but for the last where that is short") {
  const auto [each, step_s] =
      GENERATE(table<Duration, double>({{4_ms, 32e-3 + 4e-3}, {8_ms, 14e-3 + 4 * 8e-3}}));
  TempFolder folder;
  {
    std::ofstream layers(folder / "four.csv");
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < 4; ++i) layers << "layer" << i << ",4000000,2,6\n";
  }
  Case scenario_case = star_case("all_reduce", 2, 5, 1_s);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].compute.reset();
  scenario.cluster.hosts[0].devices = 1;
  scenario.model.profile.path = folder / "four.csv";
  scenario.model.profile_batch = 16;
  scenario.training.bucket_rule = "ddp";
  scenario.training.bucket_size = {4'000'000};
  scenario.framework.collective = each;
  CHECK(mean_step_s(simulate(scenario_case)) == Approx(step_s).epsilon(1e-3));
}

TEST_CASE("collectives: weights do not depend on what starting them takes") {
  const std::string strategy = GENERATE("all_reduce", "local_sgd", "gather_scatter");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 3, 20);
  scenario_case.scenario.training.evaluate_every = 6;
  scenario_case.scenario.training.bucket_size = {4'000};
  const Record without = simulate(scenario_case);
  scenario_case.scenario.framework.collective = 3_ms;
  const Record with = simulate(scenario_case);
  CHECK(with.weights_sha256 == without.weights_sha256);
  CHECK(with.time > without.time);
}

TEST_CASE("collectives: groups wait for log2 of their number, once round in each") {
  Case scenario_case = sum_case("tree", 16);
  Scenario& scenario = scenario_case.scenario;
  set_option(scenario.training.protocol, "group", std::int64_t{2});
  CHECK(sum_s(scenario_case) == Approx(2 * (1 + 3) * 60e-6).margin(60e-6 / kSumSteps));
}

// One of a host's eight workers is in each tree between hosts, so its port carries the bytes of
// one.
TEST_CASE("collectives: trees join hosts, chains the devices in each") {
  const auto exposed_s = [](const std::string& algorithm, std::int64_t group) {
    ShardedJob job("optimizer", 32, 16'000'000, 1);
    set_option(job.c.scenario.training.protocol, "algorithm", algorithm);
    if (group > 0) set_option(job.c.scenario.training.protocol, "group", group);
    HostSpec& host = job.host();
    host.count = 4;
    host.cores = 8;
    host.devices = 8;
    host.device_link.rate = {100e9};
    host.nic = {10e9};
    return job.step_s() - kShardedCompute_s / 4;
  };
  const double left_out_s = exposed_s("tree", 0);
  CHECK(left_out_s == exposed_s("tree", 8));
  CHECK(left_out_s < 2 * exposed_s("ring", 0));
  CHECK(exposed_s("tree", 1) == left_out_s);  // the default
}

}  // namespace
}  // namespace foretrain::testing
