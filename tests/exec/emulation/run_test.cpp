// Trainings on emulated clusters.
#include "exec/launch/run.h"

#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/exec/emulation/support.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;

TEST_CASE("emulated run: a sync training ends with the bits of its simulation") {
  if (!can_emulate()) return;
  const Case scenario_case = emulated_case("sync", 2, 25);
  const Record record = run_emulated(scenario_case);
  const Record simulated = simulate(scenario_case);
  CHECK(record.weights_sha256 == simulated.weights_sha256);
  REQUIRE(record.nodes.size() == 3);
  for (std::size_t node = 0; node < 3; ++node) {
    const NodeTotals& totals = record.nodes[node];
    CAPTURE(totals.role);
    CHECK(totals.host == "node" + std::to_string(node));
    CHECK(totals.tx == simulated.nodes[node].tx);
    CHECK(totals.rx == simulated.nodes[node].rx);
    CHECK(static_cast<double>(totals.nic_tx->value) ==
          Approx(static_cast<double>(totals.tx.value)).epsilon(0.06));
    CHECK(static_cast<double>(totals.nic_rx->value) ==
          Approx(static_cast<double>(totals.rx.value)).epsilon(0.06));
  }
  CHECK(record.machine.find("this machine, 3 hosts emulated on ") == 0);
}

