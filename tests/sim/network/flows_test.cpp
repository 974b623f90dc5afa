// Flows that begin, continue, end at any time, compared with a plain twin.
#include "sim/network/flows.h"

#include "models/base/random.h"
#include "tests/support/max_min.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;

/// A planned flow, which continues with `more` after its bytes.
struct Plan {
  Instant begin;
  std::vector<std::size_t> path;
  double bytes = 0;
  double more = 0;
};

/// The ends of all flows, by a complete solution at each begin and end.
std::vector<double> twin_ends(const std::vector<double>& capacities,
                              const std::vector<Plan>& plans) {
  std::vector<double> left;
  for (const Plan& plan : plans) left.push_back(plan.bytes + plan.more);
  std::vector<double> ends(plans.size(), -1);
  double now = 0;
  for (;;) {
    std::vector<std::size_t> flowing;
    std::vector<std::vector<std::size_t>> paths;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < plans.size(); ++f) {
      if (ends[f] >= 0) continue;
      if (plans[f].begin.seconds() > now) {
        next = std::min(next, plans[f].begin.seconds());
      } else {
        flowing.push_back(f);
        paths.push_back(plans[f].path);
      }
    }
    const std::vector<double> rates = testing::max_min_rates(capacities, paths);
    for (std::size_t i = 0; i < flowing.size(); ++i) {
      next = std::min(next, now + left[flowing[i]] / rates[i]);
    }
    if (next == std::numeric_limits<double>::infinity()) return ends;
    for (std::size_t i = 0; i < flowing.size(); ++i) {
      left[flowing[i]] -= rates[i] * (next - now);
      if (left[flowing[i]] < 1e-6 * rates[i] * 1e-3) ends[flowing[i]] = next;
    }
    now = next;
  }
}

/// Runs the flows of a plan and checks every port whenever one begins or ends.
struct Player : Actor {
  Player(const std::vector<double>& capacities, const std::vector<Plan>& to_play)
      : network(engine, specs(capacities)), plans(to_play), ends(plans.size()) {
    for (std::size_t f = 0; f < plans.size(); ++f) engine.schedule(plans[f].begin, {this, 4 * f});
    engine.run();
  }
  static std::vector<PortSpec> specs(const std::vector<double>& capacities) {
    std::vector<PortSpec> ports;
    for (const double capacity : capacities) ports.push_back({capacity});
    return ports;
  }
  void wake(Instant now, std::uint64_t token) override {
    const std::size_t f = token / 4;
    if (token % 4 == 0) {
      const std::vector<FlowNetwork::PortId> path(plans[f].path.begin(), plans[f].path.end());
      ids.resize(plans.size());
      ids[f] = network.begin(path, plans[f].bytes, {this, 4 * f + 1});
      engine.schedule(now + 1_ns, {this, 3});
    } else if (token % 4 == 1 && plans[f].more > 0) {
      network.extend(ids[f], plans[f].more, {this, 4 * f + 2});
    } else if (token % 4 == 3) {
      for (FlowNetwork::PortId p = 0; p < network.ports(); ++p) {
        if (network.load(p) > network.capacity(p) * (1 + 1e-9)) ++overloads;
      }
    } else {
      ends[f] = now;
      engine.schedule(now + 1_ns, {this, 3});
    }
  }
  Engine engine;
  FlowNetwork network;
  std::vector<Plan> plans;
  std::vector<FlowNetwork::FlowId> ids;
  std::vector<Instant> ends;
  int overloads = 0;
};

std::vector<std::size_t> random_path(Stream& stream, std::size_t ports) {
  std::vector<std::size_t> all(ports);
  std::iota(all.begin(), all.end(), 0U);
  const std::size_t hops = 1 + stream.below(std::min<std::size_t>(ports, 4));
  for (std::size_t i = 0; i < hops; ++i) std::swap(all[i], all[i + stream.below(ports - i)]);
  all.resize(hops);
  return all;
}

