// Transfer times of messages with shared ports, with TCP.
#include "sim/network/fabric.h"

#include "sim/network/topology.h"
#include "tests/support/actors.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;
using testing::Later;
using testing::star_of;
using Arrivals = testing::Ends;

constexpr BytesPerSecond kMegabyte{1e6};

TEST_CASE("fabric: a lone message takes its size over the rate, with both latencies") {
  Engine engine;
  Fabric network(engine, star_of(2, kMegabyte, 10_us, false));
  Arrivals arrivals;
  network.send(network.connect(0, 1), {1000}, 0, {&arrivals, 0});
  engine.run();
  CHECK(arrivals.at[0] == Instant{} + 1_ms + 20_us);
}

TEST_CASE("fabric: N messages into one port take N times as long") {
  Engine engine;
  Fabric network(engine, star_of(5, kMegabyte, 10_us, false));
  Arrivals arrivals;
  for (std::size_t sender = 0; sender < 4; ++sender) {
    network.send(network.connect(sender, 4), {1000}, 0, {&arrivals, sender});
  }
  engine.run();
  for (const Instant at : arrivals.at) CHECK(at == Instant{} + 4_ms + 20_us);
}

TEST_CASE("fabric: the two directions of a port do not share") {
  Engine engine;
  Fabric network(engine, star_of(2, kMegabyte, 10_us, false));
  Arrivals arrivals;
  network.send(network.connect(0, 1), {1000}, 0, {&arrivals, 0});
  network.send(network.connect(1, 0), {1000}, 0, {&arrivals, 1});
  engine.run();
  CHECK(arrivals.at[0] == Instant{} + 1_ms + 20_us);
  CHECK(arrivals.at[1] == Instant{} + 1_ms + 20_us);
}

TEST_CASE("fabric: a message that comes second slows the first down for as long as it lasts") {
  Engine engine;
  Fabric network(engine, star_of(3, kMegabyte, 10_us, false));
  Arrivals arrivals;
  Later later;
  network.send(network.connect(0, 2), {2000}, 0, {&arrivals, 0});
  later.add(engine, 1_ms, [&] { network.send(network.connect(1, 2), {500}, 0, {&arrivals, 1}); });
  engine.run();
  // 1 ms alone, 1 ms at half rate while 500 other bytes pass, 0.5 ms alone.
  CHECK(arrivals.at[1] == Instant{} + 2_ms + 20_us);
  CHECK(arrivals.at[0] == Instant{} + 2_ms + 500_us + 20_us);
}

TEST_CASE("fabric: messages of a connection leave one after the other with low buckets first") {
  Engine engine;
  Fabric network(engine, star_of(2, kMegabyte, 0_us, false));
  Arrivals arrivals;
  const auto connection = network.connect(0, 1);
  // 5 has begun to leave; 1 overtakes 3; the second 3 stays behind the first one.
  network.send(connection, {1000}, 5, {&arrivals, 0});
  network.send(connection, {1000}, 3, {&arrivals, 1});
  network.send(connection, {1000}, 3, {&arrivals, 2});
  network.send(connection, {1000}, 1, {&arrivals, 3});
  engine.run();
  CHECK(arrivals.at == std::vector<Instant>{Instant{} + 1_ms, Instant{} + 3_ms, Instant{} + 4_ms,
                                            Instant{} + 2_ms});
}

TEST_CASE("fabric: what waits in the kernel is overtaken by nothing") {
  Engine engine;
  Fabric network(engine, star_of(2, kMegabyte, 0_us, false), {2500}, {}, {}, {});
  Arrivals arrivals;
  const auto connection = network.connect(0, 1);
  // 3 has begun to enter the kernel; 1 overtakes 2, which has not.
  for (const std::uint32_t bucket : {5U, 4U, 3U, 2U, 1U}) {
    network.send(connection, {1000}, bucket, {&arrivals, 5 - bucket});
  }
  engine.run();
  CHECK(arrivals.at == std::vector<Instant>{Instant{} + 1_ms, Instant{} + 2_ms, Instant{} + 3_ms,
                                            Instant{} + 5_ms, Instant{} + 4_ms});
}

TEST_CASE("fabric: however many messages wait, a connection gets one share") {
  Engine engine;
  Fabric network(engine, star_of(3, kMegabyte, 0_us, false));
  Arrivals arrivals;
  const auto busy = network.connect(0, 2);
  for (std::size_t i = 0; i < 3; ++i) network.send(busy, {1000}, 0, {&arrivals, i});
  network.send(network.connect(1, 2), {1000}, 0, {&arrivals, 3});
  engine.run();
  CHECK(arrivals.at[0] == Instant{} + 2_ms);
  CHECK(arrivals.at[3] == Instant{} + 2_ms);
  CHECK(arrivals.at[2] == Instant{} + 4_ms);
}

TEST_CASE("fabric: TCP adds headers to every packet, an Ethernet wire what surrounds them") {
  CHECK(framed(1) == 67);
  CHECK(framed(1448) == 1514);
  CHECK(framed(1449) == 1449 + 2 * 66);
  Engine engine;
  Fabric network(engine, star_of(2, {125e6}, 0_us, true));
  Arrivals arrivals;
  network.send(network.connect(0, 1), {1'448'000}, 0, {&arrivals, 0});
  engine.run();
  CHECK(arrivals.at[0].seconds() == Approx(1538e3 / 125e6).epsilon(1e-6));
}

