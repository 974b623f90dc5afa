// Routes of sums, of values, followed worker by worker.
#include "models/protocol/route.h"

#include "models/cost/trees.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace foretrain {
namespace {

struct Net {
  Ways ways;
  int workers = ways.workers;

  [[nodiscard]] Route at(int owner, int worker) const { return {ways, owner, worker}; }
};

// The number of consecutive messages from `worker` to `owner`.
int hops(const Net& net, int owner, int worker) {
  int count = 0;
  for (std::optional<int> next = worker; next && *next != owner; ++count) {
    REQUIRE(count <= net.workers);
    next = net.at(owner, *next).sum_to();
  }
  return count;
}

// The workers whose gradients are in the sum of `worker` after its sources have arrived.
std::set<int> summed(const Net& net, int owner, int worker) {
  std::set<int> all{worker};
  const Route route = net.at(owner, worker);
  for (std::size_t i = 0; i < route.sources(); ++i) {
    const std::set<int> more = summed(net, owner, route.source(i));
    for (const int each : more) REQUIRE(all.insert(each).second);  // nobody is added twice
  }
  return all;
}

Net ring(int workers, int group = 1) { return {{workers, false, group}}; }
Net hypercube(int workers) { return {{workers, true, 1}}; }
Net star(int workers) { return {{workers, false, 1, false, true}}; }
Net binary_tree(int workers, int group = 1) { return {{workers, false, group, true}}; }

const std::vector<Net> kNets{ring(1),           ring(2),           ring(3),
                             ring(7),           ring(4, 2),        ring(6, 2),
                             ring(6, 3),        ring(12, 4),       ring(5, 5),
                             hypercube(4),      hypercube(8),      hypercube(16),
                             binary_tree(2),    binary_tree(3),    binary_tree(4),
                             binary_tree(7),    binary_tree(8),    binary_tree(13),
                             binary_tree(6, 2), binary_tree(6, 3), binary_tree(12, 2),
                             star(1),           star(2),           star(5)};

TEST_CASE("route: the owner's sum has each worker's gradient once") {
  for (const Net& net : kNets) {
    for (int owner = 0; owner < net.workers; ++owner) {
      CAPTURE(net.ways.hypercube, net.ways.tree, net.ways.group, net.workers, owner);
      CHECK(static_cast<int>(summed(net, owner, owner).size()) == net.workers);
    }
  }
}

TEST_CASE("route: where a sum goes it is expected, and so are values") {
  for (const Net& net : kNets) {
    for (int owner = 0; owner < net.workers; ++owner) {
      for (int worker = 0; worker < net.workers; ++worker) {
        CAPTURE(net.ways.hypercube, net.ways.tree, net.ways.group, net.workers, owner, worker);
        const Route route = net.at(owner, worker);
        CHECK(route.sum_to().has_value() == (worker != owner));
        CHECK(route.values_from().has_value() == (worker != owner));
        if (worker == owner) continue;
        CHECK(net.at(owner, *route.sum_to()).source_of(worker));
        const Route from = net.at(owner, *route.values_from());
        int times = 0;
        for (std::size_t i = 0; i < from.targets(); ++i) times += from.target(i) == worker ? 1 : 0;
        CHECK(times == 1);
      }
    }
  }
}

int farthest(const Net& net) {
  int most = 0;
  for (int worker = 0; worker < net.workers; ++worker) most = std::max(most, hops(net, 0, worker));
  return most;
}

TEST_CASE("route: a ring takes N - 1 messages one after another, a hypercube log2 N") {
  CHECK(farthest(ring(7)) == 6);
  CHECK(farthest(ring(8)) == 7);
  CHECK(farthest(hypercube(8)) == 3);
  CHECK(farthest(hypercube(16)) == 4);
  // With groups: those of a group plus those between groups.
  CHECK(farthest(ring(12, 4)) == 3 + 2);
  CHECK(farthest(ring(64, 8)) == 7 + 7);
}

TEST_CASE("route: a tree takes log2 N messages one after another, in groups those of a ring more") {
  for (const int workers : {2, 3, 4, 7, 8, 100}) {
    CAPTURE(workers);
    CHECK(farthest(binary_tree(workers)) == static_cast<int>(std::log2(workers)));
  }
  CHECK(farthest(binary_tree(64, 8)) == 7 + 3);
}

// So each port carries as much for both trees together as for a ring.
TEST_CASE("route: of two trees no worker is an inner node of both") {
  for (const int workers : {2, 3, 4, 5, 8, 13, 64}) {
    const Net net = binary_tree(workers);
    for (int worker = 0; worker < workers; ++worker) {
      CAPTURE(workers, worker);
      const std::size_t first = net.at(0, worker).sources();
      const std::size_t second = net.at(workers - 1, worker).sources();
      CHECK(std::max(first, second) <= 2);
      CHECK(std::min(first, second) == 0);
    }
  }
}

// Consecutive ranks on each host; 1 GB/s.
SumLinks links_of(int hosts, int workers_each, Duration latency) {
  SumLinks links;
  links.hosts.reserve(static_cast<std::size_t>(hosts * workers_each));
  for (int worker = 0; worker < hosts * workers_each; ++worker) {
    links.hosts.push_back(worker / workers_each);
  }
  links.latency = latency;
  links.rate = {1e9};
  links.port = links.rate;
  return links;
}

// Equal times: 2 (N - 1) a + 2 (N - 1) / N n / B = 2 log2 N a + 2 n / B. With 8 workers, 16 us, 1
// GB/s it is 14 x 16 us against 6 x 16 us, and n / 4 B more; with a tenth of the trees' bytes added
// 0.45 n / B.
TEST_CASE("route: trees are quicker up to where their bytes cost what their latencies save") {
  CHECK(trees_up_to(links_of(8, 1, {16'000}), 1, 1).value ==
        Approx(8 * 4 * 16'000 / 1.8).margin(1));
  CHECK(trees_up_to(links_of(2, 1, {16'000}), 1, 1) == Bytes{0});
  CHECK(trees_up_to(links_of(3, 1, {16'000}), 1, 1).value == Approx(3 * 16'000 / 0.475).margin(1));
  CHECK(trees_up_to(links_of(8, 1, {}), 1, 1) == Bytes{0});
  CHECK(trees_up_to(SumLinks{}, 1, 1) == Bytes{0});
}

// Four workers on each of two hosts. Of the ring's 14 messages 4 leave a host, over one edge per
// host; of each tree's 6 messages 2 do, over 8 edges: a + 14 / 8 n / B against 8 / 2 n / B.
TEST_CASE("route: where workers share hosts, trees share their ports, a ring leaves each once") {
  const Duration latency{9'000};
  CHECK(trees_up_to(links_of(2, 4, latency), 1, 1).value == Approx(8 * 9'000 / 10.6).margin(1));
  // Two on each host: the owner of a bucket is first or last there, so 3 messages of the ring
  // leave.
  CHECK(trees_up_to(links_of(2, 2, latency), 1, 1).value == Approx(4 * 9'000 / 2.8).margin(1));
  // Messages inside a host count if they take time: 10 against 4.
  SumLinks all_wait = links_of(2, 4, latency);
  all_wait.inside = latency;
  CHECK(trees_up_to(all_wait, 1, 1).value == Approx(8 * (1 + 3) * 9'000 / 10.6).margin(1));
  // Two more messages in each host, in both directions, and four edges per port.
  CHECK(trees_up_to(all_wait, 1, 4) > trees_up_to(all_wait, 1, 1));
  // A port that carries four connections at once: the trees use all, the ring only one.
  SumLinks wide = links_of(2, 4, latency);
  wide.port = {4e9};
  CHECK(trees_up_to(wide, 1, 1) == Bytes{1'000'000'000'000'000'000});
}

TEST_CASE("route: groups that are hosts share no port, as single workers do") {
  const Duration latency{16'000};
  for (const int hosts : {2, 3, 8, 13}) {
    CAPTURE(hosts);
    CHECK(trees_up_to(links_of(hosts, 4, latency), 4, 4) ==
          trees_up_to(links_of(hosts, 1, latency), 1, 1));
  }
}

TEST_CASE("route: trees are always quicker than a ring that leaves its hosts at every turn") {
  SumLinks in_turn = links_of(2, 4, {16'000});
  in_turn.hosts = {0, 1, 0, 1, 0, 1, 0, 1};
  CHECK(trees_up_to(in_turn, 1, 1) == Bytes{1'000'000'000'000'000'000});
}

TEST_CASE("route: of a sum in groups one message leaves each group but the owner's") {
  const Net net = ring(12, 4);
  for (int owner = 0; owner < net.workers; ++owner) {
    std::vector<int> left(3);
    for (int worker = 0; worker < net.workers; ++worker) {
      const auto to = net.at(owner, worker).sum_to();
      if (to && *to / 4 != worker / 4) ++left[static_cast<std::size_t>(worker / 4)];
    }
    CAPTURE(owner);
    CHECK(std::ranges::count(left, 1) == 2);
    CHECK(left[static_cast<std::size_t>(owner / 4)] == 0);
  }
}

TEST_CASE("route: one worker has nobody to send to") {
  const Route alone = ring(1).at(0, 0);
  CHECK(alone.sources() == 0);
  CHECK(alone.targets() == 0);
}

}  // namespace
}  // namespace foretrain
