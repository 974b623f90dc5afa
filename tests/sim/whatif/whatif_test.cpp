// What-if questions with known answers: limits, savings, elasticities.
#include "sim/whatif/whatif.h"

#include "reports/record/summary.h"
#include "sim/whatif/trials.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

// For hosts with a machine: gradients of 1 ms, an update of 3 ms, free messages.
Machine slow_to_apply() {
  Machine machine;
  machine.name = "slow to apply";
  machine.models["softmax 784x10"] = {{1e-3, 0}, {0, 1e-6}};
  machine.apply = {3e-3, 0};
  return machine;
}

sim::WhatIfOptions options() {
  sim::WhatIfOptions options;
  options.simulate.machines = [](const std::string& name) {
    return name == "slow to apply" ? slow_to_apply() : made_up_machine();
  };
  return options;
}

WhatIf ask(const Case& scenario_case, const sim::WhatIfOptions& asked = options()) {
  DataSets data_sets;
  return sim::ask_what_if(prepare(scenario_case, Need::shape), data_sets, asked);
}

double time_of(const WhatIf& whatif, const std::string& change) {
  CAPTURE(change);
  const Change* found = whatif.find(change);
  REQUIRE(found != nullptr);
  REQUIRE(found->why_not.empty());
  return found->time_s.value();
}

double fresh(const Scenario& scenario) {
  Case other;
  other.scenario = scenario;
  sim::SimulateOptions fresh = options().simulate;
  return simulate(other, fresh).time.seconds();
}

