// Runs of layers, with the places of all buffers of a pass.
#include "models/networks/network.h"
#include "models/networks/registry.h"
#include "tests/support/networks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <vector>

using namespace foretrain;
using Place = WorkspacePlan::Place;

namespace {

Network lenet() { return {network_spec("lenet", {}), {.image = {28, 28, 1}, .classes = 10}}; }

bool apart(const Place& a, const Place& b) {
  return a.first + a.floats <= b.first || b.first + b.floats <= a.first;
}

}  // namespace

TEST_CASE("workspace plan: lenet's convolutions with their pools are a run and the rest follows") {
  const Network network = lenet();
  const WorkspacePlan plan(network.planned({}), 512);
  REQUIRE(plan.runs().size() == 4);
  CHECK(plan.runs()[0].first == 0);
  CHECK(plan.runs()[0].last == 4);
  CHECK(plan.runs()[0].group == 64);
  CHECK(plan.runs()[1].group == 512);
  // No backward pass reads the input of a pool.
  for (const std::size_t layer : {0, 2}) CHECK_FALSE(plan.output(layer).whole);
  for (const std::size_t layer : {1, 3, 4, 5, 6}) CHECK(plan.output(layer).whole);
  CHECK(plan.output(0).floats == 64 * 28 * 28 * 6);
  CHECK(plan.output(1).floats == 512 * 14 * 14 * 6);
  // Three gradients are by outputs that stay inside the run.
  for (const std::size_t layer : {0, 1, 2}) CHECK_FALSE(plan.gradient(layer).whole);
  for (const std::size_t layer : {3, 4, 5, 6}) CHECK(plan.gradient(layer).whole);
}

TEST_CASE("workspace plan: a small batch is one group") {
  const Network network = lenet();
  const WorkspacePlan plan(network.planned({}), 8);
  for (const LayerRun& run : plan.runs()) CHECK(run.group == 8);
}

TEST_CASE("workspace plan: a run ends where a part does and where an output is added") {
  const Network network = lenet();
  const std::array<std::size_t, 2> part_begins{2, 5};
  const WorkspacePlan plan(network.planned(part_begins), 512);
  REQUIRE(plan.runs().size() == 5);
  CHECK(plan.runs()[0].last == 2);
  CHECK(plan.runs()[1].last == 4);
  CHECK(plan.output(1).whole);
  const testing::NetworkCase pooled = testing::pooled_case();
  const Network adds(pooled.spec, pooled.input);
  const WorkspacePlan of(adds.planned({}), 300);
  CHECK(of.runs().front().last == 2);  // a convolution and its pool, whose output is added later
  for (const Skip& skip : adds.skips()) {
    CHECK(of.output(skip.from).whole);
    CHECK(of.gradient(skip.from).whole);
  }
}

TEST_CASE("workspace plan: what is needed at one time lies apart") {
  for (const testing::NetworkCase& each : testing::network_cases(true)) {
    CAPTURE(each.name);
    const Network network(each.spec, each.input);
    const std::size_t layers = network.layers().size();
    const WorkspacePlan plan(network.planned({}), 600);
    std::vector<Place> always{plan.scratch()};
    for (std::size_t i = 0; i < layers; ++i) {
      always.push_back(plan.output(i));
      always.push_back(plan.saved(i));
    }
    for (std::size_t i = 0; i < layers; ++i) {
      for (const Place& other : always) CHECK(apart(plan.gradient(i), other));
      if (i > 0) CHECK(apart(plan.gradient(i), plan.gradient(i - 1)));
    }
    for (std::size_t i = 0; i < always.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(apart(always[i], always[j]));
    }
    // While a run processes its groups, its last gradient is read and the one before the run is
    // written.
    for (std::size_t r = 1; r < plan.runs().size(); ++r) {
      const LayerRun& run = plan.runs()[r];
      for (std::size_t i = run.first - 1; i + 1 < run.last; ++i) {
        CHECK(apart(plan.gradient(i), plan.gradient(run.last - 1)));
      }
    }
    for (const Place& place : always) {
      CHECK(place.first % 16 == 0);
      CHECK(4 * static_cast<std::int64_t>(place.first + place.floats) <= plan.size().value);
    }
  }
}
