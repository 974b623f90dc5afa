#include "exec/system/process.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace foretrain::exec {
namespace {

using Clock = std::chrono::steady_clock;

// Blocks all signals of this thread during its lifetime, also in a child that is forked meanwhile,
// until it unblocks them. Otherwise a signal before exec would run the launcher's handler in the
// child, which only records it in the child's memory, and be lost.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Unblocks signals after resetting all handlers of the launcher; ignored signals stay ignored.
void take_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The affinity mask, in order.
std::vector<int> allowed_cores() {
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

void set_affinity(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Containers of one host have the same mask: if each took its first cores, all would share these
// while others are idle.
bool may_pin() { return usable_cores().size() == allowed_cores().size(); }

// Environment of this process, with `variables` replacing its own.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view name(*each, std::string_view(*each).find('=') + 1);
    const auto is_it = [&](const std::string& other) { return other.starts_with(name); };
    if (std::ranges::none_of(variables, is_it)) all.emplace_back(*each);
  }
  return all;
}

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_child(char* const* arguments, char* const* environment,
                               const std::vector<int>& cores, const Streams& streams,
                               pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(127);  // it died before the line above
  setpgid(0, 0);
  if (streams.input >= 0) dup2(streams.input, STDIN_FILENO);
  if (streams.errors >= 0) dup2(streams.errors, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  take_signals();
  if (!cores.empty()) set_affinity(cores);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

// Sockets, named as in a process's files (`socket:[4711]`), with this local port in a table of the
// kernel.
std::set<std::string> sockets_at(const std::string& table, int port) {
  constexpr std::size_t kOwnEnd = 1;
  constexpr std::size_t kNumber = 9;
  constexpr int kHexadecimal = 16;
  std::set<std::string> sockets;
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // column names
  while (std::getline(file, line)) {
    std::istringstream text(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.size() <= kNumber) continue;
    const std::string& end = words[kOwnEnd];  // 0100007F:1F90
    const std::string digits = end.substr(end.find(':') + 1);
    int own = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), own, kHexadecimal);
    if (own == port) sockets.insert(fmt::format("socket:[{}]", words[kNumber]));
  }
  return sockets;
}

}  // namespace

pid_t start_process(const std::vector<std::string>& arguments, const std::vector<int>& cores,
                    const Streams& streams, const std::vector<std::string>& variables) {
  const std::vector<char*> raw = raw_words(arguments);
  const std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> raw_environment = raw_words(environment);
  const pid_t launcher = getpid();
  const std::vector<int> pinned_to = may_pin() ? cores : std::vector<int>();
  const HeldSignals held;
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (child == 0) {
    become_child(raw.data(), raw_environment.data(), pinned_to, streams, launcher);
  }
  return child;
}

int become(const std::filesystem::path& program, char* const* arguments,
           const std::vector<std::string>& variables) {
  const std::vector<std::string> environment = environment_with(variables);
  execve(program.c_str(), arguments, raw_words(environment).data());
  return errno;
}

std::vector<char*> raw_words(const std::vector<std::string>& words) {
  std::vector<char*> raw;
  raw.reserve(words.size() + 1);
  for (const std::string& word : words) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  return raw;
}

void end_with_standard_input() {
  std::thread([] {
    std::array<char, 256> unread{};
    while (true) {
      const ssize_t got = read(STDIN_FILENO, unread.data(), unread.size());
      if (got == 0 || (got < 0 && errno != EINTR)) _exit(1);
    }
  }).detach();
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

std::optional<int> status_if_ended(pid_t process) {
  int status = 0;
  if (waitpid(process, &status, WNOHANG) != process) return std::nullopt;
  return status;
}

std::optional<std::string> how_ended(pid_t process) {
  const std::optional<int> status = status_if_ended(process);
  return status ? std::optional(describe_status(*status)) : std::nullopt;
}

std::optional<FirstThread> first_thread_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/stat", process));
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_ends = line.rfind(')');  // a name may contain anything
  if (name_ends == std::string::npos) return std::nullopt;
  std::istringstream words(line.substr(name_ends + 1));
  constexpr int kBetween = 10;  // from the state to the user time
  char state = 0;
  std::string skipped;
  words >> state;
  for (int i = 0; i < kBetween; ++i) words >> skipped;
  std::int64_t user = 0;
  std::int64_t kernel = 0;
  if (!(words >> user >> kernel)) return std::nullopt;
  const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return FirstThread{state == 'R',
                     Duration::from_seconds(static_cast<double>(user + kernel) / ticks_a_second)};
}

bool holds_port(pid_t process, int port) {
  const std::string folder = fmt::format("/proc/{}", process);
  std::set<std::string> sockets = sockets_at(folder + "/net/tcp", port);
  sockets.merge(sockets_at(folder + "/net/tcp6", port));
  if (sockets.empty()) return false;
  std::error_code error;
  std::filesystem::directory_iterator files(folder + "/fd", error);
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) {
    std::error_code gone;
    if (sockets.contains(std::filesystem::read_symlink(files->path(), gone).string())) return true;
  }
  return false;
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
  std::vector<int> cores = allowed_cores();
  // More would be throttled for a part of every period.
  const double quota = cpu_quota().value_or(static_cast<double>(cores.size()));
  const auto whole = static_cast<std::size_t>(std::max(1.0, quota));
  cores.resize(std::min(cores.size(), whole));
  return cores;
}

int usable_core_count() { return static_cast<int>(usable_cores().size()); }

void pin_to_cores(const std::vector<int>& cores) {
  if (may_pin()) set_affinity(cores);
}

}  // namespace foretrain::exec
