// Crossovers, compared with their computed positions.
#include "sim/whatif/crossover.h"

#include "reports/record/flat.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/sweep/finding.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

sim::SimulateOptions crossover_options() {
  sim::SimulateOptions crossover_options;
  crossover_options.machines = [](const std::string&) { return made_up_machine(); };
  return crossover_options;
}

Case star_with_port(int workers, Duration compute) {
  Case scenario_case = star_case("sync", workers, 30, compute);
  scenario_case.scenario.cluster.hosts[0].nic = {static_cast<double>(message_size().value) / 1e-3};
  return scenario_case;
}

TEST_CASE("crossover: a server's port binds from where its time exceeds a gradient") {
  // 12 N ms in, 11 N ms out, 12 gradients of 19 ms: 23 N >= 228 from N = 10 on; with 40 ms from 21.
  const auto [compute, expected] = GENERATE(table<Duration, int>({{19_ms, 10}, {40_ms, 21}}));
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const sim::Trials trials(prepare(star_with_port(2, compute), Need::shape), simulate, data_sets);
  const auto found = sim::find_crossovers(trials);
  REQUIRE(found.size() == 2);
  CHECK(found[0].value == expected);
}

TEST_CASE("crossover: a port that never binds is said to be free") {
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const sim::Trials trials(prepare(star_case("sync", 2, 30, 20_ms), Need::shape), simulate,
                           data_sets);
  CHECK(sim::find_crossovers(trials)[0].answer ==
        "Not with up to 256 workers, the most that were tried.");
}

TEST_CASE("crossover: with backup workers the search begins where one is left to make a step") {
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const auto first_answer = [&](Case scenario_case, std::int64_t backups) {
    set_option(scenario_case.scenario.training.protocol, "backup_workers", backups);
    const sim::Trials trials(prepare(scenario_case, Need::shape), simulate, data_sets);
    return sim::find_crossovers(trials).at(0);
  };
  CHECK(first_answer(star_case("sync", 4, 30, 20_ms), 1).answer ==
        "Not with up to 256 workers, the most that were tried.");
  // 3, 6, ... 192 workers.
  CHECK(first_answer(star_case("sync", 4, 30, 20_ms), 2).answer ==
        "Not with up to 192 workers, the most that were tried.");
  const Crossover port = first_answer(star_with_port(4, 19_ms), 1);
  CAPTURE(port.answer);
  CHECK(port.value.value() > 2);
}

TEST_CASE("crossover: where no other number of workers can be, it says why") {
  Case scenario_case = star_case("sync", 2, 30, 20_ms);
  scenario_case.scenario.cluster.topology = "links";
  for (const char* host : {"node0", "node1", "node2"}) {
    scenario_case.scenario.cluster.links.push_back({host, "switch", {1e9}, {}});
  }
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const sim::Trials trials(prepare(scenario_case, Need::shape), simulate, data_sets);
  CHECK(sim::find_crossovers(trials)[0].answer ==
        "Not tried: topology links has no link for another host.");
}

TEST_CASE("crossover: one worker alone without a target has nothing to search") {
  Scenario scenario = star_case("single", 1, 10, 20_ms).scenario;
  CHECK_THAT(sim::nothing_to_search(scenario),
             Catch::StartsWith("nothing to search for single with 1 worker; ") &&
                 Catch::Contains("training.until") && Catch::Contains("bucket size"));
  scenario.training.until.accuracy = 0.9;
  CHECK(sim::nothing_to_search(scenario).empty());
  scenario = star_case("all_reduce", 2, 10, 20_ms).scenario;
  CHECK(sim::nothing_to_search(scenario).empty());
  scenario.training.bucket_size = Bytes{100};
  CHECK_FALSE(sim::nothing_to_search(scenario).empty());
  CHECK(sim::nothing_to_search(star_case("sync", 1, 10, 20_ms).scenario).empty());
}

TEST_CASE("crossover: jitter makes async faster as soon as there is any") {
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const sim::Trials trials(prepare(star_case("async", 4, 200, 20_ms), Need::shape), simulate,
                           data_sets);
  const auto found = sim::find_crossovers(trials);
  REQUIRE(found.size() == 2);
  CHECK(found[1].value.value() < 0.02);
}

