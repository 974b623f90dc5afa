// Workers on devices in virtual time, compared with sums by hand.
#include "models/protocol/message.h"
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "scenarios/library/library.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr int kSteps = 20;
constexpr double kLayer = 4e6;            // bytes
constexpr double kGradient_s = 4 * 8e-3;  // four layers, each 2 ms forward, 6 ms backward
constexpr double kExact = 1e-4;
constexpr double kOfMessages = 0.01;  // tolerance: sums by hand ignore headers

/// Four layers on workers with one device each, `devices` per host; only what a test sets takes
/// time in the network.
class DeviceJob {
 public:
  DeviceJob(const std::string& strategy, int workers, int devices) {
    std::ofstream layers(folder_ / "four.csv");
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < 4; ++i) layers << "layer" << i << ",4000000,2,6\n";
    Scenario& s = c.scenario;
    s.name = "devices";
    s.model.profile.path = folder_ / "four.csv";
    s.model.profile_batch = 32;
    s.numerics = false;
    s.training.strategy = strategy;
    s.training.workers = workers;
    s.training.batch_size = 32;
    s.training.steps = kSteps;
    s.training.overlap = false;
    s.training.bucket_size = {1'000'000'000};
    HostSpec host;
    host.name = "box";
    host.count = workers / devices;
    host.devices = devices;
    host.nic = {1e18};
    s.cluster.hosts = {host};
    s.cluster.tcp = false;
    if (strategy == "all_reduce") return;
    HostSpec server;
    server.name = "server";
    server.nic = {1e18};
    s.cluster.hosts.push_back(server);
  }

  [[nodiscard]] Record record() const {
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    Record record = testing::simulate(c, options);
    REQUIRE(record.outcome == Outcome::done);
    return record;
  }
  /// Mean time of a step; for a single step, until all workers have its end.
  [[nodiscard]] double step_s() const {
    return record().time.seconds() / static_cast<double>(c.scenario.training.steps);
  }
  /// Replaces the four layers by three with different shares.
  void write_unlike_layers(int times) const {
    std::ofstream layers(c.scenario.model.profile.path);
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    layers << "a,4000000," << 1 * times << ',' << 9 * times << '\n';
    layers << "b,8000000," << 4 * times << ',' << 2 * times << '\n';
    layers << "c,4000000," << 3 * times << ',' << 1 * times << '\n';
  }
  HostSpec& host() { return c.scenario.cluster.hosts.front(); }

  Case c;

 private:
  TempFolder folder_;
};

TEST_CASE("devices: what a device computes is no CPU time of its host") {
  const Record record = DeviceJob("sync", 2, 1).record();
  for (const NodeTotals& node : record.nodes) CHECK(node.cpu_s < 0.1 * record.time.seconds());
  CHECK(summarize(record).phases.compute > 0.9 * 2 * record.time.seconds());
}

TEST_CASE("devices: a profile's times follow from what its device and the host's can do") {
  DeviceJob job("all_reduce", 2, 2);
  job.host().device = {20'000, {1'800e9}, {}};
  CHECK(job.step_s() == Approx(kGradient_s).epsilon(kOfMessages));
  job.c.scenario.model.profile_device = {10'000, {1'200e9}};
  CHECK(job.step_s() == Approx(kGradient_s * 2 / 3).epsilon(kOfMessages));
  job.host().device = {};
  CHECK(job.step_s() == Approx(kGradient_s).epsilon(kOfMessages));
}

TEST_CASE("devices: a gradient takes what a device was measured to train of the network") {
  DeviceJob job("all_reduce", 2, 2);
  Scenario& s = job.c.scenario;
  job.host().device = {20'000, {1'800e9}, {}};
  s.model.profile_device = {10'000, {1'200e9}};
  s.model.profile_network = "four";
  job.host().measured = {{"other", 32, 1}};
  CHECK(job.step_s() == Approx(kGradient_s * 2 / 3).epsilon(kOfMessages));  // by the data sheets
  job.host().measured = {{"four", 64, 640}, {"other", 32, 1}, {"four", 32, 800}};
  CHECK(job.step_s() == Approx(32 / 800.0).epsilon(kOfMessages));
  s.training.batch_size = 64;
  CHECK(job.step_s() == Approx(64 / 640.0).epsilon(kOfMessages));
  s.training.batch_size = 48;
  CHECK(job.step_s() == Approx((0.04 + 0.1) / 2).epsilon(kOfMessages));
  s.training.accumulate = 3;
  CHECK(job.step_s() == Approx(3 * (0.04 + 0.1) / 2).epsilon(kOfMessages));
  s.training.accumulate = 1;
  job.host().measured = {{"four", 32, 800}};
  CHECK(job.step_s() == Approx(48 / 800.0).epsilon(kOfMessages));
}

