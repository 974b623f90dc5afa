// Flow classes, compared with a list of each flow's ports.
#include "sim/network/bundles.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace foretrain::sim {
namespace {
using PathsByFlow = std::map<Bundles::FlowId, std::vector<Bundles::PortId>>;

std::size_t flows_in_bundles_at(const Bundles& bundles, Bundles::PortId port,
                                const PathsByFlow& paths) {
  std::size_t flows = 0;
  for (const auto& [kind, id] : bundles.at(port)) {
    for (const Bundles::FlowId flow : bundles[id].flows) {
      CHECK(std::ranges::equal(bundles[id].hops, paths.at(flow), {}, &Bundles::Hop::port));
      CHECK(&bundles.of(flow) == &bundles[id]);
      ++flows;
    }
  }
  return flows;
}

TEST_CASE("bundles: flows of the same ports are in one") {
  Bundles bundles;
  for (int port = 0; port < 5; ++port) bundles.add_port();
  const std::vector<Bundles::PortId> left{0, 1, 4};
  const std::vector<Bundles::PortId> right{2, 3, 4};
  for (Bundles::FlowId flow = 0; flow < 100; ++flow) bundles.join(flow, flow % 2 ? left : right);
  CHECK(bundles.at(0).size() == 1);
  CHECK(bundles.at(4).size() == 2);
  CHECK(bundles.flows_at(4) == 100);
  for (Bundles::FlowId flow = 1; flow < 100; flow += 2) bundles.leave(flow);
  bundles.leave(1);  // not in any class
  CHECK(bundles.at(0).empty());
  CHECK(bundles.at(4).size() == 1);
  CHECK(bundles.flows_at(4) == 50);
  CHECK_FALSE(bundles.contains(1));
  CHECK(bundles.contains(2));
}

TEST_CASE("bundles: whatever joins or leaves, each flow lies once at each of its ports") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 101));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const auto ports = static_cast<Bundles::PortId>(2 + stream.below(10));
  Bundles bundles;
  for (Bundles::PortId port = 0; port < ports; ++port) bundles.add_port();
  PathsByFlow paths;
  for (int change = 0; change < 200; ++change) {
    const auto flow = static_cast<Bundles::FlowId>(stream.below(80));
    if (paths.erase(flow) == 1) {
      bundles.leave(flow);
      continue;
    }
    std::vector<Bundles::PortId>& path = paths[flow];
    for (Bundles::PortId port = 0; port < ports; ++port) {
      if (stream.below(3) == 0) path.push_back(port);
    }
    if (path.size() < 2) path = {0, 1};
    bundles.join(flow, path);
  }
  for (Bundles::PortId port = 0; port < ports; ++port) {
    const auto passing = static_cast<std::size_t>(std::ranges::count_if(
        paths, [&](const auto& each) { return std::ranges::count(each.second, port) == 1; }));
    CHECK(flows_in_bundles_at(bundles, port, paths) == passing);
    CHECK(bundles.flows_at(port) == passing);
  }
}

}  // namespace
}  // namespace foretrain::sim
