// A change is solved only for the ports that it affects, compared with a complete twin.
#include "sim/network/affected_component.h"

#include "models/base/random.h"
#include "sim/network/flows.h"
#include "tests/support/max_min.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;
using Route = std::vector<std::size_t>;

/// Endless flows, with a twin that knows only paths and capacities.
struct Endless : Actor {
  static constexpr double kBytes = 1e12;

  explicit Endless(std::vector<double> all) : capacities(std::move(all)), network(engine, {}) {
    for (const double capacity : capacities) network.add_port({capacity});
  }
  void wake(Instant, std::uint64_t token) override {
    if (token == 0) FAIL("a flow has ended");
    passed = true;
  }
  void begin(const Route& route) {
    const std::vector<FlowNetwork::PortId> path(route.begin(), route.end());
    ids.push_back(network.begin(path, kBytes, {this, 0}));
    routes.push_back(route);
    left.push_back(kBytes);
  }
  void break_off(std::size_t flow) {
    network.break_off(ids[flow]);
    const auto at = static_cast<std::ptrdiff_t>(flow);
    ids.erase(ids.begin() + at);
    routes.erase(routes.begin() + at);
    left.erase(left.begin() + at);
  }
  void set_capacity(std::size_t port, double rate_factor, double full) {
    network.set_rate_factor(static_cast<FlowNetwork::PortId>(port), rate_factor);
    capacities[port] = full * rate_factor;
  }
  void pass(Duration time) {
    passed = false;
    engine.schedule(engine.now() + time, {this, 1});
    while (!passed) engine.step();
  }
  /// The number of ports solved since the last call, after a comparison with the twin.
  std::uint64_t solve() {
    const std::uint64_t before = network.solved();
    pass(1_ms);
    const std::vector<double> rates = testing::max_min_rates(capacities, routes);
    std::size_t wrong = 0;
    for (std::size_t f = 0; f < ids.size(); ++f) {
      left[f] -= rates[f] * 1e-3;
      if (network.rate(ids[f]) != Approx(rates[f]).epsilon(1e-9)) ++wrong;
      if (network.left(ids[f]) != Approx(left[f]).epsilon(1e-12)) ++wrong;
    }
    CHECK(wrong == 0);
    for (FlowNetwork::PortId p = 0; p < network.ports(); ++p) {
      if (network.load(p) > capacities[p] * (1 + 1e-9)) ++wrong;
    }
    CHECK(wrong == 0);
    return network.solved() - before;
  }

  std::vector<double> capacities;
  Engine engine;
  FlowNetwork network;
  std::vector<FlowNetwork::FlowId> ids;
  std::vector<Route> routes;
  std::vector<double> left;
  bool passed = false;
};

// Through neighbouring ports, so that chains form.
Route chained_route(Stream& stream, std::size_t ports) {
  Route route(1 + stream.below(4));
  const std::size_t first = stream.below(ports - route.size());
  for (std::size_t i = 0; i < route.size(); ++i) route[i] = first + i;
  return route;
}

// From one of n hosts to another, as in a ring or over a hypercube: ports 0 to n - 1 send.
Route between_hosts(Stream& stream, std::size_t ports) {
  const std::size_t hosts = ports / 2;
  const std::size_t from = stream.below(hosts);
  const std::size_t ahead = std::size_t{1} << stream.below(5);
  return {from, hosts + (from + ahead) % hosts};
}

TEST_CASE("region: whatever happens rates are those of a twin that solves all") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 61));
  CAPTURE(seed);
  Stream stream(seed, "test");
  constexpr std::size_t kPorts = 64;
  const auto route = [&] {
    return seed % 2 == 0 ? chained_route(stream, kPorts) : between_hosts(stream, kPorts);
  };
  // For one of three seeds all ports are equal, so that many are full at one rate.
  std::vector<double> full(kPorts);
  for (double& each : full) {
    each = seed % 3 == 0 ? 3e6 : 1e6 * (1 + 9 * stream.uniform());
  }
  Endless all(full);
  for (int i = 0; i < (seed % 2 == 0 ? 160 : 90); ++i) all.begin(route());
  all.solve();
  std::uint64_t solved = 0;
  for (int change = 0; change < 60; ++change) {
    const std::uint64_t what = stream.below(5);
    if (what == 0) {
      const std::size_t port = stream.below(kPorts);
      all.set_capacity(port, 0.2 + 0.8 * stream.uniform(), full[port]);
    } else if (what < 3) {
      all.break_off(stream.below(all.ids.size()));
    } else {
      all.begin(route());
    }
    // Sometimes after one change, sometimes after several at one instant.
    if (stream.below(4) > 0) solved += all.solve();
  }
  // Complete components would be 800 and more ports, about 45 times.
  CHECK(solved < 780);
}

