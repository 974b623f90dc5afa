// Resident memory of simulated nodes: counted, growing, compared with a run's.
#include "sim/memory/resident.h"

#include "exec/launch/run.h"
#include "models/graph/node_memory.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/instruments.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <string>

namespace foretrain::testing {
namespace {

TEST_CASE("resident memory: of a simulated node never falls and ends at its most") {
  const std::string strategy = GENERATE("sync", "async", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 50);
  scenario_case.scenario.training.evaluate_every = 20;
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = {1'000'000};
  const Record record = simulate(scenario_case, options);
  REQUIRE(record.outcome == Outcome::done);
  std::map<int, Bytes> before;
  for (const UsageRow& row : record.usage) {
    CHECK(row.rss >= before[row.node]);
    before[row.node] = row.rss;
  }
  for (std::size_t i = 0; i < record.nodes.size(); ++i) {
    CHECK(record.nodes[i].rss == before[static_cast<int>(i)]);
    CHECK(record.nodes[i].rss > made_up_machine().memory_base);
  }
  CHECK(record.nodes[0].rss > record.nodes[1].rss);  // the chief evaluates
}

TEST_CASE("resident memory: a server that waits for the slowest gathers what the others pushed") {
  using namespace literals;
  const auto server_rss = [](const std::string& strategy, int workers) {
    Case scenario_case = star_case(strategy, workers, 10, 10_ms);
    StragglerSpec slow;
    slow.workers = {0};
    slow.slowdown = 3;
    scenario_case.scenario.stragglers.push_back(slow);
    return *simulate(scenario_case).nodes.back().rss;
  };
  const Bytes two = server_rss("sync", 2);
  const Bytes ten = server_rss("sync", 10);
  // Headers do not count.
  const std::int64_t gradient = 4 * 7'850;
  CHECK((ten - two).value == 8 * gradient);
  CHECK(server_rss("async", 10) < ten);
}

TEST_CASE("resident memory: simulated with numerics or without it is the same") {
  Case scenario_case = small_case("sync", 2, 10);
  const Record on = simulate(scenario_case);
  scenario_case.scenario.numerics = false;
  const Record off = simulate(scenario_case);
  for (std::size_t i = 0; i < on.nodes.size(); ++i) CHECK(on.nodes[i].rss == off.nodes[i].rss);
}

// Debian's kernels use pages of 2 MB as soon as one byte of a region is touched: heap, stacks of
// two threads, the arena of one.
double huge_page_bytes() {
  std::string told;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), told);
  constexpr double kPage = 2 << 20;
  return told.find("[always]") == std::string::npos ? 0 : 4 * kPage;
}

TEST_CASE("resident memory: a run's nodes hold what is counted beside the program") {
  if (kSanitized || kCounted) {
    WARN("skipped: sanitizers, counters of lines keep memory of their own");
    return;
  }
  Case scenario_case = small_case("sync", 2, 20);
  scenario_case.scenario.model.name = "lenet_large";
  scenario_case.scenario.training.batch_size = 4;
  scenario_case.scenario.dataset.test_take = 20;
  exec::RunOptions options;
  options.program = program_path();
  const Record record = exec::run(scenario_case, options);
  REQUIRE(record.outcome == Outcome::done);
  const Prepared prepared = prepare(scenario_case, Need::shape);
  const Training& training = *prepared.training;
  for (std::size_t i = 0; i < record.nodes.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    const NodeMemory counted = node_memory(training, prepared.data_memory, id);
    const Bytes predicted =
        Machine{}.memory_base + counted.resident(i == 0, expected_held(training, id));
    CAPTURE(record.nodes[i].role, record.nodes[i].rss->value, predicted.value);
    CHECK(static_cast<double>(record.nodes[i].rss->value) ==
          Approx(static_cast<double>(predicted.value)).epsilon(0.15).margin(huge_page_bytes()));
  }
}

}  // namespace
}  // namespace foretrain::testing