// Rounds of 10, 20, 40, ... segments, one per round trip, until sending a round takes that long.
TEST_CASE("fabric: from ten segments the window doubles each round trip until it fills the path") {
  Engine engine;
  const Duration latency = 5_ms;                                         // 20 ms per round trip
  Fabric network(engine, star_of(2, {1538.0 * 10'000}, latency, true));  // 10,000 packets/s
  Arrivals arrivals;
  const auto connection = network.connect(0, 1);
  network.send(connection, {100 * 1448}, 0, {&arrivals, 0});
  engine.run();
  // 10 at 0, 20 at 20 ms, 40 at 40 ms, the last 30 at 60 ms: 3 ms to send them.
  CHECK(arrivals.at[0].seconds() == Approx(0.060 + 0.003 + 0.010).epsilon(1e-6));
  // The window is 80 now. 160 fill 16 of 20 ms, 320 would fill 32: no waiting from then on.
  Later later;
  const Instant begin = Instant{} + 150_ms;
  later.add(engine, begin, [&] { network.send(connection, {1000 * 1448}, 0, {&arrivals, 1}); });
  engine.run();
  CHECK((arrivals.at[1] - begin).seconds() ==
        Approx(0.020 + 0.020 + (1000 - 80 - 160) / 10'000.0 + 0.010).epsilon(1e-6));
  // After an idle second it is ten segments again.
  const Instant rested = arrivals.at[1] + 2_s;
  later.add(engine, rested, [&] { network.send(connection, {20 * 1448}, 0, {&arrivals, 2}); });
  engine.run();
  CHECK((arrivals.at[2] - rested).seconds() == Approx(0.020 + 0.001 + 0.010).epsilon(1e-6));
}

// --- limits of a connection, links between devices ---

TEST_CASE("fabric: a connection carries no more than its host's flow rate, two carry twice that") {
  ClusterSpec cluster = star_of(3, kMegabyte, 10_us, false);
  cluster.hosts[0].flow_rate = {250e3};
  cluster.connections = GENERATE(1, 2);
  Engine engine;
  Fabric network(engine, cluster);
  Arrivals arrivals;
  network.send(network.connect(0, 2), {1000}, 0, {&arrivals, 0});
  network.send(network.connect(1, 2), {1000}, 0, {&arrivals, 1});
  engine.run();
  // The port of the third host has capacity for both, which is used; neither gets more.
  CHECK(arrivals.at[0] == Instant{} + (cluster.connections == 1 ? 4_ms : 2_ms) + 20_us);
  CHECK(arrivals.at[1] == Instant{} + (cluster.connections == 1 ? 4_ms : 2_ms) + 20_us);
}

// Such a flow rate limits a training no more than the interface.
TEST_CASE("fabric: a flow rate that fills the interface caps no connection") {
  ClusterSpec cluster = star_of(2, kMegabyte, 0_us, false);
  cluster.hosts[0].flow_rate = {kMegabyte.value / 4};
  cluster.hosts[0].ports = GENERATE(3, 4);
  CHECK((Topology(cluster).most_between(0, 1) > 0) == (cluster.hosts[0].ports == 3));
}

TEST_CASE("fabric: what a capped flow leaves of a port another one has") {
  ClusterSpec cluster = star_of(3, kMegabyte, 0_us, false);
  HostSpec slow = cluster.hosts[0];
  cluster.hosts[0].count = 2;
  slow.name = "slow";
  slow.count = 1;
  slow.flow_rate = {250e3};
  cluster.hosts.push_back(slow);
  Engine engine;
  Fabric network(engine, cluster);
  Arrivals arrivals;
  network.send(network.connect(2, 1), {1000}, 0, {&arrivals, 0});
  network.send(network.connect(0, 1), {1500}, 0, {&arrivals, 1});
  engine.run();
  CHECK(arrivals.at[0] == Instant{} + 4_ms);
  CHECK(arrivals.at[1] == Instant{} + 2_ms);
}

TEST_CASE("fabric: devices have a link each, or share one of their host") {
  ClusterSpec cluster = star_of(1, {1}, 1_s, true);
  cluster.hosts[0].devices = 4;
  cluster.hosts[0].device_link = {kMegabyte, 10_us, GENERATE(false, true)};
  const bool shared = cluster.hosts[0].device_link.shared;
  Engine engine;
  Fabric network(engine, cluster);
  Arrivals arrivals;
  network.send(network.connect_devices(0, 0, 1), {1000}, 0, {&arrivals, 0});
  network.send(network.connect_devices(0, 2, 3), {1000}, 0, {&arrivals, 1});
  network.send(network.connect_devices(0, 3, 2), {1000}, 0, {&arrivals, 2});
  engine.run();
  for (const Instant at : arrivals.at) CHECK(at == Instant{} + 1_ms * (shared ? 3 : 1) + 10_us);
  // It does not count as a wire of the host.
  CHECK(network.sent_by(0) == Bytes{});
}

}  // namespace
}  // namespace foretrain::sim
