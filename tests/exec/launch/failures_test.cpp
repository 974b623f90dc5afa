// A failing run ends soon, with one message, no remaining process, a record.
#include "exec/launch/memory_need.h"
#include "exec/launch/run.h"
#include "exec/transport/handshake.h"
#include "reports/record/interruption.h"
#include "tests/support/cases.h"
#include "tests/support/free_port.h"
#include "tests/support/places.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string contents_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Our child processes that are the node with this id, or any node.
std::vector<pid_t> nodes_of(pid_t parent, const std::string& id = {}) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    const std::string status = contents_of(entry.path() / "status");
    if (status.find("PPid:\t" + std::to_string(parent) + "\n") == std::string::npos) continue;
    std::string line = contents_of(entry.path() / "cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find(" node --address ") == std::string::npos) continue;
    if (!id.empty() && line.find("--id " + id + " ") == std::string::npos) continue;
    found.push_back(std::stoi(name));
  }
  return found;
}

// A run that would take minutes; `harm` is called after some steps.
Record run_and(const std::string& strategy, const std::function<void()>& harm) {
  const Case scenario_case = small_case(strategy, 2, 10'000'000);
  bool harmed = false;
  exec::RunOptions options;
  options.program = program_path();
  Clock::time_point harmed_at;
  options.progress = [&](std::int64_t done, std::int64_t, Duration) {
    if (harmed || done < 100) return;
    harmed = true;
    harmed_at = Clock::now();
    harm();
  };
  Record record = exec::run(scenario_case, options);
  CHECK(harmed);
  CHECK(record.outcome != Outcome::done);
  CHECK(std::chrono::duration<double>(Clock::now() - harmed_at).count() < 5);
  CHECK(nodes_of(getpid()).empty());
  return record;
}

// The consequences of a death are in the supervisor's stories (tests/golden/supervision).
TEST_CASE("failure: a worker that is killed ends the run where all wait for it, and is named") {
  const Record record = run_and("sync", [] { kill(nodes_of(getpid(), "1").at(0), SIGKILL); });
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure.find("worker1 (process ") == 0);
  CHECK(record.failure.find("was killed by signal 9") != std::string::npos);
}

TEST_CASE("failure: an interrupt ends the run and keeps the record so far, with its totals") {
  const Record record = run_and("async", [] { raise(SIGINT); });
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(!record.usage.empty());
  CHECK(record.gradients == std::ssize(record.steps));
  CHECK(record.updates == record.gradients);
  CHECK(record.time.ns > 0);
  for (const NodeTotals& node : record.nodes) {
    CAPTURE(node.role);
    CHECK(node.tx.value > 100);
    CHECK(node.rx.value > 100);
    CHECK(node.rss->value > 100'000);
  }
}

TEST_CASE("failure: a signal that came before a run of the same command interrupts it, too") {
  const Interruption command;
  raise(SIGTERM);
  exec::RunOptions options;
  options.program = program_path();
  const Record record = exec::run(small_case("sync", 2, 1'000'000), options);
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.failure == "interrupted by signal 15");
  CHECK(nodes_of(getpid()).empty());
}

TEST_CASE("failure: a launcher's port that is taken is named") {
  boost::asio::io_context loop;
  boost::asio::ip::tcp::acceptor taken(loop, {boost::asio::ip::address_v4::loopback(), 0});
  exec::RunOptions options;
  options.program = program_path();
  options.port = taken.local_endpoint().port();
  const Record record = exec::run(small_case("sync", 2, 10), options);
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure.find("launcher: cannot listen on 127.0.0.1:" +
                            std::to_string(options.port)) == 0);
  CHECK(record.failure.find("--port") != std::string::npos);
  CHECK(nodes_of(getpid()).empty());
}

TEST_CASE("failure: a server's port that is taken is named with its server") {
  boost::asio::io_context loop;
  exec::RunOptions options;
  options.program = program_path();
  options.port = free_port();
  const auto port = static_cast<std::uint16_t>(options.port + 1);
  boost::asio::ip::tcp::acceptor taken(loop, {boost::asio::ip::address_v4::loopback(), port});
  const Record record = exec::run(small_case("sync", 2, 10), options);
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure.find("server0: cannot listen on 127.0.0.1:" +
                            std::to_string(options.port + 1)) == 0);
  CHECK(nodes_of(getpid()).empty());
}