TEST_CASE("devices: workers in lockstep wait for the slowest, those of a host share it") {
  const double variation = 0.02;
  const double together = 0.05;
  const double of_two = 0.564190;  // 1 / sqrt(pi), the mean of the larger of two normal deviates
  const auto step_s = [&](const std::string& strategy, int devices) {
    DeviceJob job(strategy, 2, devices);
    job.host().compute = Duration{50'000'000};
    job.host().device.variation = variation;
    job.host().device.together = together;
    return job.step_s();
  };
  const double slowest_s = 0.05 * (1 + variation * of_two);
  CHECK(step_s("all_reduce", 1) == Approx(slowest_s).epsilon(kExact));
  CHECK(step_s("all_reduce", 2) == Approx(slowest_s * (1 + together)).epsilon(kExact));
  CHECK(step_s("async", 1) == Approx(0.05).epsilon(kExact));  // nobody waits
  DeviceJob profiled("all_reduce", 2, 1);
  profiled.host().device.variation = variation;
  CHECK(profiled.step_s() == Approx(kGradient_s * (1 + variation * of_two)).epsilon(kExact));
}

TEST_CASE("devices: the mean of the largest deviate grows with the number of workers") {
  DeviceSpec device;
  device.variation = 1;
  device.together = 0.5;
  CHECK(device.slowed(1, 1) == 1);
  CHECK(device.slowed(3, 1) == Approx(1 + 0.846284).margin(1e-5));  // 1.5 / sqrt(pi)
  CHECK(device.slowed(4, 1) == Approx(1 + 1.029375).margin(1e-5));
  CHECK(device.slowed(100, 1) == Approx(1 + 2.507594).margin(1e-5));
  CHECK(device.slowed(1, 2) == 1.5);
}

TEST_CASE("devices: what was measured is shared among layers, evaluations as in the profile") {
  DeviceJob job("all_reduce", 2, 2);
  Scenario& s = job.c.scenario;
  s.training.overlap = true;
  s.training.bucket_rule = "ddp";
  s.training.bucket_size = {4'000'000};
  s.dataset.test_take = 320;
  s.training.evaluate_every = 5;
  job.host().device_link = {{1e9}, {}, false};
  job.write_unlike_layers(3);
  const Record thrice = job.record();
  job.write_unlike_layers(1);
  const Record once = job.record();
  s.model.profile_network = "three";
  job.host().measured = {{"three", 32, 32 / 60e-3}};  // three times 20 ms
  const Record measured = job.record();
  CHECK(once.time.seconds() < 0.9 * measured.time.seconds());
  CHECK(measured.time == thrice.time);
  REQUIRE(measured.evals.size() == thrice.evals.size());
  REQUIRE(measured.evals.size() > 2);
  CHECK(measured.evals.front().time == thrice.evals.front().time);
}

TEST_CASE("devices: a forecast by measured figures says so, with the figures") {
  DeviceJob job("all_reduce", 2, 2);
  job.c.scenario.model.profile_network = "four";
  job.host().measured = {{"four", 64, 640}, {"four", 32, 800}};
  const std::vector<ComputeBasis> basis = job.record().basis;
  REQUIRE(basis.size() == 1);
  CHECK(basis.front() == ComputeBasis{ComputeBasis::From::profile,
                                      "four, 800 examples/s at a batch of 32, 640 at 64",
                                      "",
                                      0,
                                      0,
                                      false,
                                      {"box"}});
  job.host().measured.clear();
  CHECK(job.record().basis.front().of.empty());
}

// Each of N devices sends 2 (N - 1) / N of the parameters over its own link (Patarasuk, Yuan 2009).
TEST_CASE("devices: a ring within a host takes its links") {
  DeviceJob job("all_reduce", 3, 3);
  job.host().device_link = {{1e9}, {}, false};
  const double ring_s = 2.0 * 2 / 3 * 4 * kLayer / 1e9;
  CHECK(job.step_s() == Approx(kGradient_s + ring_s).epsilon(kOfMessages));
  // All messages of the three devices use the single link that they share.
  job.host().device_link.shared = true;
  CHECK(job.step_s() == Approx(kGradient_s + 3 * ring_s).epsilon(kOfMessages));
}