TEST_CASE("flows: random ones end when a plain twin says with no port over its capacity") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 301));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const std::size_t ports = 1 + stream.below(10);
  std::vector<double> capacities;
  for (std::size_t p = 0; p < ports; ++p) {
    capacities.push_back(seed % 2 == 0 ? 1e6 * (1 + 9 * stream.uniform())
                                       : 1e6 * static_cast<double>(1 + stream.below(3)));
  }
  // In one of three seeds many flows have the same ports.
  std::vector<std::vector<std::size_t>> kinds(seed % 3 == 0 ? 1 + stream.below(4) : 0);
  for (auto& kind : kinds) kind = random_path(stream, ports);
  std::vector<Plan> plans(1 + stream.below(60));
  for (Plan& plan : plans) {
    // On a grid, so that several begin at once.
    plan.begin = {static_cast<std::int64_t>(stream.below(20)) * 1'000'000};
    plan.path = kinds.empty() ? random_path(stream, ports) : kinds[stream.below(kinds.size())];
    plan.bytes = 100 + static_cast<double>(stream.below(20'000));
    if (stream.below(4) == 0) plan.more = 100 + static_cast<double>(stream.below(5'000));
  }
  const Player player(capacities, plans);
  const std::vector<double> ends = twin_ends(capacities, plans);
  CHECK(player.overloads == 0);
  CHECK(player.network.flows() == 0);
  for (std::size_t f = 0; f < plans.size(); ++f) {
    CHECK(player.ends[f].seconds() == Approx(ends[f]).epsilon(1e-9).margin(2e-7));
  }
}

TEST_CASE("flows: two fill two ports that a third one wakes") {
  // Each of two senders uses its own receiver at full rate; then one sends to both.
  const std::vector<double> capacities{10e6, 10e6, 10e6, 10e6};
  const Player player(
      capacities, {{{}, {0, 2}, 40'000}, {{}, {1, 3}, 40'000}, {Instant{} + 2_ms, {0, 3}, 10'000}});
  // From 2 ms port 0 and port 3 have two flows, 5 MB/s each: 10,000 bytes take 2 ms.
  CHECK(player.ends[2] == Instant{} + 4_ms);
  CHECK(player.ends[0] == Instant{} + 5_ms);
  CHECK(player.ends[1] == Instant{} + 5_ms);
}

// Each flow has its own limiting port. Fifteen fast ones leave capacity for two slow ones.
TEST_CASE("flows: one more than an idle port has room for wakes it, whatever was promised") {
  constexpr std::size_t kFast = 15;
  constexpr std::size_t kFlows = 24;
  std::vector<double> capacities(kFlows, 0.5e6);
  std::fill_n(capacities.begin(), kFast, 1e6);
  capacities.push_back(16e6);
  std::vector<Plan> plans(kFlows);
  for (std::size_t f = 0; f < kFlows; ++f) {
    plans[f] = {{static_cast<std::int64_t>(f) * 1'000'000}, {f, kFlows}, 1e5};
  }
  const Player player(capacities, plans);
  const std::vector<double> ends = twin_ends(capacities, plans);
  CHECK(player.overloads == 0);
  for (std::size_t f = 0; f < kFlows; ++f) {
    CHECK(player.ends[f].seconds() == Approx(ends[f]).epsilon(1e-9).margin(2e-7));
  }
}

TEST_CASE("flows: a token bucket lets pass what it has saved") {
  // 1 MB/s with 10,000 bytes saved: 60,000 bytes take (60,000 - 10,000) / rate plus the time of
  // 10,000 bytes at the burst rate.
  Engine engine;
  const std::vector<PortSpec> ports{{1e6, 10'000}};
  FlowNetwork network(engine, ports);
  struct End : Actor {
    void wake(Instant now, std::uint64_t) override { at = now; }
    Instant at;
  } end;
  const std::vector<FlowNetwork::PortId> path{0};
  network.begin(path, 60'000, {&end, 0});
  engine.run();
  CHECK(end.at.seconds() == Approx(0.050).margin(1e-5));
  // 5 ms later 5,000 bytes are saved.
  struct Begin : Actor {
    void wake(Instant, std::uint64_t) override { network->begin(*path, 15'000, {end, 0}); }
    FlowNetwork* network = nullptr;
    const std::vector<FlowNetwork::PortId>* path = nullptr;
    Actor* end = nullptr;
  } begin;
  begin.network = &network;
  begin.path = &path;
  begin.end = &end;
  engine.schedule(end.at + 5_ms, {&begin, 0});
  engine.run();
  CHECK(end.at.seconds() == Approx(0.065).margin(1e-5));
}

TEST_CASE("flows: a token bucket that another port holds back goes on saving") {
  // 1 MB/s with 1 MB saved, which 2 MB use up within a second. Then a port of 0.4 MB/s limits it:
  // 0.6 MB are saved per second, up to 1 MB. The next 2 MB use them without waiting.
  const auto [bytes, saved] = GENERATE(table<double, double>({{4e5, 6e5}, {12e5, 1e6}}));
  CAPTURE(bytes);
  Engine engine;
  FlowNetwork network(engine, std::vector<PortSpec>{{1e6, 1e6}, {4e5}});
  struct Chain : Actor {
    // A flow has ended, or the next one begins later, so that the bucket has no flow in between.
    void wake(Instant now, std::uint64_t token) override {
      if (token == 0) {
        ends.push_back(now.seconds());
        if (ends.size() < 3) engine->schedule(now + 1_ms, {this, 1});
      } else if (ends.size() == 1) {
        network->begin(both, second, {this, 0});
      } else {
        network->begin(first, 2e6, {this, 0});
      }
    }
    Engine* engine = nullptr;
    FlowNetwork* network = nullptr;
    double second = 0;
    std::vector<FlowNetwork::PortId> first{0};
    std::vector<FlowNetwork::PortId> both{0, 1};
    std::vector<double> ends;
  } chain;
  chain.engine = &engine;
  chain.network = &network;
  chain.second = bytes;
  network.begin(chain.first, 2e6, {&chain, 0});
  engine.run();
  REQUIRE(chain.ends.size() == 3);
  CHECK(chain.ends[0] == Approx(1).margin(5e-3));
  CHECK(chain.ends[1] - chain.ends[0] == Approx(bytes / 4e5).margin(5e-3));
  CHECK(chain.ends[2] - chain.ends[1] == Approx((2e6 - saved) / 1e6).margin(5e-3));
}

TEST_CASE("flows: token buckets that stay full are not solved") {
  constexpr FlowNetwork::PortId kSenders = 200;
  Engine engine;
  FlowNetwork network(engine, std::vector<PortSpec>(kSenders + 1, {1e9, 1e6}));
  struct Sender : Actor {
    void wake(Instant, std::uint64_t sender) override {
      if (sender == kSenders) return;  // the end of the test
      const std::vector<FlowNetwork::PortId> path{static_cast<FlowNetwork::PortId>(sender),
                                                  kSenders};
      solved = network->solved();
      network->begin(path, 1e12, {this, 0});
    }
    FlowNetwork* network = nullptr;
    std::uint64_t solved = 0;
  } sender;
  sender.network = &network;
  for (FlowNetwork::PortId i = 0; i < kSenders; ++i) {
    engine.schedule(Instant{} + Duration{i * 5'000'000}, {&sender, i});
  }
  engine.schedule(Instant{} + 1_s, {&sender, kSenders});
  while (engine.now() < Instant{} + 1_s) engine.step();
  CHECK(network.flows() == kSenders);
  CHECK(network.load(kSenders) == Approx(1e9));
  CHECK(network.solved() - sender.solved <= 2);
}

/// Endless flows through a token bucket and a plain port after it.
struct Bucket : Actor {
  explicit Bucket(const PortSpec& spec) : network(engine, std::vector<PortSpec>{spec, {1e6}}) {}
  FlowNetwork::FlowId begin(const std::vector<FlowNetwork::PortId>& path) {
    return network.begin(path, 1e15, {this, 0});
  }
  void pass(Duration time) {
    passed = false;
    engine.schedule(engine.now() + time, {this, 0});
    while (!passed) engine.step();
  }
  void wake(Instant, std::uint64_t) override { passed = true; }
  Engine engine;
  FlowNetwork network;
  bool passed = false;
};

TEST_CASE("flows: a full token bucket is counted in as soon as more than its rate passes") {
  Bucket at({1e6, 1e6});
  const auto both = at.begin({0, 1});
  const auto plain = at.begin({1});
  at.pass(1_ms);
  REQUIRE(at.network.rate(both) == Approx(0.5e6));
  at.network.break_off(plain);
  at.pass(1_s);
  REQUIRE(at.network.rate(both) == Approx(1e6));
  SECTION("by one flow more") {
    const auto more = at.begin({0});
    at.pass(100_us);  // 1 MB lasts 200
    CHECK(at.network.rate(both) == Approx(1e6));
    CHECK(at.network.rate(more) == Approx(kBurstRate - 1e6));
    at.pass(10_ms);
    CHECK(at.network.rate(both) == Approx(0.5e6));
    CHECK(at.network.rate(more) == Approx(0.5e6));
  }
  SECTION("by another pace") {
    at.network.set_rate_factor(0, 0.25);
    at.pass(1_s);  // 1 MB lasts 1.33
    CHECK(at.network.rate(both) == Approx(1e6));
    at.pass(1_s);
    CHECK(at.network.rate(both) == Approx(0.25e6));
  }
}

TEST_CASE("flows: a full token bucket is counted in when the other port passes more") {
  Bucket at({0.6e6, 0.1e6});
  const auto both = at.begin({0, 1});
  const auto plain = at.begin({1});
  at.pass(1_s);
  REQUIRE(at.network.rate(both) == Approx(0.5e6));
  at.network.break_off(plain);
  at.pass(100_ms);  // 0.1 MB lasts 250
  CHECK(at.network.rate(both) == Approx(1e6));
  at.pass(1_s);
  CHECK(at.network.rate(both) == Approx(0.6e6));
}

/// Endless flows, some of which are aborted, through ports whose rate factors change: at any time
/// the rates equal those of a plain twin.
TEST_CASE("flows: broken off or paced anew, those that are left share as a plain twin says") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 201));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const std::size_t ports = 1 + stream.below(8);
  std::vector<double> capacities;
  for (std::size_t p = 0; p < ports; ++p) {
    capacities.push_back(1e6 * static_cast<double>(1 + stream.below(5)));
  }
  Engine engine;
  FlowNetwork network(engine, Player::specs(capacities));
  std::vector<double> paced = capacities;
  std::vector<FlowNetwork::FlowId> ids;
  std::vector<std::vector<std::size_t>> paths;
  struct Nobody : Actor {
    void wake(Instant, std::uint64_t) override { FAIL("a flow has ended"); }
  } nobody;
  struct Marker : Actor {
    void wake(Instant, std::uint64_t) override { passed = true; }
    bool passed = false;
  } marker;
  for (int change = 0; change < 60; ++change) {
    const std::uint64_t what = stream.below(4);
    if (what == 0) {
      const std::size_t port = stream.below(ports);
      const double rate_factor = 0.01 + 0.99 * stream.uniform();
      network.set_rate_factor(static_cast<FlowNetwork::PortId>(port), rate_factor);
      paced[port] = capacities[port] * rate_factor;
    } else if (what == 1 && !ids.empty()) {
      const std::size_t flow = stream.below(ids.size());
      network.break_off(ids[flow]);
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(flow));
      paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(flow));
    } else {
      const bool again = !paths.empty() && stream.below(2) == 0;
      paths.push_back(again ? paths[stream.below(paths.size())] : random_path(stream, ports));
      const std::vector<FlowNetwork::PortId> path(paths.back().begin(), paths.back().end());
      ids.push_back(network.begin(path, 1e15, {&nobody, 0}));
    }
    if (stream.below(3) == 0) continue;  // several at one instant
    marker.passed = false;
    engine.schedule(engine.now() + 1_ms, {&marker, 0});
    while (!marker.passed) engine.step();
    const std::vector<double> rates = testing::max_min_rates(paced, paths);
    for (std::size_t f = 0; f < ids.size(); ++f) {
      CHECK(network.rate(ids[f]) == Approx(rates[f]).epsilon(1e-9));
    }
  }
  CHECK(network.flows() == ids.size());
}

TEST_CASE("flows: one that is broken off has moved what it has moved") {
  Engine engine;
  const std::vector<PortSpec> ports{{1e6}};
  FlowNetwork network(engine, ports);
  struct Stop : Actor {
    void wake(Instant now, std::uint64_t token) override {
      if (token == 1) {
        ended = now;
        return;
      }
      left = network->left(flow);
      network->break_off(flow);
    }
    FlowNetwork* network = nullptr;
    FlowNetwork::FlowId flow = 0;
    double left = 0;
    Instant ended;
  } stop;
  stop.network = &network;
  const std::vector<FlowNetwork::PortId> path{0};
  stop.flow = network.begin(path, 10'000, {&stop, 2});
  network.begin(path, 10'000, {&stop, 1});
  engine.schedule(Instant{} + 4_ms, {&stop, 0});
  engine.run();
  CHECK(stop.left == Approx(8'000));       // 2,000 bytes at half the rate
  CHECK(stop.ended == Instant{} + 12_ms);  // 8,000 more alone
  CHECK(network.flows() == 0);
}

}  // namespace
}  // namespace foretrain::sim
