#include "reports/record/interruption.h"

#include "reports/record/not_done.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <system_error>

namespace foretrain {
namespace {

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::time_t kPatience_s = 2;
constexpr int kInterruptedStatus = 130;

/// State of the signal handlers, which can use nothing but globals.
struct SignalState {
  std::atomic<int> came{0};  // number of the first signal; 0: none
  std::atomic<std::time_t> came_s{0};
  std::atomic<bool> heard{false};  // signal() has returned it since
  std::atomic<pid_t> owner{0};     // the process that handles signals
  std::array<int, 2> pipe{-1, -1};
  std::array<struct sigaction, kEndingSignals.size()> before{};
  void (*pipe_before)(int) = SIG_DFL;
  std::atomic<int> living{0};  // number of Interruption objects
};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::time_t>::is_always_lock_free);

SignalState signal_state;

std::time_t seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Calls async-signal-safe functions only.
void note_signal(int signal) {
  SignalState& state = signal_state;
  if (getpid() != state.owner) return;
  const int error = errno;
  int none = 0;
  if (state.came.compare_exchange_strong(none, signal)) {
    state.came_s = seconds_now();
    const char rung = 1;
    [[maybe_unused]] const ssize_t written = write(state.pipe[1], &rung, 1);
  } else if (!state.heard && seconds_now() - state.came_s >= kPatience_s) {
    _exit(kInterruptedStatus);
  }
  errno = error;
}

void begin_to_listen(SignalState& state) {
  if (pipe2(state.pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  state.came = 0;
  state.heard = false;
  state.owner = getpid();
  struct sigaction ears = {};
  ears.sa_handler = note_signal;
  ears.sa_flags = SA_RESTART;
  sigemptyset(&ears.sa_mask);
  for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
    struct sigaction& before = state.before[i];
    sigaction(kEndingSignals[i], nullptr, &before);
    const bool outlives_its_terminal = kEndingSignals[i] == SIGHUP && before.sa_handler == SIG_IGN;
    if (!outlives_its_terminal) sigaction(kEndingSignals[i], &ears, nullptr);
  }
  state.pipe_before = std::signal(SIGPIPE, SIG_IGN);
}

void end_to_listen(SignalState& state) {
  std::signal(SIGPIPE, state.pipe_before);
  for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
    sigaction(kEndingSignals[i], &state.before[i], nullptr);
  }
  for (int& end : state.pipe) {
    close(end);
    end = -1;
  }
}

}  // namespace

std::string interrupted_by(int signal) { return fmt::format("interrupted by signal {}", signal); }

Interruption::Interruption() {
  if (signal_state.living == 0) begin_to_listen(signal_state);
  ++signal_state.living;
}

Interruption::~Interruption() {
  if (--signal_state.living == 0) end_to_listen(signal_state);
}

int Interruption::signal() {
  if (signal_state.living == 0) return 0;
  const int came = signal_state.came;
  if (came != 0) signal_state.heard = true;
  return came;
}

int Interruption::last() { return signal_state.came; }

void Interruption::check() {
  if (const int came = signal(); came != 0) {
    throw NotDone(Outcome::interrupted, interrupted_by(came));
  }
}

int Interruption::descriptor() { return signal_state.pipe[0]; }

}  // namespace foretrain