TEST_CASE("devices: a ring of numbers half as large takes half as long, and what encoding takes") {
  DeviceJob job("all_reduce", 3, 3);
  job.host().device_link = {{1e9}, {}, false};
  const double ring_s = 2.0 * 2 / 3 * 4 * kLayer / 1e9;
  Compression& compression = job.c.scenario.training.compression;
  compression.kind = "ratio";
  compression.ratio = 2;
  CHECK(job.step_s() == Approx(kGradient_s + ring_s / 2).epsilon(kOfMessages));
  // Each worker encodes its complete gradient and decodes the parts that others own.
  compression.encode_s = 1e-10;
  const double encode_s = 4 * kLayer * 1e-10;
  CHECK(job.step_s() > kGradient_s + ring_s / 2 + 0.9 * encode_s);
  CHECK(job.step_s() < kGradient_s + ring_s / 2 + 2.1 * encode_s);
}

// The ring visits a host's workers consecutively, so one worker per host sends to another host.
TEST_CASE("devices: a ring over hosts takes the slower of their ports and their links") {
  DeviceJob job("all_reduce", 6, 3);
  job.host().device_link = {{1e9}, {}, false};
  job.host().nic = {200e6};
  const double ring_s = 2.0 * 5 / 6 * 4 * kLayer / 200e6;
  CHECK(job.step_s() == Approx(kGradient_s + ring_s).epsilon(0.05));
  job.host().nic = {1e18};
  CHECK(job.step_s() == Approx(kGradient_s + ring_s / 5).epsilon(0.05));
}

// Without time for bytes, only the latencies of the longest chain count, twice.
TEST_CASE("devices: rings of hosts wait for fewer wires than one ring of all") {
  DeviceJob job("all_reduce", 6, 3);
  job.c.scenario.training.steps = 1;
  job.host().latency = 1_ms;  // to the switch, so 2 ms to the other host
  job.host().device_link = {{1e18}, 100_us, false};
  // One ring: three links and both wires between hosts, once for sums, once for values.
  CHECK(job.step_s() == Approx(kGradient_s + 2 * (3 * 1e-4 + 2 * 2e-3)).epsilon(1e-6));
  set_option(job.c.scenario.training.protocol, "group", std::int64_t{3});
  CHECK(job.step_s() == Approx(kGradient_s + 2 * (2 * 1e-4 + 2e-3)).epsilon(1e-6));
}

// A host sends 2 (M - 1) / M of the parameters, an equal part by each of its workers.
TEST_CASE("devices: rings of hosts share the port of each host") {
  DeviceJob job("all_reduce", 6, 3);
  job.host().device_link = {{1e18}, {}, false};
  job.host().nic = {200e6};
  set_option(job.c.scenario.training.protocol, "group", std::int64_t{3});
  const double between_s = 2.0 * 1 / 2 * 4 * kLayer / 200e6;
  CHECK(job.step_s() == Approx(kGradient_s + between_s).epsilon(0.05));
}

TEST_CASE("devices: one connection does not fill a port, four do") {
  DeviceJob job("all_reduce", 2, 1);
  job.host().nic = {1e9};
  job.host().flow_rate = {250e6};
  const double ring_s = 4 * kLayer / 1e9;
  CHECK(job.step_s() == Approx(kGradient_s + 4 * ring_s).epsilon(kOfMessages));
  job.c.scenario.cluster.connections = 4;
  CHECK(job.step_s() == Approx(kGradient_s + ring_s).epsilon(kOfMessages));
  // Sums among workers use all ports; messages between a server and a worker use one.
  job.c.scenario.cluster.connections = 1;
  job.host().ports = 4;
  CHECK(job.step_s() == Approx(kGradient_s + ring_s).epsilon(kOfMessages));
  DeviceJob servers("sync", 1, 1);
  servers.host().nic = {1e9};
  servers.host().flow_rate = {250e6};
  servers.host().ports = 4;
  CHECK(servers.step_s() == Approx(kGradient_s + 2 * 4 * ring_s).epsilon(0.03));
}

TEST_CASE("devices: by RDMA messages take no core, no headers; both ends have to have it") {
  DeviceJob job("all_reduce", 2, 1);
  const double ring_s = 4 * kLayer / 1e9;
  HostSpec& first = job.host();
  first.nic = {1e9};
  first.send = first.receive = {0, 5e-9};  // longer than on the wire
  job.c.scenario.cluster.tcp = true;
  first.count = 1;
  job.c.scenario.cluster.hosts.push_back(first);
  job.c.scenario.cluster.hosts.back().name = "other";
  const double by_tcp = job.step_s();
  CHECK(by_tcp > kGradient_s + 5 * ring_s);
  job.host().transport = "rdma";
  CHECK(job.step_s() == Approx(by_tcp));
  job.c.scenario.cluster.hosts.back().transport = "rdma";
  CHECK(job.step_s() == Approx(kGradient_s + ring_s).epsilon(1e-4));
}

