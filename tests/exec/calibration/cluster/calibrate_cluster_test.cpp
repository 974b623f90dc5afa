// Clusters of emulated hosts, measured by tasks of a launcher.
#include "exec/calibration/cluster/calibrate_cluster.h"

#include "exec/emulation/hosts.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"
#include "tests/cli/sandbox.h"
#include "tests/exec/calibration/cluster/slow_wires.h"
#include "tests/exec/emulation/support.h"
#include "tests/support/cases.h"
#include "tests/support/free_port.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {

using Enter = std::function<void(std::size_t host, const std::function<void()>& work)>;

constexpr BytesPerSecond kClusterRate{25e6};  // 200 Mbps
constexpr int kPort = 4711;                   // in networks with no other programs

// Tasks of a launcher, one process each; the destructor kills those that still run.
class ClusterTasks {
 public:
  ClusterTasks(std::size_t size, std::string address, int port, std::string limit = "60 s")
      : address_(std::move(address)), port_(port), limit_(std::move(limit)), tasks_(size, 0) {}
  ClusterTasks(const ClusterTasks&) = delete;
  ClusterTasks& operator=(const ClusterTasks&) = delete;
  ~ClusterTasks() {
    for (const pid_t task : tasks_) {
      if (task > 0) kill(task, SIGKILL);
      if (task > 0) waitpid(task, nullptr, 0);
    }
  }

