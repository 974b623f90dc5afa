// Max-min fair shares, by hand or compared with a plain twin.
#include "sim/network/fair_share.h"

#include "models/base/random.h"
#include "tests/support/max_min.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>
#include <vector>

namespace foretrain::sim {
namespace {

using Paths = std::vector<std::vector<std::size_t>>;

// The rates of flows, each with all of its ports.
std::vector<double> rates_of(const std::vector<double>& capacities, const Paths& paths) {
  SharedPorts shared;
  for (const double capacity : capacities) shared.ports.push_back({capacity, 0});
  for (const auto& path : paths) {
    const std::vector<std::uint32_t> hops(path.begin(), path.end());
    shared.add_bundle(hops);
  }
  FairShares shares;
  FairShareSolver().solve(shared, shares);
  std::vector<double> rates;
  rates.reserve(paths.size());
  for (const std::uint32_t bottleneck : shares.bottlenecks)
    rates.push_back(shares.fair_rates[bottleneck]);
  return rates;
}

TEST_CASE("fair share: flows into one port share it evenly") {
  CHECK(rates_of({10, 10, 10, 6}, {{0, 3}, {1, 3}, {2, 3}}) == std::vector<double>{2, 2, 2});
}

TEST_CASE("fair share: what a slow sender cannot use goes to the others") {
  CHECK(rates_of({1, 10, 10, 9}, {{0, 3}, {1, 3}, {2, 3}}) == std::vector<double>{1, 4, 4});
}

TEST_CASE("fair share: a flow is held by the tighter of its ports") {
  // Ports 0 and 1 send, 2 and 3 receive. Port 0 sends to both receivers, port 1 only to the second.
  CHECK(rates_of({8, 8, 2, 12}, {{0, 2}, {0, 3}, {1, 3}}) == std::vector<double>{2, 6, 6});
}

TEST_CASE("fair share: flows that pass one port only are counted there") {
  SharedPorts shared;
  shared.ports = {{12, 3}, {2, 0}, {5, 0}};
  const std::vector<std::uint32_t> hops{0, 1};
  shared.add_bundle(hops);
  FairShares shares;
  FairShareSolver().solve(shared, shares);
  CHECK(shares.bottlenecks[0] == 1);
  CHECK(shares.fair_rates[1] == 2);
  CHECK(shares.fair_rates[0] == Approx(10.0 / 3).epsilon(1e-15));
  CHECK(std::isinf(shares.fair_rates[2]));
}

TEST_CASE("fair share: a bundle counts as its flows") {
  SharedPorts shared;
  shared.ports = {{12, 1}, {20, 0}, {4, 0}};
  shared.add_bundle(std::vector<std::uint32_t>{0, 1}, 5);
  shared.add_bundle(std::vector<std::uint32_t>{1, 2}, 2);
  FairShares shares;
  FairShareSolver().solve(shared, shares);
  CHECK(shares.bottlenecks == std::vector<std::uint32_t>{0, 2});
  CHECK(shares.fair_rates[0] == 2);
  CHECK(shares.fair_rates[2] == 2);
}

TEST_CASE("fair share: a port with a given level holds at it what is not held below") {
  // Port 2 offers 3, port 3 offers 7: more than port 1 has for its flow.
  SharedPorts shared;
  shared.ports = {
      {12, 1}, {5, 0}, {.capacity = 100, .fair_rate = 3}, {.capacity = 1, .fair_rate = 7}};
  shared.add_bundle(std::vector<std::uint32_t>{0, 2}, 2);
  shared.add_bundle(std::vector<std::uint32_t>{1, 3});
  FairShares shares;
  FairShareSolver().solve(shared, shares);
  CHECK(shares.bottlenecks == std::vector<std::uint32_t>{2, 1});
  CHECK(shares.fair_rates[2] == 3);
  CHECK(shares.fair_rates[1] == 5);
  CHECK(shares.fair_rates[0] == 6);
  CHECK(std::isinf(shares.fair_rates[3]));
}

TEST_CASE("fair share: random flows over random ports get what a plain twin gives them") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 201));
  CAPTURE(seed);
  Stream stream(seed, "test");
  const std::size_t ports = 2 + stream.below(12);
  std::vector<double> capacities;
  // Few different capacities, so that many ports are full at once.
  for (std::size_t p = 0; p < ports; ++p) {
    capacities.push_back(seed % 2 == 0 ? 1 + 99 * stream.uniform()
                                       : static_cast<double>(1 + stream.below(3)));
  }
  Paths paths(1 + stream.below(40));
  for (auto& path : paths) {
    std::vector<std::size_t> all(ports);
    std::iota(all.begin(), all.end(), 0U);
    const std::size_t hops = 1 + stream.below(std::min<std::size_t>(ports, 5));
    for (std::size_t i = 0; i < hops; ++i) {
      std::swap(all[i], all[i + stream.below(ports - i)]);
      path.push_back(all[i]);
    }
  }
  const std::vector<double> rates = rates_of(capacities, paths);
  const std::vector<double> twin = testing::max_min_rates(capacities, paths);
  for (std::size_t f = 0; f < paths.size(); ++f) CHECK(rates[f] == Approx(twin[f]).epsilon(1e-9));
}

}  // namespace
}  // namespace foretrain::sim
