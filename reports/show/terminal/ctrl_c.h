// Ctrl-C while simulations run.
#pragma once

#include <csignal>

namespace foretrain {

/// While one exists, SIGINT asks the simulations to end instead of ending the process; a run has a
/// launcher that listens to signals itself. One at a time, made outside of the threads that
/// simulate.
class CtrlC {
 public:
  CtrlC() : before_(std::signal(SIGINT, [](int) { asked_ = 1; })) {}
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;
  ~CtrlC() { std::signal(SIGINT, before_); }

  /// Somebody pressed Ctrl-C. From any thread.
  static bool asked() { return asked_ != 0; }

 private:
  static inline volatile std::sig_atomic_t asked_ = 0;
  void (*before_)(int);
};

}  // namespace foretrain
