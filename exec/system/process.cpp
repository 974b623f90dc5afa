#include "exec/system/process.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

namespace foretrain::exec {
namespace {

using Clock = std::chrono::steady_clock;

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, const std::vector<int>& cores, pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(127);  // it died before the line above
  setpgid(0, 0);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!cores.empty()) pin_to_cores(cores);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

pid_t start_process(const std::vector<std::string>& arguments, const std::vector<int>& cores) {
  std::vector<char*> raw;
  raw.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  const pid_t launcher = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (child == 0) become(raw.data(), cores, launcher);
  return child;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

std::optional<std::string> how_ended(pid_t process) {
  int status = 0;
  if (waitpid(process, &status, WNOHANG) != process) return std::nullopt;
  return describe_status(status);
}

void end_processes(const std::vector<pid_t>& processes, Duration grace) {
  const auto deadline = Clock::now() + std::chrono::nanoseconds(grace.ns);
  std::vector<pid_t> alive;
  for (const pid_t process : processes) {
    if (waitpid(process, nullptr, WNOHANG) == 0) alive.push_back(process);
  }
  for (const pid_t process : alive) kill(process, SIGTERM);
  while (!alive.empty() && Clock::now() < deadline) {
    std::erase_if(alive, [](pid_t process) { return waitpid(process, nullptr, WNOHANG) != 0; });
    if (!alive.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (const pid_t process : alive) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
  }
  if (cores.empty()) cores.push_back(0);
  return cores;
}

void pin_to_cores(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace foretrain::exec
