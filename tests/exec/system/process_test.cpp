// Real child processes: their end, their cleanup.
#include "exec/system/process.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace foretrain::exec {
namespace {
using namespace literals;

pid_t shell(const std::string& command, const std::vector<int>& cores = {}) {
  return start_process({"/bin/sh", "-c", command}, cores);
}

std::string end_of(pid_t process) {
  for (int i = 0; i < 2'000; ++i) {
    if (const auto how = how_ended(process)) return *how;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return "lives on";
}

bool is_gone(pid_t process) { return kill(process, 0) != 0; }

TEST_CASE("process: how a child ended is told apart") {
  CHECK(end_of(shell("exit 3")) == "exited with status 3");
  CHECK(end_of(shell("kill -9 $$")) == "was killed by signal 9 (Killed)");
  CHECK(end_of(start_process({"/no/such/program"}, {})) == "exited with status 127");
}

TEST_CASE("process: a child that lives has not ended") {
  const pid_t child = shell("exec sleep 60");
  CHECK(!how_ended(child));
  end_processes({child}, 1_s);
  CHECK(is_gone(child));
}

TEST_CASE("process: a signal that comes before the program is not lost with a handler of ours") {
  const auto before = std::signal(SIGTERM, [](int) {});
  for (int i = 0; i < 40; ++i) {
    const pid_t child = shell("exec sleep 60");
    kill(child, SIGTERM);
    CHECK(end_of(child) == "was killed by signal 15 (Terminated)");
  }
  std::signal(SIGTERM, before);
}

TEST_CASE("process: who does not hear the polite signal is killed after the grace") {
  const pid_t deaf = shell("trap '' TERM; while :; do sleep 0.01; done");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until the trap is set
  const pid_t polite = shell("exec sleep 60");
  end_processes({deaf, polite}, 100_ms);
  CHECK(is_gone(deaf));
  CHECK(is_gone(polite));
}

TEST_CASE("process: a child is pinned to the cores that it was given and to no other") {
  const int core = usable_cores().back();
  const pid_t child = shell("exec sleep 60", {core});
  std::string cores;
  for (int i = 0; i < 400 && cores != std::to_string(core); ++i) {  // it may not have started yet
    std::ifstream status("/proc/" + std::to_string(child) + "/status");
    for (std::string word; status >> word;) {
      if (word == "Cpus_allowed_list:") status >> cores;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(cores == std::to_string(core));
  end_processes({child}, 1_s);
}

// A control group with the CPU time of one core, of either version; empty if none can be created.
std::filesystem::path group_of_one_core() {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool unified = fs::exists("/sys/fs/cgroup/cgroup.procs");
  const fs::path parent = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
  const fs::path group = parent / ("foretrain-test-" + std::to_string(getpid()));
  if (!fs::create_directory(group, error) || error) return {};
  std::ofstream quota(group / (unified ? "cpu.max" : "cpu.cfs_quota_us"));
  quota << (unified ? "100000 100000" : "100000") << std::flush;
  if (quota) return group;
  rmdir(group.c_str());
  return {};
}

TEST_CASE("process: a CPU quota bounds the cores but pins nothing to the first of them") {
  const std::filesystem::path group = group_of_one_core();
  if (group.empty() || usable_cores().size() < 2) {
    WARN("skipped: needs a control group that may be written, and two cores");
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream(group / "cgroup.procs") << getpid();
    const auto usable = usable_cores();
    pin_to_cores(usable);
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    _exit(usable.size() != 1 ? 1 : CPU_COUNT(&set) < 2 ? 2 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  rmdir(group.c_str());
}

// The state of the child's first thread as soon as it is as `wanted`, else its last state.
std::optional<FirstThread> thread_of(pid_t child, bool wants_core, Duration had) {
  std::optional<FirstThread> thread;
  for (int i = 0; i < 2'000; ++i) {
    thread = first_thread_of(child);
    if (thread && thread->wants_core == wants_core && thread->had >= had) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return thread;
}

TEST_CASE("process: who computes wants a core, who sleeps or is stopped does not") {
  const pid_t busy = shell("while :; do :; done");
  const auto computes = thread_of(busy, true, 30_ms);
  REQUIRE(computes.has_value());
  CHECK(computes->wants_core);
  CHECK(computes->had >= 30_ms);
  const auto later = thread_of(busy, true, computes->had + 20_ms);
  REQUIRE(later.has_value());
  CHECK(later->had >= computes->had + 20_ms);
  kill(busy, SIGSTOP);
  const auto stopped = thread_of(busy, false, {});
  REQUIRE(stopped.has_value());
  CHECK(!stopped->wants_core);

  const pid_t asleep = shell("exec sleep 60");
  const auto sleeps = thread_of(asleep, false, {});
  REQUIRE(sleeps.has_value());
  CHECK(!sleeps->wants_core);
  end_processes({busy, asleep}, 100_ms);
  CHECK(!first_thread_of(busy).has_value());
}

TEST_CASE("process: it is known which process holds a connection") {
  namespace asio = boost::asio;
  const pid_t other = shell("exec sleep 60");  // first: it inherits descriptors
  asio::io_context loop;
  asio::ip::tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  asio::ip::tcp::socket socket(loop);
  socket.connect(acceptor.local_endpoint());
  const int port = socket.local_endpoint().port();
  CHECK(holds_port(getpid(), port));
  CHECK(holds_port(getpid(), acceptor.local_endpoint().port()));
  CHECK(!holds_port(other, port));
  end_processes({other}, 1_s);
  socket.close();
  CHECK(!holds_port(getpid(), port));
}

TEST_CASE("process: to end those that have ended is no error") {
  const pid_t child = shell("true");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  end_processes({child}, 1_s);
  CHECK(is_gone(child));
}

}  // namespace
}  // namespace foretrain::exec
