// Machines that are described, not measured, also of several kinds in one forecast.
#include "models/cost/work.h"
#include "reports/record/summary.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/resolve/read.h"
#include "sim/world/host_machine.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

/// A fast and a slow worker, a server without costs, close enough that messages take no time.
const std::string kTwoKinds =
    "foretrain: 1\n"
    "name: two-kinds\n"
    "model: lenet\n"
    "numerics: off\n"
    "dataset: {take: 600, test_take: 200}\n"
    "training: {strategy: sync, workers: 2, batch_size: 16, steps: 20}\n"
    "cluster:\n"
    "  tcp: off\n"
    "  hosts:\n"
    "    - {name: fast, cores: 2, nic: 1000 Gbps, gflops: 40, memory_bandwidth: 20 GB/s}\n"
    "    - {name: slow, cores: 2, nic: 1000 Gbps, gflops: 10, memory_bandwidth: 4 GB/s,\n"
    "       overhead: 100 us}\n"
    "    - {name: server, cores: 2, nic: 1000 Gbps, compute: 1 ms}\n"
    "  placement: {workers: [fast, slow], servers: [server]}\n";

Record simulate_text(const std::vector<std::string>& overrides) {
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
  return simulate(parse_scenario(kTwoKinds, "x.yaml", overrides).front(), options);
}

/// The compute time of a gradient, in seconds.
double gradient_s(double gflops, double bytes_per_s, double overhead_s) {
  const Prepared prepared = prepare(parse_scenario(kTwoKinds, "x.yaml").front(), Need::shape);
  const Cost cost = gradient_cost(*prepared.training->network, 16);
  return overhead_s + std::max(cost.flops.value / (gflops * 1e9),
                               static_cast<double>(cost.bytes().value) / bytes_per_s);
}

TEST_CASE("described machines: sync waits for the slow kind") {
  const Record record = simulate_text({"training.overlap=off"});
  const double slow_s = gradient_s(10, 4e9, 100e-6);
  const double fast_s = gradient_s(40, 20e9, 0);
  REQUIRE(slow_s > 3 * fast_s);
  for (const StepRow& row : record.steps) {
    const Phases& p = row.report.phases;
    CHECK(p.compute.seconds() == Approx(row.worker == 0 ? fast_s : slow_s).epsilon(1e-6));
    // Beyond compute there are two messages of 250 KB at 1,000 Gbps.
    CHECK((p.compute + p.push + p.wait + p.apply + p.pull).seconds() ==
          Approx(slow_s + 2 * 247e3 / 125e9).margin(2e-6));
  }
}

TEST_CASE("described machines: async takes from each kind what it can give") {
  const Record record =
      simulate_text({"training.overlap=off", "training.strategy=async", "training.steps=200"});
  const double rate = 1 / gradient_s(10, 4e9, 100e-6) + 1 / gradient_s(40, 20e9, 0);
  CHECK(static_cast<double>(record.gradients) / record.time.seconds() ==
        Approx(rate).epsilon(0.02));
}

TEST_CASE("described machines: a forecast says that nobody measured them") {
  const Record record = simulate_text({});
  CHECK(record.uncalibrated == "fast, slow");
  CHECK(to_json(record)["uncalibrated"] == "fast, slow");
  CHECK(to_csv(result_of({record}).tables.front()).find("uncalibrated") != std::string::npos);
  const Record fixed = simulate(star_case("sync", 2, 5, 1_ms));
  CHECK(fixed.uncalibrated.empty());
  CHECK(to_json(fixed)["uncalibrated"].is_null());
}

TEST_CASE("basis: of hosts with workers, each kind once, whatever times the servers") {
  const Record record = simulate_text({});
  REQUIRE(record.basis.size() == 2);
  CHECK(record.basis[0] ==
        ComputeBasis{ComputeBasis::From::described, "fast", "", 0, 0, false, {"fast"}});
  CHECK(record.basis[1].of == "slow");
  const Record given = simulate(star_case("sync", 2, 5, 20_ms));
  REQUIRE(given.basis.size() == 1);
  CHECK(given.basis[0].from == ComputeBasis::From::given);
  CHECK(given.basis[0].of == "20 ms");
  CHECK(to_json(given)["stands_on"].get<std::string>().find("async gains nothing") !=
        std::string::npos);
}

TEST_CASE("basis: a host that says nothing takes a core, a machine file says who measured it") {
  Case scenario_case = star_case("sync", 2, 5, 1_ms);
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.compute = {};
  sim::SimulateOptions options;
  options.usage_interval = {};
  Machine machine = made_up_machine();
  machine.name = "this machine";
  options.machines = [&](const std::string&) { return machine; };
  const auto basis_of = [&] {
    const Record record = simulate(scenario_case, options);
    REQUIRE(record.basis.size() == 1);
    return record.basis.front();
  };
  CHECK(basis_of().from == ComputeBasis::From::written);
  CHECK(basis_of().unasked);
  machine.date = "2026-11-25";
  machine.models["softmax 784x10"].gradient_jitter = 0.03;
  machine.measurements = {{"softmax 784x10, gradient of 16", 0.01, 5},
                          {"softmax 784x10, gradient of 64", 0.02, 5},
                          {"lenet 784x10, gradient of 64", 0.5, 5}};
  const ComputeBasis measured = basis_of();
  CHECK(measured.from == ComputeBasis::From::calibrated);
  CHECK(measured.date == "2026-11-25");
  CHECK(measured.spread == 0.02);
  CHECK(measured.jitter == 0.03);
  host.machine = "there.yaml";
  CHECK_FALSE(basis_of().unasked);
}

TEST_CASE("described machines: what messages cost a host is of one core, too, where it says so") {
  const auto of = [](const HostSpec& host) {
    return sim::machine_of(host, false,
                           [](const std::string&) {
                             Machine measured;
                             measured.loopback.send = measured.loopback.receive = {1e-6, 1e-10};
                             measured.loopback.one_core_byte_s = 1.5e-10;
                             return measured;
                           })
        ->loopback.on_one_core();
  };
  HostSpec host;
  host.machine = "measured";
  CHECK(of(host).send == AffineCost{1e-6, 0.75e-10});
  host.send = {2e-6, 3e-10};
  CHECK(of(host).send == host.send);
  CHECK(of(host).receive == AffineCost{1e-6, 1e-10});
}

TEST_CASE("described machines: a host's figures are laid over its machine file") {
  Case scenario_case = star_case("sync", 1, 10, 1_ms);
  scenario_case.scenario.training.overlap = false;
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.compute = {};
  host.machine = "measured";
  host.roofline = {1, {}, {}};
  // The model is measured, 1 ms + 16 examples x 1 us, so the roofline does not count.
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [](const std::string&) {
    Machine machine;
    machine.name = "measured";
    machine.models["softmax 784x10"] = {{1e-3, 1e-6}, {}};
    machine.apply = {1e-9, 0};
    return machine;
  };
  const Record record = simulate(scenario_case, options);
  CHECK(mean_step_s(record) == Approx(1.016e-3).epsilon(1e-3));
  CHECK(record.uncalibrated.empty());
}

}  // namespace
}  // namespace foretrain::testing
