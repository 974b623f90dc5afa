// Real child processes: how they end, that none is left.
#include "exec/system/process.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
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

TEST_CASE("process: who does not hear the polite signal is killed after the grace") {
  const pid_t deaf = shell("trap '' TERM; while :; do sleep 0.01; done");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // for the trap
  const pid_t polite = shell("exec sleep 60");
  end_processes({deaf, polite}, 100_ms);
  CHECK(is_gone(deaf));
  CHECK(is_gone(polite));
}

TEST_CASE("process: a child is pinned to the cores that it was given and to no other") {
  const int core = usable_cores().back();
  const pid_t child = shell("exec sleep 60", {core});
  std::string cores;
  for (int i = 0; i < 400 && cores != std::to_string(core); ++i) {  // it may not have begun yet
    std::ifstream status("/proc/" + std::to_string(child) + "/status");
    for (std::string word; status >> word;) {
      if (word == "Cpus_allowed_list:") status >> cores;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(cores == std::to_string(core));
  end_processes({child}, 1_s);
}

TEST_CASE("process: to end those that have ended is no error") {
  const pid_t child = shell("true");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  end_processes({child}, 1_s);
  CHECK(is_gone(child));
}

}  // namespace
}  // namespace foretrain::exec
