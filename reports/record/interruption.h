// Signals that ask a command to end: Ctrl-C, SIGTERM, SIGHUP.
#pragma once

#include <string>

namespace foretrain {

/// `interrupted by signal 15`, as a record has it.
std::string interrupted_by(int signal);

/// While one exists, these signals end nothing by themselves: whoever works asks now and then
/// whether one has come, and ends where a record can be left. One for a whole command; one that is
/// made during the life of another changes nothing. SIGHUP stays ignored where it was, as nohup has
/// it. Children that are forked meanwhile are ended by who forked them, not by these signals. Who
/// reads standard output may go away: that fails a write then (EPIPE), and ends nothing either.
///
/// Where nobody has asked for two seconds, a second signal ends the process, with status 130.
class Interruption {
 public:
  /// @throws std::system_error where there is no pipe to be had
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  /// The first signal that has come since the outermost one was made; 0: none, or none exists. From
  /// any thread.
  static int signal();
  static bool asked() { return signal() != 0; }
  /// @throws NotDone where one has come: what is under way was interrupted
  static void check();
  /// What signal() was last: for the exit status, once the command is done.
  static int last();
  /// Readable from the first signal on, for an event loop that sleeps; -1 where none exists.
  static int descriptor();
};

}  // namespace foretrain
