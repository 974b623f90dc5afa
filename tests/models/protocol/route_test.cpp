// The ways of a bucket's sum, of its values, followed worker by worker.
#include "models/protocol/route.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace foretrain {
namespace {

struct Net {
  bool hypercube;
  int workers;

  [[nodiscard]] Route at(int owner, int worker) const {
    return {hypercube, workers, owner, worker};
  }
};

// How many messages a sum takes from `worker` to `owner`, one after another.
int hops(const Net& net, int owner, int worker) {
  int count = 0;
  for (std::optional<int> next = worker; next && *next != owner; ++count) {
    REQUIRE(count <= net.workers);
    next = net.at(owner, *next).sum_to();
  }
  return count;
}

// The workers whose gradients are in the sum that `worker` has once its sources have come.
std::set<int> summed(const Net& net, int owner, int worker) {
  std::set<int> all{worker};
  const Route route = net.at(owner, worker);
  for (std::size_t i = 0; i < route.sources(); ++i) {
    const std::set<int> more = summed(net, owner, route.source(i));
    for (const int each : more) REQUIRE(all.insert(each).second);  // nobody is added twice
  }
  return all;
}

const std::vector<Net> kNets{{false, 1}, {false, 2}, {false, 3}, {false, 7},
                             {true, 4},  {true, 8},  {true, 16}};

TEST_CASE("route: the owner's sum has each worker's gradient once") {
  for (const Net& net : kNets) {
    for (int owner = 0; owner < net.workers; ++owner) {
      CAPTURE(net.hypercube, net.workers, owner);
      CHECK(static_cast<int>(summed(net, owner, owner).size()) == net.workers);
    }
  }
}

TEST_CASE("route: where a sum goes it is expected, and so are values") {
  for (const Net& net : kNets) {
    for (int owner = 0; owner < net.workers; ++owner) {
      for (int worker = 0; worker < net.workers; ++worker) {
        CAPTURE(net.hypercube, net.workers, owner, worker);
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

TEST_CASE("route: a ring takes N - 1 messages one after another, a hypercube log2 N") {
  const auto farthest = [](const Net& net) {
    int most = 0;
    for (int worker = 0; worker < net.workers; ++worker)
      most = std::max(most, hops(net, 0, worker));
    return most;
  };
  CHECK(farthest({false, 7}) == 6);
  CHECK(farthest({false, 8}) == 7);
  CHECK(farthest({true, 8}) == 3);
  CHECK(farthest({true, 16}) == 4);
}

TEST_CASE("route: one worker has nobody to send to") {
  const Route alone(false, 1, 0, 0);
  CHECK(alone.sources() == 0);
  CHECK(alone.targets() == 0);
}

}  // namespace
}  // namespace foretrain