// A flow through each pair of neighbouring ports: half of a port's capacity each.
TEST_CASE("region: a change in the middle of a long chain is solved where it is") {
  constexpr std::size_t kPorts = 300;
  Endless row(std::vector<double>(kPorts, 1e6));
  for (std::size_t p = 0; p + 1 < kPorts; ++p) row.begin({p, p + 1});
  row.solve();
  row.begin({150});
  const std::uint64_t joined = row.solve();
  row.break_off(row.ids.size() - 1);
  const std::uint64_t left = row.solve();
  CHECK(joined > 0);
  CHECK(joined < 30);
  CHECK(left > 0);
  CHECK(left < 30);
}

// Each host receives 1 MB/s from port 0, but only half of that beside a flow of another one.
TEST_CASE("region: ports outside that hold its flows back are not solved") {
  constexpr std::size_t kHosts = 10;
  std::vector<double> capacities(1 + kHosts, 1e6);
  capacities[0] = 8e6;
  Endless hub(capacities);
  for (std::size_t host = 1; host <= kHosts; ++host) {
    hub.begin({0, host});
    hub.begin({host});
  }
  hub.begin({0});
  hub.solve();
  CHECK(hub.network.rate(hub.ids.back()) == Approx(3e6));
  hub.begin({0});
  CHECK(hub.solve() == 1);
  CHECK(hub.network.rate(hub.ids.back()) == Approx(1.5e6));
}

// Port p has two flows: the previous port limits one, the other takes the rest, 10 KB/s more than
// the first. So what the first flow loses the second gains, and so on to the end.
TEST_CASE("region: a change that reaches all of a long chain costs no more than twice a solution") {
  constexpr std::size_t kFlows = 200;
  std::vector<double> capacities{1e6};
  for (std::size_t p = 1; p < kFlows; ++p) {
    capacities.push_back(2e6 + 1e4 * static_cast<double>(2 * p - 1));
  }
  capacities.push_back(1e9);
  Endless row(capacities);
  for (std::size_t p = 0; p < kFlows; ++p) row.begin({p, p + 1});
  row.solve();
  row.set_capacity(0, 0.999, 1e6);
  const std::uint64_t solved = row.solve();
  CHECK(row.network.rate(row.ids.back()) == Approx(1e6 + 1e4 * (kFlows - 1) + 1e3));
  CHECK(solved >= kFlows);
  CHECK(solved <= 2 * kFlows);
}

// Port 0 feeds 300 ports; a chain like that above begins at one of them.
TEST_CASE("region: what reaches many ports at once is not solved again for each that follows") {
  constexpr std::size_t kFed = 300;
  constexpr std::size_t kChain = 30;
  std::vector<double> capacities(1 + kFed, 2.01e6);
  capacities[0] = 1e6 * kFed;
  for (std::size_t p = 1; p < kChain; ++p) {
    capacities.push_back(2e6 + 1e4 * static_cast<double>(2 * p + 1));
  }
  capacities.push_back(1e9);
  Endless many(capacities);
  for (std::size_t p = 1; p <= kFed; ++p) many.begin({0, p});
  for (std::size_t p = 1; p < kFed; ++p) many.begin({p});
  for (std::size_t p = kFed; p < kFed + kChain; ++p) many.begin({p, p + 1});
  many.solve();
  many.set_capacity(0, 0.999, 1e6 * kFed);
  const std::uint64_t solved = many.solve();
  CHECK(solved >= kFed + kChain);
  CHECK(solved <= 2 * (1 + kFed + kChain));
}

// Port 0 passes 4 MB/s, a token bucket after it 2 MB/s with 100,000 bytes saved. What the bucket
// saves while others use port 0 counts as soon as they have gone, although nothing changed at the
// bucket.
TEST_CASE("region: a token bucket that a change reaches from elsewhere spends what it has saved") {
  Endless two({4e6});
  two.network.add_port({2e6, 100'000});
  const auto through =
      two.network.begin(std::vector<FlowNetwork::PortId>{0, 1}, Endless::kBytes, {&two, 0});
  two.pass(1_ms);
  CHECK(two.network.rate(through) == Approx(4e6));  // the bucket is full
  two.pass(59_ms);
  CHECK(two.network.rate(through) == Approx(2e6));  // it lasted 50 ms
  for (int i = 0; i < 3; ++i) two.begin({0});
  two.pass(60_ms);
  CHECK(two.network.rate(through) == Approx(1e6));  // a quarter of port 0; 60,000 bytes are saved
  while (!two.ids.empty()) two.break_off(two.ids.size() - 1);
  two.pass(29_ms);
  CHECK(two.network.rate(through) == Approx(4e6));
  two.pass(2_ms);
  CHECK(two.network.rate(through) == Approx(2e6));
}

}  // namespace
}  // namespace foretrain::sim
