// Pauses, late joins, deaths of workers: the simulated time equals the computed one.
#include "sim/faults/node_faults.h"

#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

StragglerSpec pausing(std::vector<int> workers, Duration pause, Duration every) {
  StragglerSpec spec;
  spec.workers = std::move(workers);
  spec.pause = pause;
  spec.every = every;
  return spec;
}

FaultSpec dying(int worker, Duration at) {
  return {.at = at, .kill = "worker" + std::to_string(worker)};
}

FaultSpec joining(int worker, Duration at) {
  return {.at = at, .join = "worker" + std::to_string(worker)};
}

FaultSpec stopping(const std::string& node, Duration at, Duration lasting) {
  return {.at = at, .stop = node, .lasting = lasting};
}

Record simulate_with(Case scenario_case, std::vector<StragglerSpec> stragglers) {
  scenario_case.scenario.stragglers = std::move(stragglers);
  return simulate(scenario_case);
}

Record simulate_with(Case scenario_case, std::vector<FaultSpec> faults) {
  scenario_case.scenario.faults = std::move(faults);
  return simulate(scenario_case);
}

// The end of a worker that computes for `work` without waiting: the union of its pauses adds up.
Duration through(const Scenario& scenario, int worker, Duration work) {
  PauseDraws draws(scenario, worker);
  Instant now;
  for (auto pause = draws.next(); pause && pause->begin < now + work; pause = draws.next()) {
    if (pause->begin > now) {
      work = work - (pause->begin - now);
      now = pause->begin;
    }
    now = std::max(now, pause->end());
  }
  return now + work - Instant{};
}

// --- Pauses ---

