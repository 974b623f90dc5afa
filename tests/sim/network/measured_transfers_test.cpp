// Transfers measured between network namespaces, or simulated by packets elsewhere.
#include "sim/network/fabric.h"
#include "tests/support/actors.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;

/// The arrival of the last of `senders` messages to one host, in seconds.
double incast_s(ClusterSpec cluster, int senders, Bytes size) {
  cluster.hosts[0].count = senders + 1;
  Engine engine;
  Fabric network(engine, cluster);
  testing::Ends ends;
  for (int sender = 1; sender <= senders; ++sender) {
    network.send(network.connect(static_cast<std::size_t>(sender), 0), size, 0, {&ends, 0});
  }
  engine.run();
  return ends.at.at(0).seconds();
}

ClusterSpec star(BytesPerSecond rate, Bytes burst, Duration latency) {
  ClusterSpec cluster = testing::star_of(1, rate, latency, true);
  cluster.hosts[0].burst = burst;
  return cluster;
}

TEST_CASE("transfers: through a token bucket as measured between network namespaces") {
  struct Row {
    double rate;  // bytes/s
    std::int64_t burst;
    std::int64_t size;
    int senders;
    double measured_ms;
  };
  const Row row = GENERATE(values<Row>({
      {125e6, 262'144, 1'000'000, 1, 6.44},
      {125e6, 262'144, 1'000'000, 2, 14.81},
      {125e6, 262'144, 25'000'000, 1, 207.2},
      {125e6, 262'144, 25'000'000, 2, 416.4},
      {12.5e6, 262'144, 1'000'000, 1, 62.9},
      {12.5e6, 262'144, 1'000'000, 2, 146.5},
      {12.5e6, 262'144, 25'000'000, 1, 2'070.5},
      {12.5e6, 262'144, 25'000'000, 2, 4'161.7},
      {12.5e6, 16'384, 31'400, 1, 1.605},
      {12.5e6, 16'384, 31'400, 2, 4.326},
      {12.5e6, 16'384, 1'000'000, 1, 82.6},
      {12.5e6, 16'384, 1'000'000, 2, 166.3},
  }));
  CAPTURE(row.rate, row.burst, row.size, row.senders);
  const double ms = incast_s(star({row.rate}, {row.burst}, 0_ns), row.senders, {row.size}) * 1e3;
  // Within 3 %, or the time of a kernel's queues.
  CHECK(ms == Approx(row.measured_ms).margin(std::max(0.4, 0.03 * row.measured_ms)));
}

TEST_CASE("transfers: over fresh connections as a packet-level simulation has them") {
  struct Row {
    std::int64_t size;
    int senders;
    double packets_ms;  // ns-3.37, cubic, 1 Gbit/s, 25 us per link, including the handshake
  };
  const Row row = GENERATE(values<Row>({
      {31'400, 1, 0.430},
      {31'400, 2, 0.686},
      {31'400, 4, 1.207},
      {1'000'000, 1, 8.468},
      {1'000'000, 2, 16.76},
      {1'000'000, 4, 33.36},
      {25'000'000, 1, 207.6},
      {25'000'000, 2, 417.3},
      {25'000'000, 4, 830.0},
  }));
  CAPTURE(row.size, row.senders);
  const double handshake_s = 4 * 25e-6;  // a round trip before the first byte
  const double ms =
      (handshake_s + incast_s(star({125e6}, {}, 25_us), row.senders, {row.size})) * 1e3;
  CHECK(ms == Approx(row.packets_ms).epsilon(row.size < 1'000'000 ? 0.15 : 0.05));
}

}  // namespace
}  // namespace foretrain::sim