TEST_CASE("failure: a program that is no node is named with how it ended") {
  exec::RunOptions options;
  options.program = "/bin/sleep";  // rejects the arguments and exits
  const Record record = exec::run(small_case("sync", 1, 10), options);
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure.find("exited with status 1") != std::string::npos);
}

TEST_CASE("failure: nodes that never join are named when their time is up") {
  const fs::path program = fs::temp_directory_path() / ("sleeper-" + std::to_string(getpid()));
  std::ofstream(program) << "#!/bin/sh\nexec sleep 60\n";
  fs::permissions(program, fs::perms::owner_all);
  exec::RunOptions options;
  options.program = program;
  options.join_timeout = {300'000'000};
  const Record record = exec::run(small_case("sync", 1, 10), options);
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure.find("worker0, server0 did not join") == 0);
  fs::remove(program);
}

TEST_CASE("failure: a training that needs more memory than there is does not begin") {
  // A worker needs 21 GB; there are too many workers for any machine.
  const auto workers = static_cast<int>(exec::available_memory()->value / 10'000'000'000) + 2;
  Case scenario_case = small_case("sync", workers, 10);
  scenario_case.scenario.model.name = "mlp";
  scenario_case.scenario.model.options.hidden = {30'000, 30'000, 30'000, 30'000};
  exec::RunOptions options;
  options.program = program_path();
  CHECK_THROWS_WITH(exec::run(scenario_case, options),
                    Catch::Contains("the nodes of this training need at least ") &&
                        Catch::Contains(" GB left; use fewer workers"));
  CHECK(nodes_of(getpid()).empty());
}

TEST_CASE("failure: strangers at a server's port do not disturb a run") {
  // Two consecutive free ports: for the launcher and its server.
  boost::asio::io_context loop;
  exec::RunOptions options;
  options.program = program_path();
  options.port = free_port();
  std::vector<boost::asio::ip::tcp::socket> strangers;
  options.progress = [&](std::int64_t, std::int64_t, Duration) {
    for (const int port : {options.port, options.port + 1}) {
      boost::asio::ip::tcp::socket stranger(loop);
      boost::system::error_code refused;
      stranger.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)},
                       refused);
      exec::FrameHeader hello;  // from a worker that does not know the job's key
      hello.kind = static_cast<std::uint16_t>(exec::HandshakeKind::hello);
      hello.from = 1;
      boost::asio::write(stranger, boost::asio::buffer(exec::encode(hello)), refused);
      boost::asio::write(stranger, boost::asio::buffer(std::string(200, 'x')), refused);
      strangers.push_back(std::move(stranger));
    }
  };
  const Record record = exec::run(small_case("sync", 2, 3'000), options);
  CHECK(record.failure.empty());
  CHECK(record.outcome == Outcome::done);
  REQUIRE(!strangers.empty());
  CHECK(record.refused > 0);
  CHECK(record.refused <= std::ssize(strangers));
}

TEST_CASE("failure: nodes do not outlive a launcher that is killed") {
  const fs::path out =
      fs::temp_directory_path() / ("foretrain-orphans-" + std::to_string(getpid()));
  const fs::path file = out.string() + ".yaml";
  std::ofstream(file) << "foretrain: 1\nname: orphans\ntraining: {strategy: async, workers: 2, "
                         "batch_size: 16, steps: 10000000}\ndataset: {take: 600, test_take: 100}\n";
  const pid_t launcher = fork();
  if (launcher == 0) {
    execl(program_path(), program_path(), "run", file.c_str(), "--quiet", "--out", out.c_str(),
          nullptr);
    _exit(127);
  }
  std::vector<pid_t> nodes;
  for (int i = 0; i < 3'000 && nodes.size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    nodes = nodes_of(launcher);
  }
  REQUIRE(nodes.size() == 3);
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  bool alive = true;
  for (int i = 0; i < 3'000 && alive; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    alive = std::any_of(nodes.begin(), nodes.end(), [](pid_t node) {
      const std::string stat = contents_of(fs::path("/proc") / std::to_string(node) / "stat");
      return !stat.empty() && stat.find(") Z ") == std::string::npos;
    });
  }
  CHECK(!alive);
  fs::remove(file);
  fs::remove_all(out);
}

}  // namespace
}  // namespace foretrain::testing
