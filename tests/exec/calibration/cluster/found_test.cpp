// Properties of hosts from measurements of pairs.
#include "exec/calibration/cluster/found.h"

#include "tests/exec/calibration/cluster/made_up.h"

#include <catch2/catch.hpp>

#include <set>
#include <utility>

namespace foretrain::testing {
namespace {

using exec::ClusterFound;
using exec::PairFound;
using exec::Wire;

// Sets the one-way latency between two hosts.
void set_way(ClusterFound& found, std::size_t a, std::size_t b, Duration way) {
  for (PairFound& pair : found.pairs) {
    const bool meant = (pair.from == a && pair.to == b) || (pair.from == b && pair.to == a);
    if (meant) pair.round_trip = way * 2;
  }
}

void slow_host(ClusterFound& found, std::size_t host, double factor) {
  for (PairFound& pair : found.pairs) {
    if (pair.from != host && pair.to != host) continue;
    for (double& rate : pair.bytes_ps) rate *= factor;
  }
}

TEST_CASE("cluster: all pairs of a small one both ways, of a large one to powers of two") {
  CHECK(exec::pairs_among(1).empty());
  CHECK(exec::pairs_among(2).size() == 2);
  CHECK(exec::pairs_among(8).size() == 56);
  const auto pairs = exec::pairs_among(16);
  CHECK(pairs.size() == 16 * 4);
  std::set<std::pair<std::size_t, std::size_t>> different;
  for (const PairFound& pair : pairs) {
    CHECK(pair.from != pair.to);
    different.emplace(pair.from, pair.to);
  }
  CHECK(different.size() == pairs.size());
}

TEST_CASE("cluster: a wire has what the frames of its bytes take, half of the way's latency") {
  for (const std::size_t hosts : {2, 3, 12}) {
    for (const Wire& wire : wires_of(made_up_cluster(hosts))) {
      CHECK(wire.nic.value == Approx(25e6));
      CHECK(wire.flow_rate.value == 0);
      CHECK(wire.latency.ns == Approx(2e6).epsilon(1e-3));
    }
  }
}

TEST_CASE("cluster: one connection that carries less has its rate, in what interfaces count") {
  ClusterFound found = made_up_cluster(3);
  for (PairFound& pair : found.pairs) pair.bytes_ps = {1.448e6, 10e6, 20e6};
  for (const Wire& wire : wires_of(found)) CHECK(wire.flow_rate.value == Approx(1.514e6));
  for (PairFound& pair : found.pairs) pair.bytes_ps = {19e6, 20e6, 10e6};
  for (const Wire& wire : wires_of(found)) CHECK(wire.flow_rate.value == 0);
}

TEST_CASE("cluster: a slow host makes no other one slow") {
  ClusterFound found = made_up_cluster(3);
  slow_host(found, 1, 0.5);
  const auto wires = wires_of(found);
  CHECK(wires[0].nic.value == Approx(25e6));
  CHECK(wires[1].nic.value == Approx(12.5e6));
  CHECK(wires[2].nic.value == Approx(25e6));
  CHECK(slow_pairs(found, wires).empty());  // each has the rate of its slower wire
}

TEST_CASE("cluster: latencies of three hosts follow from the ways between them") {
  ClusterFound found = made_up_cluster(3);  // 1, 2 and 5 ms to the switch
  set_way(found, 0, 1, Duration{3'000'000});
  set_way(found, 0, 2, Duration{6'000'000});
  set_way(found, 1, 2, Duration{7'000'000});
  const auto wires = wires_of(found);
  CHECK(wires[0].latency.ns == Approx(1e6).epsilon(0.01));
  CHECK(wires[1].latency.ns == Approx(2e6).epsilon(0.01));
  CHECK(wires[2].latency.ns == Approx(5e6).epsilon(0.01));
}

TEST_CASE("cluster: a pair that is slow is named, and spoils no wire") {
  ClusterFound found = made_up_cluster(6);
  PairFound& slow = found.pairs[1];  // 1 to 2
  slow.bytes_ps = {1e6, 1e6, 1e6};
  PairFound& far = found.pairs[3];  // 3 to 4
  far.round_trip = Duration{20'000'000};
  const auto wires = wires_of(found);
  for (const Wire& wire : wires) {
    CHECK(wire.nic.value == Approx(25e6));
    CHECK(wire.latency.ns == Approx(2e6).epsilon(1e-3));
  }
  const auto pairs = slow_pairs(found, wires);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0] == "node1 to node2: 8.497 Mbps of 200 Mbps");
  CHECK(pairs[1] == "node3 to node4: 10 ms one way, not 4 ms");
}

TEST_CASE("cluster: hosts that are alike are one kind, with the one in the middle as its machine") {
  ClusterFound found = made_up_cluster(3);
  found.hosts[0].machine.models.begin()->second.gradient.per_item_s *= 1.04;
  found.hosts[1].machine.models.begin()->second.gradient.per_item_s *= 0.97;
  const auto kinds = kinds_of(found, wires_of(found));
  REQUIRE(kinds.size() == 1);
  CHECK(kinds[0].name == "amd-epyc-7b13");
  CHECK(kinds[0].hosts == std::vector<std::size_t>{0, 1, 2});
  CHECK(kinds[0].typical == 2);
  CHECK(kinds[0].differs.empty());
  CHECK(kinds[0].wire.nic == BytesPerSecond{25e6});
  CHECK(kinds[0].wire.latency == Duration{2'000'000});
}

TEST_CASE("cluster: a host that differs by more than a tenth is a kind that says in what") {
  ClusterFound found = made_up_cluster(4);
  found.hosts[1].machine.models.begin()->second.gradient.per_item_s *= 2;
  found.hosts[3].processor.name = "";
  slow_host(found, 2, 0.5);
  const auto kinds = kinds_of(found, wires_of(found));
  REQUIRE(kinds.size() == 4);
  CHECK(kinds[0].name == "amd-epyc-7b13");
  CHECK(kinds[1].name == "amd-epyc-7b13-2");
  CHECK(kinds[1].differs == "gradients of softmax 784x10 take 1.91 times as long");
  CHECK(kinds[2].name == "amd-epyc-7b13-3");
  CHECK(kinds[2].differs == "its nic has 0.50 times the rate");
  CHECK(kinds[3].name == "host");
  CHECK(kinds[3].differs.empty());
}

TEST_CASE("cluster: latencies of a few microseconds are alike") {
  ClusterFound found = made_up_cluster(3);
  set_way(found, 0, 1, Duration{10'000});
  set_way(found, 0, 2, Duration{20'000});
  set_way(found, 1, 2, Duration{22'000});
  CHECK(kinds_of(found, wires_of(found)).size() == 1);
}

TEST_CASE("cluster: the ring's worst host is held against its pair alone") {
  ClusterFound found = made_up_cluster(3);
  CHECK(ring_share(found) == Approx(1));
  found.ring[2] /= 4;
  CHECK(ring_share(found) == Approx(0.25));
  found.ring.clear();
  CHECK(ring_share(found) == 0);
}

}  // namespace
}  // namespace foretrain::testing
