// Emulated hosts share the cores of one machine.
#include "scenarios/resolve/emulated.h"

#include "scenarios/language/input_error.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {
using namespace literals;

Record simulate_emulated(const Case& scenario_case, int cores, bool emulated = true) {
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.emulated = emulated;
  options.machines = [cores](const std::string&) {
    Machine machine;
    machine.name = "mine";
    machine.cores = cores;
    machine.models["softmax 784x10"] = {{10e-3, 0}, {}};
    return machine;
  };
  return simulate(scenario_case, options);
}

/// Three workers and a server, one host each; a gradient takes 10 ms.
Case three_workers() {
  Case scenario_case = star_case("sync", 3, 20, 0_ms);
  scenario_case.scenario.training.overlap = false;
  for (HostSpec& host : scenario_case.scenario.cluster.hosts) {
    host.compute = {};
    host.nic = {12.5e9};
  }
  return scenario_case;
}

TEST_CASE("emulated: workers on hosts of their own share the machine's cores") {
  const Case scenario_case = three_workers();
  const Record described = simulate_emulated(scenario_case, 2, false);
  const Record emulated = simulate_emulated(scenario_case, 2);
  CHECK(mean_step_s(described) == Approx(10e-3).epsilon(0.01));
  // Workers 0 and 2 share a core.
  CHECK(mean_step_s(emulated) == Approx(20e-3).epsilon(0.02));
  CHECK(emulated.machine == "mine, 4 hosts emulated on 2 cores");
  CHECK(emulated.nodes[0].core == 0);
  CHECK(emulated.nodes[1].core == 1);
  CHECK(emulated.nodes[2].core == 0);
  CHECK(emulated.nodes[3].core == 1);
}

TEST_CASE("emulated: a gradient of a given time sleeps and leaves its core to others") {
  Case scenario_case = three_workers();
  for (HostSpec& host : scenario_case.scenario.cluster.hosts) host.compute = 40_ms;
  // Each computes for 10 ms of that; one core has enough time for three.
  const Record emulated = simulate_emulated(scenario_case, 1);
  CHECK(mean_step_s(emulated) == Approx(40e-3).epsilon(0.02));
  for (HostSpec& host : scenario_case.scenario.cluster.hosts) host.compute = 20_ms;
  // Here it has not.
  CHECK(mean_step_s(simulate_emulated(scenario_case, 1)) == Approx(30e-3).epsilon(0.05));
}

TEST_CASE("emulated: the network is that of the cluster") {
  Case scenario_case = three_workers();
  for (HostSpec& host : scenario_case.scenario.cluster.hosts) host.nic = {1e6};
  // The server receives three messages of 31.4 KB at 1 MB/s and sends three; the burst of its token
  // bucket, 32 KB, covers the first of them.
  const double wire_s = 4 * static_cast<double>(message_size().value) / 1e6;
  const Record emulated = simulate_emulated(scenario_case, 4);
  CHECK(mean_step_s(emulated) == Approx(10e-3 + wire_s).epsilon(0.05));
}

TEST_CASE("emulated: what a run refuses a simulation of it refuses") {
  Case scenario_case = three_workers();
  scenario_case.scenario.cluster.hosts[0].nic = {1.3e10};
  CHECK_THROWS_AS(simulate_emulated(scenario_case, 2), InputError);
  scenario_case.scenario.cluster.hosts.clear();
  CHECK_THROWS_AS(simulate_emulated(scenario_case, 2), InputError);
}

TEST_CASE("emulated: a burst that is left out is a millisecond of the rate") {
  ClusterSpec cluster;
  cluster.hosts.resize(2);
  cluster.hosts[0].nic = {1.25e9};
  cluster.hosts[1].burst = {5'000};
  const ClusterSpec filled = emulated(cluster);
  CHECK(filled.hosts[0].burst == Bytes{1'250'000});
  CHECK(filled.hosts[1].burst == Bytes{5'000});
}

TEST_CASE("emulated: what no machine can be is refused by name") {
  const auto refused = [](const HostSpec& host) -> std::string {
    Case scenario_case = three_workers();
    scenario_case.scenario.cluster.hosts.front().devices = host.devices;
    scenario_case.scenario.cluster.hosts.front().flow_rate = host.flow_rate;
    scenario_case.scenario.cluster.hosts.front().transport = host.transport;
    try {
      simulate_emulated(scenario_case, 4);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  HostSpec host;
  CHECK(refused(host).empty());
  host.flow_rate = {1e9};
  CHECK(refused(host).find("has a flow_rate, which cannot be emulated") != std::string::npos);
  host = {};
  host.devices = 3;
  CHECK(refused(host).find("has devices, which cannot be emulated") != std::string::npos);
  host = {};
  host.transport = "rdma";
  CHECK(refused(host).find("has transport rdma, which cannot be emulated") != std::string::npos);
}

}  // namespace
}  // namespace foretrain::testing