TEST_CASE("faults: a sync training takes what its one pausing worker takes, exactly") {
  const int workers = GENERATE(1, 3);
  CAPTURE(workers);
  Case scenario_case = star_case("sync", workers, 500, 20_ms);
  // The second straggler makes pauses within pauses.
  scenario_case.scenario.stragglers = {pausing({0}, 50_ms, 200_ms), pausing({0}, 80_ms, 500_ms)};
  const Record record = simulate(scenario_case);
  REQUIRE(record.outcome == Outcome::done);
  const Duration expected = through(scenario_case.scenario, 0, 20_ms * 500);
  CHECK(expected > 12_s);
  // Messages take two nanoseconds a step.
  CHECK(std::abs((record.time - expected).ns) <= 2'000);
}

TEST_CASE("faults: pauses of length P at intervals of mean E stretch work by 1 + P / E") {
  const Record record =
      simulate_with(star_case("sync", 1, 40'000, 1_s), std::vector{pausing({}, 500_ms, 10_s)});
  CHECK(record.time.seconds() / 40'000 == Approx(1.05).epsilon(0.01));
}

TEST_CASE("faults: in async nobody waits for a worker that pauses") {
  const Record record =
      simulate_with(star_case("async", 4, 10'000, 1_s), std::vector{pausing({2}, 10_s, 10_s)});
  const double rate = static_cast<double>(record.gradients) / record.time.seconds();
  CHECK(rate == Approx(3.5).epsilon(0.01));
}

TEST_CASE("faults: what the network has when a worker pauses goes on") {
  Case scenario_case = star_case("sync", 1, 2, 20_ms);
  scenario_case.scenario.cluster.hosts[0].nic = {static_cast<double>(message_size().value) / 10e-3};
  // The seed determines the first pause. Only its position in a step matters: while the message is
  // under way (20 to 40 ms), only the rest of the pause after that delays the next step.
  scenario_case.scenario.stragglers = {pausing({0}, 15_ms, 30_ms)};
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    scenario_case.scenario.seed = seed;
    PauseDraws draws(scenario_case.scenario, 0);
    const Pause first = *draws.next();
    const Instant second = draws.next()->begin;
    if (first.begin < Instant{} + 21_ms || first.begin > Instant{} + 39_ms) continue;
    if (second < Instant{} + 90_ms) continue;
    CAPTURE(seed);
    const Duration delay = std::max(Duration{}, first.end() - (Instant{} + 40_ms));
    const Record record = simulate(scenario_case);
    // Until the last update: two gradients, three messages.
    CHECK(std::abs((record.time - (70_ms + delay)).ns) <= 10);
    return;
  }
  FAIL("no seed puts a pause there");
}

// --- Late joins ---

TEST_CASE("faults: in sync the others wait for a worker that joins late") {
  const Record record = simulate_with(star_case("sync", 2, 10, 1_s), std::vector{joining(1, 5_s)});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.time.seconds() == Approx(15));
  for (const StepRow& row : record.steps) {
    if (row.report.step != Step{0}) continue;
    CHECK(row.report.start == Instant{} + (row.worker == 1 ? 5_s : 0_s));
  }
}

TEST_CASE("faults: in async the others go on until a worker joins") {
  const Record record = simulate_with(star_case("async", 2, 10, 1_s), std::vector{joining(1, 5_s)});
  REQUIRE(record.outcome == Outcome::done);
  // Five gradients by one of them, then two a second.
  CHECK(record.time.seconds() == Approx(13));
  CHECK(record.gradients == 20);
}

TEST_CASE("faults: a worker that joins late changes no sum") {
  const std::string strategy = GENERATE("sync", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 3, 20);
  const std::string weights = simulate(scenario_case).weights_sha256;
  scenario_case.scenario.stragglers = {pausing({1}, 5_ms, 10_ms)};
  const Record record = simulate_with(scenario_case, std::vector{joining(1, 50_ms)});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.weights_sha256 == weights);
}

TEST_CASE("faults: who joins after the end of the training finds it over") {
  const Record record =
      simulate_with(star_case("async", 2, 10, 1_s), std::vector{joining(1, 1'000_s)});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.time.seconds() == Approx(20));
}

// --- Deaths ---

TEST_CASE("faults: in async the others make the gradients of a worker that dies") {
  Case scenario_case = star_case("async", 3, 100, 20_ms);
  const Record record = simulate_with(scenario_case, std::vector{dying(2, 1'010_ms)});
  REQUIRE(record.outcome == Outcome::done);
  // It made 50 of 300 gradients; two others the rest.
  CHECK(record.gradients == 300);
  CHECK(record.time.seconds() == Approx(2.5));
  CHECK(record.nodes[2].lost == death_at(1'010_ms));
  CHECK(record.nodes[1].lost.empty());
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  const Record own = simulate_with(scenario_case, std::vector{dying(2, 1'010_ms)});
  REQUIRE(own.outcome == Outcome::done);
  CHECK(own.gradients == 250);
  CHECK(own.time.seconds() == Approx(2));
}

TEST_CASE("faults: in async a worker that dies comes back when it is said to, and makes its part") {
  const std::string strategy = GENERATE("async", "ssp");
  CAPTURE(strategy);
  Case scenario_case = star_case(strategy, 3, 100, 20_ms);
  set_option(scenario_case.scenario.training.protocol, "staleness", 2);
  FaultSpec fault = dying(2, 1'010_ms);
  fault.restart_after = 985_ms;
  const Record record = simulate_with(scenario_case, std::vector{fault});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.gradients == 300);
  // 150 gradients in the first second, then 50 a second per worker: two workers, three from 2 s on.
  CHECK(record.time.seconds() == Approx(2.34).epsilon(0.01));
  CHECK(record.nodes[2].lost.empty());
  REQUIRE(record.nodes[2].away.size() == 1);
  CHECK(record.nodes[2].away[0] ==
        Absence{death_at(1'010_ms), Instant{} + 1'010_ms, Instant{} + 1'995_ms});
  std::vector<std::int64_t> numbers;
  for (const StepRow& row : record.steps) {
    if (row.worker == 2) numbers.push_back(row.report.step.value);
  }
  // With a staleness bound it resumes at the clock of the others, else after its own last step.
  REQUIRE(numbers.size() == 67);
  CHECK(numbers[49] == 49);
  CHECK(numbers[50] == (strategy == "ssp" ? 99 : 51));
  CHECK(record.nodes[2].tx.value > record.nodes[0].tx.value / 2);
}

TEST_CASE("faults: with a quota of its own who comes back makes all of its steps but one") {
  Case scenario_case = star_case(GENERATE("async", "ssp"), 3, 100, 20_ms);
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  FaultSpec fault = dying(2, 1'010_ms);
  fault.restart_after = 985_ms;
  const Record record = simulate_with(scenario_case, std::vector{fault});
  CHECK(record.gradients == 299);  // it makes the last 49 alone
  CHECK(record.time.seconds() == Approx(1.995 + 49 * 0.02).epsilon(0.01));
}

TEST_CASE("faults: who is killed while it is away is not there to die, later it is") {
  Case scenario_case = star_case("async", 3, 200, 20_ms);
  std::vector<FaultSpec> faults{dying(1, 1_s), dying(1, 1'500_ms), dying(1, 3_s)};
  for (FaultSpec& fault : faults) fault.restart_after = 600_ms;
  const Record record = simulate_with(scenario_case, faults);
  REQUIRE(record.outcome == Outcome::done);
  REQUIRE(record.nodes[1].away.size() == 2);
  CHECK(record.nodes[1].away[0].back == Instant{} + 1'600_ms);
  CHECK(record.nodes[1].away[1].left == Instant{} + 3_s);
  faults.push_back(dying(1, 3'700_ms));
  const Record for_good = simulate_with(scenario_case, faults);
  CHECK(for_good.outcome == Outcome::done);
  CHECK(for_good.nodes[1].lost == death_at(3'700_ms));
  CHECK(for_good.gradients == 600);
}

TEST_CASE("faults: a training that is over before a worker is back does not wait for it") {
  FaultSpec fault = dying(1, 1'010_ms);
  fault.restart_after = 1'000_s;
  const Record record = simulate_with(star_case("async", 2, 100, 20_ms), std::vector{fault});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.nodes[1].lost == death_at(1'010_ms));
  CHECK(record.time.seconds() == Approx(3));
}

TEST_CASE("faults: a backup stands in for a worker that dies") {
  Case scenario_case = star_case("sync", 3, 100, 20_ms);
  set_option(scenario_case.scenario.training.protocol, "backup_workers", 1);
  const Record record = simulate_with(scenario_case, std::vector{dying(1, 1'010_ms)});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(!record.nodes[1].lost.empty());
  const Record two =
      simulate_with(scenario_case, std::vector{dying(1, 1'010_ms), dying(2, 1'500_ms)});
  CHECK(two.outcome == Outcome::failed);
  CHECK(two.failure == "worker2 " + death_at(1'500_ms));
}

TEST_CASE("faults: a backup that dies comes back, and steps are as fast again") {
  Case scenario_case = star_case("sync", 3, 100, 20_ms);
  set_option(scenario_case.scenario.training.protocol, "backup_workers", 1);
  scenario_case.scenario.stragglers.resize(1);
  scenario_case.scenario.stragglers[0].workers = {2};
  scenario_case.scenario.stragglers[0].slowdown = 3;
  FaultSpec fault = dying(1, 1'010_ms);
  fault.restart_after = 600_ms;
  const Record record = simulate_with(scenario_case, std::vector{fault});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.updates == 150);
  CHECK(record.gradients == 300);
  REQUIRE(record.nodes[1].away.size() == 1);
  // 50 steps in the first second, then one per 60 ms, until it is back.
  CHECK(record.time.seconds() == Approx(1.6 + (150 - 60) * 0.02).epsilon(0.05));
  const auto after = std::ranges::count_if(record.steps, [&](const StepRow& row) {
    return row.worker == 1 && row.report.start >= record.nodes[1].away[0].back;
  });
  CHECK(after > 80);
}

TEST_CASE("faults: a death that the strategy cannot do without ends the training") {
  const std::string strategy = GENERATE("single", "sync", "all_reduce", "async", "ssp");
  CAPTURE(strategy);
  // The chief in strategies that continue without others.
  const int worker = strategy == "sync" || strategy == "all_reduce" ? 1 : 0;
  const int workers = strategy == "single" ? 1 : 3;
  const Record record =
      simulate_with(star_case(strategy, workers, 100, 20_ms), std::vector{dying(worker, 1'010_ms)});
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure == "worker" + std::to_string(worker) + " " + death_at(1'010_ms));
}

TEST_CASE("faults: a worker that dies when it has made its gradients costs none of them") {
  Case scenario_case = star_case("async", 2, 100, 20_ms);
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  StragglerSpec slow;
  slow.workers = {0};
  slow.slowdown = 10;
  scenario_case.scenario.stragglers = {slow};
  const Record record = simulate_with(scenario_case, std::vector{dying(1, 10_s)});
  CHECK(record.outcome == Outcome::done);
  CHECK(!record.nodes[1].lost.empty());
  CHECK(record.gradients == 200);
  CHECK(record.time.seconds() == Approx(20));
}

TEST_CASE("faults: nobody dies after the end of the training") {
  const Record record =
      simulate_with(star_case("sync", 2, 100, 20_ms), std::vector{dying(1, 10_s)});
  CHECK(record.outcome == Outcome::done);
  CHECK(record.nodes[1].lost.empty());
  CHECK(record.time.seconds() == Approx(2));
}

TEST_CASE("faults: a server that dies ends the training") {
  const Record record = simulate_with(star_case("async", 3, 100, 20_ms),
                                      std::vector{FaultSpec{.at = 1'010_ms, .kill = "server0"}});
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure == "server0 " + death_at(1'010_ms));
}

TEST_CASE("faults: of four servers the one that dies is named") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  const std::string server = GENERATE("server0", "server1", "server2", "server3");
  CAPTURE(strategy, server);
  Case scenario_case = star_case(strategy, 3, 100, 20_ms);
  scenario_case.scenario.training.servers = 4;
  scenario_case.scenario.training.bucket_size = {4'000};
  scenario_case.scenario.cluster.hosts.front().count = 7;
  const Record record =
      simulate_with(scenario_case, std::vector{FaultSpec{.at = 1'010_ms, .kill = server}});
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure == server + " " + death_at(1'010_ms));
}

// --- Suspended nodes ---

TEST_CASE("faults: who is stopped for a while makes all others wait where the strategy does") {
  const std::string node = GENERATE("worker1", "server0");
  CAPTURE(node);
  const Record record =
      simulate_with(star_case("sync", 2, 100, 20_ms), std::vector{stopping(node, 1'010_ms, 1_s)});
  REQUIRE(record.outcome == Outcome::done);
  // A worker is suspended in the middle of a gradient; a server's pause overlaps half of one.
  CHECK(record.time.seconds() == Approx(node == "worker1" ? 3 : 2.99).epsilon(1e-6));
}

TEST_CASE("faults: who is stopped for as long as silence is borne is lost") {
  const Duration lasting = GENERATE(2'999_ms, 3'001_ms);
  CAPTURE(lasting.ns);
  const Record record = simulate_with(star_case("async", 3, 1'000, 20_ms),
                                      std::vector{stopping("worker2", 1_s, lasting)});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.nodes[2].lost ==
        (lasting < TrainingSpec{}.silence_limit ? "" : "was silent for 3 s"));
  const Record chief = simulate_with(star_case("async", 3, 1'000, 20_ms),
                                     std::vector{stopping("worker0", 1_s, lasting)});
  CHECK((chief.outcome == Outcome::done) == (lasting < TrainingSpec{}.silence_limit));
  if (chief.outcome != Outcome::done) CHECK(chief.failure == "worker0 was silent for 3 s");
}

TEST_CASE("faults: silence is borne for longer where workers pause") {
  Case scenario_case = star_case("async", 3, 1'000, 20_ms);
  scenario_case.scenario.stragglers = {pausing({1}, 2_s, 1'000_s)};
  const Record record =
      simulate_with(scenario_case, std::vector{stopping("worker2", 1_s, 4'900_ms)});
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.nodes[2].lost.empty());
}

TEST_CASE("faults: bytes are read or counted as undelivered, whenever a worker dies") {
  Case scenario_case = star_case("async", 3, 30, 20_ms);
  auto& scenario = scenario_case.scenario;
  set_option(scenario.training.protocol, "quota", "own");
  scenario.cluster.hosts[0].nic = {static_cast<double>(message_size().value) / 10e-3};
  Bytes most;
  for (Duration at = 300_ms; at < 400_ms; at += 3_ms) {
    CAPTURE(at.ns);
    const Record record = simulate_with(scenario_case, std::vector{dying(1, at)});
    REQUIRE(record.outcome == Outcome::done);
    Bytes sent;
    Bytes read;
    Bytes undelivered;
    for (const NodeTotals& node : record.nodes) {
      sent += node.tx;
      read += node.rx;
      undelivered += *node.undelivered;
    }
    CHECK(sent == read + undelivered);
    most = std::max(most, undelivered);
  }
  CHECK(most >= message_size());
}

TEST_CASE("faults: two simulations with all of them are equal, samples of usage included") {
  Case scenario_case = small_case("async", 4, 300);
  scenario_case.scenario.stragglers = {pausing({}, 3_ms, 10_ms)};
  scenario_case.scenario.faults = {joining(3, 20_ms), dying(2, 30_ms),
                                   stopping("server0", 10_ms, 5_ms)};
  const auto run = [&] {
    sim::SimulateOptions options;
    options.machines = [](const std::string&) { return made_up_machine(); };
    options.usage_interval = 1_ms;
    return simulate(scenario_case, options);
  };
  const Record record = run();
  REQUIRE(record.outcome == Outcome::done);
  CHECK(!record.nodes[2].lost.empty());
  CHECK(record.gradients == 1'200);
  CHECK(record == run());
}

}  // namespace
}  // namespace foretrain::testing
