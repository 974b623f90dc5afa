// Flow classes, compared with a list of each flow's ports.
#include "sim/network/flow_classes.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace foretrain::sim {
namespace {
using PathsByFlow = std::map<FlowClasses::FlowId, std::vector<FlowClasses::PortId>>;

std::size_t flows_in_bundles_at(const FlowClasses& flow_classes, FlowClasses::PortId port,
                                const PathsByFlow& paths) {
  std::size_t flows = 0;
  for (const auto& [kind, id] : flow_classes.at(port)) {
    for (const FlowClasses::FlowId flow : flow_classes[id].flows) {
      CHECK(std::ranges::equal(flow_classes[id].hops, paths.at(flow), {}, &FlowClasses::Hop::port));
      CHECK(&flow_classes.of(flow) == &flow_classes[id]);
      ++flows;
    }
  }
  return flows;
}

TEST_CASE("bundles: flows of the same ports are in one") {
  FlowClasses flow_classes;
  for (int port = 0; port < 5; ++port) flow_classes.add_port();
  const std::vector<FlowClasses::PortId> left{0, 1, 4};
  const std::vector<FlowClasses::PortId> right{2, 3, 4};
  for (FlowClasses::FlowId flow = 0; flow < 100; ++flow)
    flow_classes.join(flow, flow % 2 ? left : right);
  CHECK(flow_classes.at(0).size() == 1);
  CHECK(flow_classes.at(4).size() == 2);
  CHECK(flow_classes.flows_at(4) == 100);
  for (FlowClasses::FlowId flow = 1; flow < 100; flow += 2) flow_classes.leave(flow);
  flow_classes.leave(1);  // not in any class
  CHECK(flow_classes.at(0).empty());
  CHECK(flow_classes.at(4).size() == 1);
  CHECK(flow_classes.flows_at(4) == 50);
  CHECK_FALSE(flow_classes.contains(1));
  CHECK(flow_classes.contains(2));
}

TEST_CASE("bundles: whatever joins or leaves, each flow lies once at each of its ports") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 101));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const auto ports = static_cast<FlowClasses::PortId>(2 + stream.below(10));
  FlowClasses flow_classes;
  for (FlowClasses::PortId port = 0; port < ports; ++port) flow_classes.add_port();
  PathsByFlow paths;
  for (int change = 0; change < 200; ++change) {
    const auto flow = static_cast<FlowClasses::FlowId>(stream.below(80));
    if (paths.erase(flow) == 1) {
      flow_classes.leave(flow);
      continue;
    }
    std::vector<FlowClasses::PortId>& path = paths[flow];
    for (FlowClasses::PortId port = 0; port < ports; ++port) {
      if (stream.below(3) == 0) path.push_back(port);
    }
    if (path.size() < 2) path = {0, 1};
    flow_classes.join(flow, path);
  }
  for (FlowClasses::PortId port = 0; port < ports; ++port) {
    const auto passing = static_cast<std::size_t>(std::ranges::count_if(
        paths, [&](const auto& each) { return std::ranges::count(each.second, port) == 1; }));
    CHECK(flows_in_bundles_at(flow_classes, port, paths) == passing);
    CHECK(flow_classes.flows_at(port) == passing);
  }
}

}  // namespace
}  // namespace foretrain::sim