  void start(std::size_t rank, const std::string& out = {}) {
    tasks_.at(rank) = fork();
    REQUIRE(tasks_[rank] >= 0);
    if (tasks_[rank] == 0) become(rank, out.empty() ? folder_ / "machines" : out);
  }
  void start_all(const Enter& enter, const std::string& out = {}) {
    for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
      enter(rank, [&] { start(rank, out); });
    }
  }
  int end_of(std::size_t rank) {
    int status = 0;
    REQUIRE(waitpid(tasks_.at(rank), &status, 0) == tasks_[rank]);
    tasks_[rank] = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void kill_rank(std::size_t rank) const { kill(tasks_.at(rank), SIGKILL); }

  /// Messages to rank 0, or errors.
  [[nodiscard]] std::string told() const { return text_of(folder_ / "told"); }
  bool waits_for(const std::string& what) const {
    for (int i = 0; i < 3'000; ++i) {
      if (told().find(what) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  [[nodiscard]] std::vector<HostSpec> hosts() const {
    return read_scenario(folder_ / "machines/cluster.yaml", {}).front().scenario.cluster.hosts;
  }

 private:
  [[noreturn]] void become(std::size_t rank, const std::string& out) {
    const std::map<std::string, std::string> variables{
        {"RANK", std::to_string(rank)},
        {"WORLD_SIZE", std::to_string(tasks_.size())},
        {"MASTER_ADDR", address_},
        {"MASTER_PORT", std::to_string(port_)},
        {"FORETRAIN_JOB_KEY", "a-key-that-the-test-made"},
        {"FORETRAIN_JOIN_LIMIT", limit_}};
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    std::signal(SIGTERM, SIG_DFL);  // Catch would report it as a failure
    const auto tell = [&](const std::string& line) {
      if (rank == 0) std::ofstream(folder_ / "told", std::ios::app) << line << '\n';
    };
    exec::ClusterOptions options{"", out, {small_case("sync", 1, 20)}, tell};
    options.compute.program = program_path();
    options.compute.repetitions = 1;
    options.compute.shortest_s = options.compute.longest_s = 0.02;
    options.compute.patience = std::chrono::steady_clock::now();  // three tasks share the cores
    try {
      _exit(exec::calibrate_cluster(options).status);
    } catch (const std::exception& error) {
      tell(error.what());
      _exit(2);
    }
  }

  TempFolder folder_;
  std::string address_;
  int port_;
  std::string limit_;
  std::vector<pid_t> tasks_;
};

// Emulated hosts without latency, because not every kernel has netem. On a busy machine the times
// of messages depend on the free CPU time.
ClusterSpec shaped_hosts(std::vector<BytesPerSecond> rates) {
  ClusterSpec cluster;
  for (const BytesPerSecond rate : rates) {
    HostSpec& host = cluster.hosts.emplace_back();
    host.name = "node" + std::to_string(cluster.hosts.size());
    host.nic = rate;
  }
  return cluster;
}

void check_shaped_links(double within) {
  if (!can_emulate()) return;
  const BytesPerSecond half{kClusterRate.value / 2};
  const exec::Hosts networks(shaped_hosts({kClusterRate, half, kClusterRate}), true);
  ClusterTasks tasks(3, networks.address(0), kPort);
  tasks.start_all([&](std::size_t host, const auto& work) { networks.enter(host, work); });
  for (const std::size_t rank : {0, 1, 2}) CHECK(tasks.end_of(rank) == 0);
  CAPTURE(tasks.told());
  std::map<bool, int> counts;  // keyed by whether a host has half the rate
  for (const HostSpec& host : tasks.hosts()) {
    CAPTURE(host.name);
    const bool slow = host.nic.value < 0.75 * kClusterRate.value;
    counts[slow] += host.count;
    CHECK(host.nic.value == Approx(slow ? half.value : kClusterRate.value).epsilon(within));
    if (within < 0.1) CHECK(host.flow_rate.value == 0);
    CHECK_FALSE(read_machine(host.machine).models.empty());
  }
  CHECK(counts == std::map<bool, int>{{false, 2}, {true, 1}});
  std::string told = tasks.told();  // wrapped
  std::ranges::replace(told, '\n', ' ');
  CHECK(told.find("times the rate") != std::string::npos);
}

// Other processes delay messages, so the tolerance is wide; [.idle] tests are narrower.
TEST_CASE("calibrate cluster: shaped links are found, one at half the rate as another kind") {
  check_shaped_links(0.3);
}

TEST_CASE("calibrate cluster: shaped links are found within 5 %", "[.idle]") {
  check_shaped_links(0.05);
}

// Only for an idle machine: a process emulates the wires, and other processes delay messages.
TEST_CASE("calibrate cluster: wires of 200 Mbps and 2 ms are found", "[.idle]") {
  if (!can_emulate()) return;
  std::optional<SlowWires> wires;
  try {
    wires.emplace(2, kClusterRate, Duration{2'000'000});
  } catch (const std::exception& error) {
    WARN("skipped: " << error.what());
    return;
  }
  ClusterTasks tasks(2, SlowWires::address(0), kPort);
  tasks.start_all([&](std::size_t host, const auto& work) { wires->enter(host, work); });
  for (const std::size_t rank : {0, 1}) CHECK(tasks.end_of(rank) == 0);
  CAPTURE(tasks.told());
  int count = 0;
  for (const HostSpec& host : tasks.hosts()) {
    count += host.count;
    CHECK(host.nic.value == Approx(kClusterRate.value).epsilon(0.05));
    CHECK(host.latency.ns == Approx(2e6).epsilon(0.05));
  }
  CHECK(count == 2);
}

TEST_CASE("calibrate cluster: a task that is lost is named") {
  if (!can_emulate()) return;
  const exec::Hosts networks(shaped_hosts({kClusterRate, kClusterRate}), true);
  ClusterTasks tasks(2, networks.address(0), kPort);
  tasks.start_all([&](std::size_t host, const auto& work) { networks.enter(host, work); });
  REQUIRE(tasks.waits_for("pair 1 of 2"));
  tasks.kill_rank(1);
  CHECK(tasks.end_of(0) == 2);
  CHECK(tasks.told().find("rank 1 (") != std::string::npos);
  CHECK(tasks.told().find(") was lost: ") != std::string::npos);
}

TEST_CASE("calibrate cluster: a folder that cannot be written ends all tasks before they measure") {
  if (!can_emulate()) return;
  const exec::Hosts networks(shaped_hosts({kClusterRate, kClusterRate}), true);
  ClusterTasks tasks(2, networks.address(0), kPort);
  tasks.start_all([&](std::size_t host, const auto& work) { networks.enter(host, work); },
                  "/proc/machines");
  CHECK(tasks.end_of(0) == 2);
  CHECK(tasks.end_of(1) == 1);
  CHECK(tasks.told().starts_with("/proc/machines: cannot make the folder"));
}

TEST_CASE("calibrate cluster: tasks on one host are told to leave it out") {
  ClusterTasks tasks(2, "127.0.0.1", free_port());
  tasks.start(0);
  tasks.start(1);
  CHECK(tasks.end_of(0) == 2);
  CHECK(tasks.end_of(1) == 1);
  CHECK(tasks.told().starts_with("--cluster: all 2 tasks are on one host, "));
  CHECK(tasks.told().find("leave --cluster out") != std::string::npos);
}

TEST_CASE("calibrate cluster: a task that never comes is named") {
  ClusterTasks tasks(3, "127.0.0.1", free_port(), "2 s");
  tasks.start(0);
  tasks.start(1);
  CHECK(tasks.end_of(0) == 2);
  CHECK(tasks.told().starts_with("rank 2 did not join within 2 s"));
}

TEST_CASE("calibrate cluster: without a launcher there is no cluster, a record is none either") {
  Sandbox sandbox;
  const Called called = sandbox.call("calibrate --cluster", "unset RANK WORLD_SIZE");
  CHECK(called.status == 2);
  CHECK(called.err.find("--cluster: measures hosts on which a launcher started tasks") !=
        std::string::npos);
  CHECK(sandbox.call("calibrate --cluster --from alone --out x").status == 2);
  CHECK(sandbox.call("calibrate --job-key key").status == 2);
}

}  // namespace
}  // namespace foretrain::testing
