// A measurement in a child process, pinned to a core.
#pragma once

#include "exec/system/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace foretrain::exec {

/// Runs `body` in a child process and returns its result; several can run concurrently. The calling
/// process must have one thread.
template <class Result>
class Forked {
  static_assert(std::is_trivially_copyable_v<Result>);

 public:
  Forked(int core, const std::function<Result()>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    child_ = fork();
    if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child_ == 0) {
      close(ends[0]);
      pin_to_cores({core});
      try {
        const Result result = body();
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
      } catch (...) {
        _exit(1);  // the parent's stack must not be unwound here
      }
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;
  ~Forked() {
    close(pipe_);
    if (!taken_) kill(child_, SIGKILL);  // it may wait for another child that died
    waitpid(child_, nullptr, 0);
  }

  /// Waits for the result. @throws std::runtime_error if the child died
  Result get() {
    Result result;
    taken_ = true;
    if (read(pipe_, &result, sizeof result) != static_cast<ssize_t>(sizeof result)) {
      throw std::runtime_error("calibration: a measuring process ended unexpectedly");
    }
    return result;
  }

 private:
  pid_t child_ = 0;
  int pipe_ = -1;
  bool taken_ = false;
};

}  // namespace foretrain::exec