Case nic_bound() {
  Case scenario_case = star_case("sync", 8, 50, 5_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(1e-3);
  return scenario_case;
}

Case latency_bound() {
  Case scenario_case = star_case("sync", 4, 50, 5_ms);
  scenario_case.scenario.cluster.hosts[0].latency = 10_ms;
  return scenario_case;
}

Case straggling() {
  Case scenario_case = star_case("sync", 4, 50, 20_ms);
  StragglerSpec slow;
  slow.workers = {2};
  slow.slowdown = 3;
  scenario_case.scenario.stragglers = {slow};
  return scenario_case;
}

Case apply_bound() {
  Case scenario_case = star_case("sync", 4, 50, 20_ms);
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.compute.reset();
  host.machine = "slow to apply";
  return scenario_case;
}

// --- The limiting resource ---

TEST_CASE("whatif: a server's NIC that all gradients pass is the limit") {
  const WhatIf whatif = ask(nic_bound());
  CHECK(whatif.limit.resource == "server NIC");
  CHECK(whatif.limit.change == "server NIC 2x");
  CHECK(whatif.range.error() == Approx(0.15));
  CHECK(first_sentence(whatif).starts_with(
      "sync: server NIC limits it, 76 % of the critical path; twice the rate of the servers' "
      "NICs saves 38 % of "));
}

TEST_CASE("whatif: workers that compute most of the time are the limit") {
  const WhatIf whatif = ask(star_case("sync", 4, 50, 20_ms));
  CHECK(whatif.limit.resource == "worker CPU");
  CHECK(whatif.limit.share == Approx(1).epsilon(1e-6));
  CHECK(whatif.limit.change == "worker CPU 2x");
  CHECK(time_of(whatif, "worker CPU 2x") == Approx(*whatif.time_s / 2).epsilon(1e-5));
}

TEST_CASE("whatif: gradients of devices are theirs, not their hosts' cores'") {
  Case scenario_case = star_case("all_reduce", 4, 30, 20_ms);
  scenario_case.scenario.cluster.hosts[0].devices = 1;
  const WhatIf whatif = ask(scenario_case);
  CHECK(whatif.limit.resource == "device");
  CHECK(whatif.limit.share > 0.9);
  CHECK(time_of(whatif, "device 2x") == Approx(*whatif.time_s / 2).epsilon(0.05));
}

TEST_CASE("whatif: latency on every way is the limit") {
  const WhatIf whatif = ask(latency_bound());
  CHECK(whatif.limit.resource == "latency");
  CHECK(whatif.limit.change == "half the latency");
  CHECK(whatif.changes.front().name.starts_with("strategy "));
  CHECK(whatif.find("half the latency")->elasticity.value() == Approx(0.888).epsilon(0.002));
}

TEST_CASE("whatif: a slow worker is the limit by its name") {
  const WhatIf whatif = ask(straggling());
  CHECK(whatif.limit.resource == "straggling");
  CHECK(whatif.limit.whose == "worker2");
  CHECK(whatif.limit.change == "straggling removed");
  CHECK(whatif.changes.front().name == "straggling removed");
}

TEST_CASE("whatif: updates that take longer than gradients are the limit") {
  const WhatIf whatif = ask(apply_bound());
  CHECK(whatif.limit.resource == "apply");
  CHECK(whatif.limit.share == Approx(0.75).epsilon(0.001));
}

// --- A saving equals that of a new simulation ---

TEST_CASE("whatif: a resource twice as fast is the scenario that says so, exactly") {
  const Scenario star = nic_bound().scenario;
  const WhatIf nic = ask(nic_bound());
  Scenario changed = star;
  changed.cluster.hosts[0].nic.value *= 2;
  CHECK(time_of(nic, "every NIC 2x") == fresh(changed));
  changed = star;
  changed.cluster.hosts[0].compute = 2500_us;
  CHECK(time_of(nic, "worker CPU 2x") == fresh(changed));
  changed = latency_bound().scenario;
  changed.cluster.hosts[0].latency = 5_ms;
  CHECK(time_of(ask(latency_bound()), "half the latency") == fresh(changed));
  changed = straggling().scenario;
  changed.stragglers.clear();
  CHECK(time_of(ask(straggling()), "straggling removed") == fresh(changed));
}

TEST_CASE("whatif: pauses and random factors are removed, exactly") {
  Case scenario_case = star_case("sync", 4, 100, 20_ms);
  StragglerSpec pausing;
  pausing.workers = {1};
  pausing.pause = 50_ms;
  pausing.every = 300_ms;
  StragglerSpec jitter;
  jitter.distribution = "exponential";
  scenario_case.scenario.stragglers = {pausing, jitter};
  Scenario changed = scenario_case.scenario;
  changed.stragglers.clear();
  CHECK(time_of(ask(scenario_case), "straggling removed") == fresh(changed));
}

TEST_CASE("whatif: a change of the scenario is that scenario, exactly") {
  const WhatIf whatif = ask(nic_bound());
  Scenario changed = nic_bound().scenario;
  changed.training.servers = 2;
  changed.cluster.hosts[0].count = 10;
  CHECK(time_of(whatif, "one more server") == fresh(changed));
  changed = nic_bound().scenario;
  changed.training.strategy = "all_reduce";
  CHECK(time_of(whatif, "strategy all_reduce") == fresh(changed));
  changed = nic_bound().scenario;
  changed.training.overlap = false;
  CHECK(time_of(whatif, "overlap off") == fresh(changed));
}

TEST_CASE("whatif: twice the batches a gradient are compared on as many examples") {
  const WhatIf whatif = ask(nic_bound());
  Scenario changed = nic_bound().scenario;
  changed.training.accumulate = 2;
  changed.training.steps = 25;
  CHECK(time_of(whatif, "accumulate 2x") == fresh(changed));
  // 25 times two gradients of 5 ms each, 8 ms into the server's port; 24 times 8 ms out of it.
  CHECK(time_of(whatif, "accumulate 2x") == Approx(25 * 0.018 + 24 * 0.008).epsilon(0.001));
  CHECK(ask(star_case("single", 1, 10, 1_ms)).find("accumulate 2x") == nullptr);
}

TEST_CASE("whatif: another worker is compared on as many examples") {
  const Case scenario_case = star_case("sync", 4, 50, 20_ms);
  const WhatIf whatif = ask(scenario_case);
  CHECK(whatif.examples == 4 * 50 * 16);
  CHECK(whatif.measure == "3,200 examples");
  // 40 steps of five workers.
  CHECK(time_of(whatif, "one more worker") == Approx(0.8).epsilon(1e-6));
  // A backup among four leaves three gradients per step.
  CHECK(time_of(whatif, "one backup worker") == Approx(50 * 0.02 * 4 / 3).epsilon(0.01));
}

// --- Closed forms ---

TEST_CASE("whatif: savings of a star are those of its closed form") {
  // T = n (C + a + a) + n N s + (n - 1) (N s + 2 a), s: a message's time at the server's port.
  const double n = 50;
  const double compute = 5e-3;
  const double port = 8e-3;
  const auto time = [&](double c, double in, double out) { return n * (c + in) + (n - 1) * out; };
  const WhatIf whatif = ask(nic_bound());
  CHECK(whatif.time_s.value() == Approx(time(compute, port, port)).epsilon(0.001));
  CHECK(time_of(whatif, "server NIC 2x") ==
        Approx(time(compute, port / 2, port / 2)).epsilon(0.001));
  CHECK(time_of(whatif, "server NIC in 2x") ==
        Approx(time(compute, port / 2, port)).epsilon(0.001));
  CHECK(time_of(whatif, "worker CPU 2x") == Approx(time(compute / 2, port, port)).epsilon(0.001));
  CHECK(whatif.find("worker CPU 2x")->free_time_s.value() ==
        Approx(time(0, port, port)).epsilon(0.001));
}

TEST_CASE("whatif: ports that are full at both ends of a wire are one limit") {
  // One worker, one server, equal NICs: improving one alone does not help.
  Case scenario_case = star_case("sync", 1, 50, 1_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(4e-3);
  const WhatIf whatif = ask(scenario_case);
  CHECK(time_of(whatif, "server NIC in 2x") == Approx(whatif.time_s.value()).epsilon(1e-6));
  CHECK(whatif.limit.resource == "every NIC");
  CHECK(whatif.limit.share == Approx(8.0 / 9).epsilon(0.01));
  CHECK(time_of(whatif, whatif.limit.change) == Approx(50 * 5e-3).epsilon(0.02));
}

TEST_CASE("whatif: of a training without straggling the elasticities add up to one") {
  Case scenario_case = nic_bound();
  scenario_case.scenario.cluster.hosts[0].latency = 1_ms;
  const WhatIf whatif = ask(scenario_case);
  double sum = 0;
  for (const char* change :
       {"worker CPU 2x", "server NIC in 2x", "server NIC out 2x", "half the latency"}) {
    sum += whatif.find(change)->elasticity.value();
  }
  CHECK(sum == Approx(1).epsilon(0.02));
}

// --- A target ---

TEST_CASE("whatif: with a target the time until it is reached is compared") {
  Case scenario_case = star_case("sync", 2, 60, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.numerics = true;
  scenario.training.evaluate_every = 2;
  scenario.training.until.accuracy = 0.6;
  const WhatIf whatif = ask(scenario_case);
  CHECK(whatif.measure == "accuracy 0.6");
  REQUIRE(whatif.time_s.has_value());
  CHECK(time_of(whatif, "worker CPU 2x") == Approx(*whatif.time_s / 2).epsilon(0.01));
  CHECK(whatif.no_time.empty());
  // Between evaluations 1 % is noise.
  CHECK_FALSE(whatif.find("worker CPU 2x")->elasticity.has_value());
}

TEST_CASE("whatif: a target that is not reached says how near it came, and nothing of savings") {
  Case scenario_case = star_case("sync", 2, 20, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.numerics = true;
  scenario.training.evaluate_every = 10;
  scenario.training.until.accuracy = 1;
  const WhatIf whatif = ask(scenario_case);
  CHECK_FALSE(whatif.time_s.has_value());
  CAPTURE(whatif.no_time);
  CHECK(whatif.no_time.starts_with("accuracy 1 is not reached in 20 steps (best: 0."));
  CHECK(whatif.no_time.ends_with("); raise training.steps, or leave the target out"));
  CHECK(first_sentence(whatif).ends_with("critical path; " + whatif.no_time + "."));
  const auto neither = [](const Crossover& each) { return each.answer.starts_with("Neither"); };
  CHECK(std::ranges::any_of(whatif.crossovers, neither));
}

TEST_CASE("whatif: a target that has no time says why, by the target and what was found") {
  Case scenario_case = star_case("sync", 2, 1'000, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.numerics = true;
  scenario.training.evaluate_every = 10;
  scenario.training.until.loss = 0.1;
  const sim::SimulateOptions simulate = options().simulate;
  DataSets data_sets;
  const auto said = [&](double loss, double accuracy) {
    Record record;
    record.scenario_case = scenario_case;
    record.evals = {{{10}, {10}, Instant{} + 200_ms, 1_ms, 0.9, 0.3},
                    {{1'000}, {1'000}, Instant{} + 20_s, 1_ms, loss, accuracy}};
    record.evals.back().final = true;
    const sim::Trials trials(prepare(scenario_case, Need::shape), simulate, data_sets);
    return trials.no_time_of(record);
  };
  CHECK(said(0.5, 0.8) ==
        "loss 0.1 is not reached in 1,000 steps (best: 0.5); raise training.steps, or leave the "
        "target out");
  CHECK(said(0.05, 0.8) ==
        "loss 0.1 is reached, but only the final evaluation shows it, long after the one before; "
        "write a smaller training.evaluate_every, or leave the target out");
  scenario.training.until.accuracy = 0.9;
  CHECK(said(0.5, 0.8).find("accuracy 0.9 or loss 0.1 is not reached in 1,000 steps (best: "
                            "accuracy 0.8, loss 0.5)") == 0);
  scenario.training.until = {};
  CHECK(said(0.5, 0.8).empty());
}

// --- Prices ---

TEST_CASE("whatif: hosts with a price cost that for as long as it takes") {
  Case scenario_case = star_case("sync", 4, 50, 20_ms);
  scenario_case.scenario.cluster.hosts[0].price = {3.6, "EUR"};
  const WhatIf whatif = ask(scenario_case);
  // Five hosts for a second.
  CHECK(whatif.cost.value() == Approx(5 * 3.6 / 3600).epsilon(1e-5));
  CHECK(whatif.currency == "EUR");
  // Six of them for 40 steps.
  CHECK(whatif.find("one more worker")->cost.value() == Approx(6 * 3.6 / 3600 * 0.8).epsilon(1e-5));
}

// Except at the beginning, each gradient waits for those of all others (models/protocol/async.h).
TEST_CASE("whatif: of N workers that go on alone a gradient is N - 1 updates stale") {
  constexpr double kBeginning = 0.1;
  const WhatIf step = ask(star_case("sync", 4, 50, 20_ms));
  CHECK_FALSE(step.staleness_mean);
  CHECK(step.find("strategy async")->staleness_mean.value() == Approx(3).margin(kBeginning));
  CHECK_FALSE(step.find("one more worker")->staleness_mean);
  const WhatIf alone = ask(star_case("async", 4, 50, 20_ms));
  CHECK(alone.staleness_mean.value() == Approx(3).margin(kBeginning));
  CHECK(alone.find("one more worker")->staleness_mean.value() == Approx(4).margin(kBeginning));
  CHECK_FALSE(alone.find("strategy sync")->staleness_mean);
}

// --- Records, verification ---

TEST_CASE("whatif: a record has its phases beside those simulated") {
  const Record record = simulate(straggling());
  DataSets data_sets;
  const Prepared prepared = prepare(record.scenario_case, Need::shape);
  const WhatIf whatif = sim::ask_what_if(record, prepared, data_sets, options());
  REQUIRE(whatif.phases.size() == 6);
  CHECK(whatif.phases[0].phase == "compute");
  CHECK(whatif.phases[0].recorded_s == Approx(0.03));
  CHECK(whatif.phases[0].simulated_s == Approx(0.03));
  // The slow worker's, which the others wait for.
  CHECK(whatif.phases[0].path_s.value() == Approx(0.06));
  CHECK(whatif.phases[2].recorded_s == Approx(0.03));
  CHECK(whatif.phases[2].path_s.value() == Approx(0).margin(1e-6));
  CHECK(whatif.recorded.find("simulation") != std::string::npos);
}

TEST_CASE("whatif: the best change of the scenario is run beside its forecast") {
  const Case scenario_case = nic_bound();
  sim::WhatIfOptions asked = options();
  asked.repetitions = 1;
  asked.run = [&](const Case& each) {
    // Half as fast as the forecast, for any run.
    Record record = simulate(each);
    record.time = record.time * 2;
    return record;
  };
  const WhatIf whatif = ask(scenario_case, asked);
  REQUIRE(whatif.verified.has_value());
  CHECK(whatif.verified->change == whatif.changes.front().name);
  CHECK(whatif.verified->error() == Approx(-0.5));
  CHECK(whatif.verified->ratio_error() == Approx(0).margin(1e-9));
  asked.verify = "one more server";
  CHECK(ask(scenario_case, asked).verified->change == "one more server");
  asked.verify = "server NIC 2x";
  CHECK(ask(scenario_case, asked).not_verified.find("cannot be run here") != std::string::npos);
}

TEST_CASE("whatif: a batch cannot change where gradients take a fixed time") {
  const WhatIf whatif = ask(star_case("sync", 2, 10, 20_ms));
  CHECK(whatif.find("double batch")->why_not ==
        "compute: fixes the time of a gradient, whatever the batch size");
  CHECK_FALSE(whatif.find("double batch")->time_s.has_value());
}

}  // namespace
}  // namespace foretrain::testing