TEST_CASE("crossover: async updates that queue need jitter to pay") {
  // In async each push is applied separately, 4 of 3 ms per round; sync applies once.
  Case scenario_case = star_case("sync", 4, 100, 20_ms);
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.compute.reset();
  host.machine = "slow to apply";
  sim::SimulateOptions simulate;
  simulate.machines = [](const std::string&) {
    Machine machine;
    machine.models["softmax 784x10"] = {{8e-3, 0}, {0, 1e-6}};
    machine.apply = {3e-3, 0};
    return machine;
  };
  DataSets data_sets;
  const sim::Trials trials(prepare(scenario_case, Need::shape), simulate, data_sets);
  const auto found = sim::find_crossovers(trials);
  REQUIRE(found.size() == 2);
  CAPTURE(found[1].answer);
  const double sigma = found[1].value.value();
  CHECK(sigma > 0.02);
  CHECK(sigma < 1);
}

TEST_CASE("crossover: the best batch is sought for a target alone") {
  Case scenario_case = star_case("sync", 2, 400, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const auto without =
      sim::find_best(sim::Trials(prepare(scenario_case, Need::shape), simulate, data_sets));
  REQUIRE(without.size() == 2);
  CHECK(without[0].question.find("number of servers") != std::string::npos);
  CHECK(without[1].question.find("bucket size in KB") != std::string::npos);
  scenario.numerics = true;
  scenario.cluster.hosts[0].compute.reset();
  scenario.cluster.hosts[0].roofline.gflops = 1;
  scenario.framework.step = 5_ms;
  scenario.training.evaluate_every = 4;
  scenario.training.batch_size = 4;
  scenario.training.until.accuracy = 0.6;
  const auto found =
      sim::find_best(sim::Trials(prepare(scenario_case, Need::shape), simulate, data_sets));
  REQUIRE(found.size() == 3);
  CAPTURE(found[0].answer);
  // Each step costs 5 ms of overhead, which batches of four waste.
  CHECK(found[0].value.value() > 4);
  CHECK(found[1].value.value() >= 1);
}

TEST_CASE("crossover: a sweep names the batch that the search names, after the same time") {
  // An evaluation takes as long as several steps: it would dominate if it counted.
  Case base = small_case("sync", 2, 1);
  TrainingSpec& training = base.scenario.training;
  training.steps = 0;
  training.epochs = 4;
  training.batch_size = 16;
  training.until.accuracy = 0.6;
  training.evaluate_every = 64;
  training.evaluate_by_examples = true;
  const sim::SimulateOptions options = crossover_options();
  DataSets data_sets;
  const Crossover found =
      sim::find_best(sim::Trials(prepare(base, Need::shape), options, data_sets)).at(0);
  SweepTable sweep;
  sweep.has_target = true;
  for (const int batch : {1, 2, 4, 8, 16, 32, 64}) {
    Case each = base;
    each.scenario.training.batch_size = batch;
    const Record record = simulate(each);
    CHECK(summarize(record).evaluate_s > 0);
    SweepTable::Row row;
    row.name = std::to_string(batch);
    for (const auto& [name, value] : flat_figures(record)) {
      if (value) row.figures[name] = *value;
    }
    sweep.rows.push_back(row);
  }
  const SweepBest best = best_of(sweep);
  REQUIRE(best.rows.size() == 1);
  const SweepTable::Row& soonest = sweep.rows[best.rows.front()];
  CAPTURE(found.answer);
  CHECK(found.answer ==
        soonest.name + ", after " + figure(figure_in(soonest, kBareTimeToTarget)) + " s.");
}

TEST_CASE("crossover: buckets that come while others go back are quicker than one") {
  Case scenario_case = star_with_port(1, 1_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.bucket_size = Bytes{1'000'000};
  const sim::SimulateOptions simulate = crossover_options();
  DataSets data_sets;
  const auto found =
      sim::find_best(sim::Trials(prepare(scenario_case, Need::shape), simulate, data_sets));
  REQUIRE(found.size() == 2);
  CAPTURE(found[1].answer);
  CHECK(found[1].value.value() < 31);
}

}  // namespace
}  // namespace foretrain::testing