TEST_CASE("emulated run: other strategies that have an order end with the same bits, too") {
  if (!can_emulate()) return;
  const std::string strategy = GENERATE("sync", "ssp", "all_reduce");
  const bool overlap = GENERATE(true, false);
  CAPTURE(strategy, overlap);
  Case scenario_case = emulated_case(strategy, 3, 10);
  TrainingSpec& training = scenario_case.scenario.training;
  training.overlap = overlap;
  training.bucket_size = Bytes{8'000};
  set_option(training.protocol, "staleness", 0);
  CHECK(run_emulated(scenario_case).weights_sha256 == simulate(scenario_case).weights_sha256);
}

TEST_CASE("emulated run: gradients that take a given time are the same gradients") {
  if (!can_emulate()) return;
  Case scenario_case = emulated_case("sync", 2, 10);
  const std::string weights = simulate(scenario_case).weights_sha256;
  scenario_case.scenario.cluster.hosts[0].compute = Duration{3'000'000};
  CHECK(run_emulated(scenario_case).weights_sha256 == weights);
}

FaultSpec fault_at(double at_s, double lasting_s) {
  FaultSpec fault;
  fault.at = Duration::from_seconds(at_s);
  fault.lasting = Duration::from_seconds(lasting_s);
  return fault;
}

TEST_CASE("emulated run: while a link is cut nobody gets on, then all do, with the same bits") {
  if (!can_emulate()) return;
  Case scenario_case = emulated_case("sync", 2, 2'000);
  const std::string weights = simulate(scenario_case).weights_sha256;
  FaultSpec cut = fault_at(0.05, 1);
  cut.cut = {"worker1", "server0"};
  cut.one_way = GENERATE(false, true);
  CAPTURE(cut.one_way);
  scenario_case.scenario.faults = {cut, cut};  // two at once: the link is back when both end
  scenario_case.scenario.faults[1].at = Duration::from_seconds(0.1);
  const Record record = run_emulated(scenario_case);
  CHECK(record.weights_sha256 == weights);
  REQUIRE(record.time > cut.at);  // else it ended before the fault
  CHECK(record.time > cut.at + cut.lasting);
}

TEST_CASE("emulated run: a link that is cut for longer than silence is borne ends the run") {
  if (!can_emulate()) return;
  Case scenario_case = emulated_case("sync", 2, 100'000);
  scenario_case.scenario.training.silence_limit = Duration{500'000'000};
  FaultSpec cut = fault_at(0.05, 60);
  cut.cut = {"worker1", "server0"};
  scenario_case.scenario.faults = {cut};
  exec::RunOptions options;
  options.emulate = true;
  options.program = program_path();
  const Record record = exec::run(scenario_case, options);
  CHECK(record.outcome == Outcome::failed);
  CAPTURE(record.failure);
  CHECK((record.failure.find("worker1") != std::string::npos ||
         record.failure.find("server0") != std::string::npos));
}

TEST_CASE("emulated run: a slow link takes its bytes at its share of the rate") {
  if (!can_emulate()) return;
  Case scenario_case = emulated_case("sync", 1, 100);
  const std::string weights = simulate(scenario_case).weights_sha256;
  scenario_case.scenario.cluster.hosts[0].nic = {1.25e7};
  FaultSpec slow = fault_at(1e-6, 600);
  slow.slow = "worker0";
  slow.to = 0.1;
  scenario_case.scenario.faults = {slow};
  const Record record = run_emulated(scenario_case);
  CHECK(record.weights_sha256 == weights);
  // A burst is sent at once before the rate applies; the first messages arrive before the tool has
  // run.
  const double bytes = static_cast<double>(record.nodes[0].tx.value);
  CHECK(record.time.seconds() > 0.5 * bytes / 1.25e6);
}

TEST_CASE("emulated run: rows of usage hold what the interface has counted") {
  if (!can_emulate()) return;
  const Record record = run_emulated(emulated_case("async", 2, 200));
  std::vector<Bytes> counted(3);
  for (const UsageRow& row : record.usage) {
    REQUIRE(row.nic_tx >= Bytes{0});
    counted.at(static_cast<std::size_t>(row.node)) += row.nic_tx;
  }
  for (std::size_t node = 0; node < 3; ++node) {
    CHECK(counted[node] <= record.nodes[node].nic_tx);
    CHECK(counted[node] > Bytes{0});
  }
}

TEST_CASE("emulated run: messages within a host do not pass its interface") {
  if (!can_emulate()) return;
  Case scenario_case = emulated_case("sync", 2, 25);
  scenario_case.scenario.cluster.placement = {{"node0", "node1"}, {"node0"}};
  const Record record = run_emulated(scenario_case);
  CHECK(record.weights_sha256 == simulate(scenario_case).weights_sha256);
  const NodeTotals& beside = record.nodes[0];
  const NodeTotals& away = record.nodes[1];
  const NodeTotals& server = record.nodes[2];
  CHECK(server.host == "node0");
  CHECK(server.nic_tx == beside.nic_tx);
  CHECK(static_cast<double>(server.nic_tx->value) ==
        Approx(static_cast<double>(away.rx.value)).epsilon(0.06));
}

TEST_CASE("emulated run: without a cluster there is nothing to emulate") {
  exec::RunOptions options;
  options.emulate = true;
  CHECK_THROWS_WITH(exec::run(small_case("sync", 2, 1), options),
                    Catch::Contains("--emulate: the scenario has no hosts"));
}

TEST_CASE("emulated run: a cluster that is not to be emulated is no place to run") {
  CHECK_THROWS_WITH(
      exec::run(emulated_case("sync", 2, 1), {}),
      Catch::Contains("cluster: describes other machines") && Catch::Contains("--emulate"));
}

// The nodes that a launcher has started.
std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

// The networks of three nodes of a launcher, as soon as they exist.
std::set<std::string> networks_of_nodes(pid_t launcher) {
  std::set<std::string> networks;
  for (int i = 0; i < 3'000 && networks.size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    networks.clear();
    for (const pid_t child : children_of(launcher)) networks.insert(network_of(child));
    networks.erase(network_of(getpid()));
    networks.erase("");
  }
  return networks;
}

// Disables the network of the child process that is the node with this id.
void cut_off(const std::string& id) {
  for (const pid_t child : children_of(getpid())) {
    std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find(std::string("--id") + '\0' + id + '\0') == std::string::npos) continue;
    const std::string command = "nsenter -n -t " + std::to_string(child) + " ip link set eth0 down";
    CHECK(std::system(command.c_str()) == 0);
  }
}

TEST_CASE("emulated run: a network that goes down is a lost worker, whom some do without") {
  if (!can_emulate()) return;
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(strategy);
  const bool goes_on = strategy == "async";
  exec::RunOptions options;
  options.program = program_path();
  options.emulate = true;
  bool cut = false;
  std::chrono::steady_clock::time_point since;
  options.progress = [&](std::int64_t done, std::int64_t, Duration) {
    if (cut || done < 100) return;
    cut = true;
    since = std::chrono::steady_clock::now();
    cut_off("1");
  };
  Case scenario_case = emulated_case(strategy, 3, goes_on ? 3'000 : 10'000'000);
  const Record record = exec::run(scenario_case, options);
  CHECK(cut);
  CAPTURE(record.failure);
  if (goes_on) {
    CHECK(record.outcome == Outcome::done);
    CHECK(record.nodes[1].lost.find("gave up: the connection to it was lost") == 0);
    return;
  }
  // 3 s of silence plus half a second, or more on a busy machine.
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count() < 30);
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure.find("the connection to it was lost") != std::string::npos);
}

TEST_CASE("emulated run: nothing is left, however it ends") {
  if (!can_emulate()) return;
  const bool killed = GENERATE(true, false);
  CAPTURE(killed);
  const fs::path out = fs::temp_directory_path() / ("foretrain-left-" + std::to_string(getpid()));
  const fs::path file = out.string() + ".yaml";
  std::ofstream(file) << to_yaml(emulated_case("async", 2, killed ? 10'000'000 : 2'000).scenario);
  const pid_t launcher = fork();
  if (launcher == 0) {
    execl(program_path(), program_path(), "run", file.c_str(), "--emulate", "--quiet", "--out",
          out.c_str(), nullptr);
    _exit(127);
  }
  const std::set<std::string> networks = networks_of_nodes(launcher);
  if (killed) kill(launcher, SIGKILL);
  int status = 0;
  waitpid(launcher, &status, 0);
  if (!killed) CHECK(status == 0);
  CHECK(networks.size() == 3);
  CHECK_FALSE(still_kept(networks));
  fs::remove(file);
  fs::remove_all(out);
}

}  // namespace
}  // namespace foretrain::testing
