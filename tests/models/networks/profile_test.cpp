// A network given by a profile: its costs, the stages of its gradient.
#include "models/cost/work.h"
#include "models/graph/step_graph.h"
#include "models/networks/network.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/job.h"
#include "models/protocol/registry.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace foretrain {
namespace {
using namespace literals;

/// Two layers of 1,000 parameters around one without, measured at 32 examples; one bucket each.
std::shared_ptr<Training> profiled_training(double scale = 1) {
  const NetworkProfile profile{{{"conv", 1'000, 1e-3 * scale, 3e-3 * scale},
                                {"pool", 0, 0.5e-3 * scale, 0.25e-3 * scale},
                                {"dense", 1'000, 2e-3 * scale, 4e-3 * scale}},
                               32};
  auto training = std::make_shared<Training>();
  training->protocol = &protocol_called("sync");
  training->batch_size = 32;
  training->network = std::make_shared<const Network>(profile);
  training->optimizer = make_optimizer({});
  training->layout = std::make_shared<const Layout>(make_layout(2'000, Bytes{4'000}, 1));
  training->numerics = false;
  return training;
}

TEST_CASE("profile: the costs of a network are the sums of its layers") {
  const auto training = profiled_training();
  const Network& network = *training->network;
  CHECK(network.profiled());
  CHECK(network.parameters() == 2'000);
  CHECK(network.first_parameter(2) == 1'000);
  CHECK(gradient_cost(network, 32).measured == 10'750_us);
  CHECK(gradient_cost(network, 64).measured == 21'500_us);
  CHECK(evaluation_cost(network, 320).measured == 35_ms);
  CHECK(WorkspacePlan(network.planned({}), 32).size().value == 0);
}

TEST_CASE("profile: a network without layers is refused") {
  CHECK_THROWS_AS(Network(NetworkProfile{}), NetworkError);
}

TEST_CASE("profile: a bucket leaves behind its layer and a layer waits for its bucket alone") {
  const auto stages = gradient_stages(*profiled_training());
  REQUIRE(stages.size() == 3);
  CHECK(stages[0].needs == std::vector<std::uint32_t>{0});
  CHECK(stages[0].buckets.empty());
  CHECK(stages[0].cost.measured == 1'500_us);
  CHECK(stages[1].needs == std::vector<std::uint32_t>{1});
  CHECK(stages[1].buckets == std::vector<std::uint32_t>{1});
  CHECK(stages[1].cost.measured == 6_ms);
  CHECK(stages[2].needs.empty());
  CHECK(stages[2].buckets == std::vector<std::uint32_t>{0});
  CHECK(stages[2].cost.measured == 3'250_us);
  CHECK(stages[1].share == Approx(6 / 10.75));
}

TEST_CASE("profile: passes below 50 us do not become jobs of their own") {
  CHECK(gradient_stages(*profiled_training(1e-3)).size() == 1);
}

TEST_CASE("profile: without overlap a gradient is one job") {
  const auto training = profiled_training();
  training->overlap = false;
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() == 1);
  CHECK(stages[0].cost.measured == 10'750_us);
  CHECK(stages[0].share == 1);
}

TEST_CASE("profile: the step graph adds up to its times and tells no shapes") {
  const StepGraph graph = make_step_graph(*profiled_training());
  CHECK(totals(graph).measured == 10'750_us);
  CHECK(totals(graph, OperationKind::backward).measured == 7'250_us);
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
    CAPTURE(graph[v].name);
    CHECK(!graph[v].output);
    if (graph[v].kind < OperationKind::push) CHECK(graph[v].cost.bytes() == Bytes{0});
  }
}

}  // namespace
}  // namespace foretrain