// nccl-tests on such hosts report a bus bandwidth of about 185 GB/s; 22.1 ms with half of the ports
// (issue 100 of NVIDIA/nccl-tests).
TEST_CASE("devices: two DGX A100 add up 1 GiB in what NCCL was measured to take") {
  DeviceJob job("all_reduce", 16, 8);
  const std::vector<HostSpec> library = library_hosts();
  const auto named = std::ranges::find(library, "dgx-a100", &HostSpec::name);
  REQUIRE(named != library.end());
  job.host() = *named;
  job.host().count = 2;
  job.c.scenario.cluster.tcp = true;
  std::ofstream(job.c.scenario.model.profile.path)
      << "layer,parameter_bytes,forward_ms,backward_ms\npayload,1073741824,0.001,0.001\n";
  job.c.scenario.training.steps = 3;
  job.c.scenario.training.batch_size = 1;
  job.c.scenario.model.profile_batch = 1;
  job.c.scenario.training.bucket_size = {256'000'000};
  CHECK(job.step_s() == Approx(11e-3).epsilon(0.25));
  job.host().nic = {job.host().nic.value / 2};
  job.host().ports /= 2;
  CHECK(job.step_s() == Approx(22.1e-3).epsilon(0.25));
  // TCP's CPU time is the bottleneck, and the forecast says so.
  job.host().transport = "tcp";
  const Record by_tcp = job.record();
  CHECK(by_tcp.time.seconds() / 3 > 0.1);
  CHECK_THAT(basis_sentence(by_tcp), Catch::Matchers::Contains("mostly with TCP (0.09 ns a byte"));
}

// The device computes while a core of its host copies messages: the longer of the two counts.
TEST_CASE("devices: a device computes while its host's core sends") {
  DeviceJob job("sync", 1, 1);
  job.host().cores = 1;
  job.c.scenario.training.bucket_size = {static_cast<std::int64_t>(kLayer)};
  job.c.scenario.training.overlap = true;
  job.host().send = {0, 6e-3 / kLayer};
  const double with_device_s = job.step_s();
  CHECK(with_device_s == Approx(kGradient_s + 6e-3).epsilon(kOfMessages));
  // On the core itself they are sequential.
  job.host().devices = 0;
  CHECK(job.step_s() == Approx(kGradient_s + 4 * 6e-3).epsilon(kOfMessages));
}

TEST_CASE("devices: an update takes the time that the profile gives it") {
  const auto step_s = [](const std::string& shard, int workers) {
    DeviceJob job("all_reduce", workers, workers);
    Scenario& s = job.c.scenario;
    std::ofstream(s.model.profile.path)
        << "layer,parameter_bytes,forward_ms,backward_ms,update_ms\n"
           "a,4000000,4,12,1\nb,12000000,4,12,3\n";
    s.training.shard = shard;
    return job.step_s();
  };
  constexpr double kUpdate_s = 4e-3;
  CHECK(step_s("none", 4) == Approx(kGradient_s + kUpdate_s).epsilon(kExact));
  CHECK(step_s("optimizer", 4) == Approx(kGradient_s + kUpdate_s / 4).epsilon(kExact));
  CHECK(step_s("optimizer", 1) == Approx(kGradient_s + kUpdate_s).epsilon(kExact));
}

// A collective of two devices takes `sent_s`, half of the bucket each way, twice.
TEST_CASE("devices: computing slows down beside a collective, by the time of that") {
  const auto step_s = [](double beside) {
    DeviceJob job("all_reduce", 2, 2);
    Scenario& s = job.c.scenario;
    s.training.overlap = true;
    s.training.bucket_size = {4'000'000};
    s.training.steps = 1;
    job.host().device_link.rate = {4e9};
    job.host().device.slowed_by_collectives = beside;
    return job.step_s();
  };
  constexpr double kSent_s = kLayer / 4e9;
  // Three buckets travel beside the backward passes of earlier layers, each 6 ms: of what is
  // computed meanwhile a third is missing at half the speed more.
  CHECK(step_s(0.5) - step_s(0) == Approx(3 * kSent_s / 3).epsilon(kOfMessages));
}

}  // namespace
}  // namespace foretrain::testing
