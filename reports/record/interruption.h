// Handling of signals that end a command: Ctrl-C, SIGTERM, SIGHUP.
#pragma once

#include <string>

namespace foretrain {

/// `interrupted by signal 15`, the failure of a record.
std::string interrupted_by(int signal);

/// While an object exists, these signals do not end the process: the work polls for them, and stops
/// where a record can be completed. A command has one object; nested ones have no effect. SIGHUP
/// stays ignored if it was, as under nohup. Forked children have to be ended by their parent, not
/// by these signals. If the reader of standard output has gone, a write fails with EPIPE instead of
/// ending the process.
///
/// If the work does not poll for two seconds after a signal, the next one exits with status 130.
class Interruption {
 public:
  /// @throws std::system_error if no pipe can be created
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  /// The first signal since the outermost object was created; 0 if there was none. Any thread.
  static int signal();
  static bool asked() { return signal() != 0; }
  /// @throws NotDone (interrupted) if there was a signal
  static void check();
  /// The signal even after the last object was destroyed, for the exit status of the command.
  static int last();
  /// A descriptor that is readable after the first signal, for an event loop; -1 without an object.
  static int descriptor();
};

}  // namespace foretrain
