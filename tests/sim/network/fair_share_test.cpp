// Max-min fair shares, by hand or by their definition.
#include "sim/network/fair_share.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain::sim {
namespace {

TEST_CASE("fair share: flows into one port share it evenly") {
  const std::vector<double> capacities{10, 10, 10, 6};
  const std::vector<FlowPorts> flows{{0, 3}, {1, 3}, {2, 3}};
  CHECK(max_min_rates(capacities, flows) == std::vector<double>{2, 2, 2});
}

TEST_CASE("fair share: what a slow sender cannot use goes to the others") {
  const std::vector<double> capacities{1, 10, 10, 9};
  const std::vector<FlowPorts> flows{{0, 3}, {1, 3}, {2, 3}};
  CHECK(max_min_rates(capacities, flows) == std::vector<double>{1, 4, 4});
}

TEST_CASE("fair share: a flow is held by the tighter of its ports") {
  // Ports 0 and 1 send, 2 and 3 receive. Port 0 feeds both receivers, port 1 only the second.
  const std::vector<double> capacities{8, 8, 2, 12};
  const std::vector<FlowPorts> flows{{0, 2}, {0, 3}, {1, 3}};
  CHECK(max_min_rates(capacities, flows) == std::vector<double>{2, 6, 6});
}

TEST_CASE("fair share: on random ports every flow has a full port on which none is faster") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 41));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const std::size_t ports = 2 + stream.below(12);
  std::vector<double> capacities;
  for (std::size_t p = 0; p < ports; ++p) capacities.push_back(1 + 99 * stream.uniform());
  std::vector<FlowPorts> flows(1 + stream.below(30));
  for (FlowPorts& flow : flows) {
    flow.out = stream.below(ports);
    flow.in = (flow.out + 1 + stream.below(ports - 1)) % ports;
  }
  const std::vector<double> rates = max_min_rates(capacities, flows);
  std::vector<double> load(ports, 0);
  std::vector<double> fastest(ports, 0);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    for (const std::size_t port : {flows[f].out, flows[f].in}) {
      load[port] += rates[f];
      fastest[port] = std::max(fastest[port], rates[f]);
    }
  }
  for (std::size_t p = 0; p < ports; ++p) CHECK(load[p] <= capacities[p] * (1 + 1e-12));
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto holds = [&](std::size_t port) {
      return load[port] >= capacities[port] * (1 - 1e-12) &&
             rates[f] >= fastest[port] * (1 - 1e-12);
    };
    CHECK((holds(flows[f].out) || holds(flows[f].in)));
  }
}

}  // namespace
}  // namespace foretrain::sim
