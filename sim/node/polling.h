// Waiting of an event loop for messages: it polls for a while, then sleeps.
#pragma once

#include "sim/world/world.h"

#include <algorithm>
#include <optional>

namespace foretrain::sim {

/// Polling as in the executor's loop; its length is the machine's, or `transport.poll`:
///
/// 1. A loop polls for this long after its last activity, then sleeps until it is woken.
/// 2. While a job of its node runs on another thread, it sleeps at once: the job has the core.
/// 3. Incoming packets keep it awake until their message is complete, also over several successive
///    messages.
/// 4. It polls only while no other thread wants the core, so the loops of a core share its
///    remaining time. Polling counts as CPU time of transport.
class Polling {
 public:
  /// For a loop on this core.
  Polling(const Host& host, int core) : cpu_(host.cpu.get()), poll_(host.local.poll), core_(core) {}

  /// The node begins: earlier polling does not count.
  void begin() { polled_ = {}; }
  /// The loop acts now; it has polled or slept since its last activity.
  void active(Instant now);
  /// The loop has nothing left to wait for.
  void end() { ended_ = true; }
  /// A job begins on another thread; `job_ends` is its end.
  void job_begins() { ++jobs_; }
  void job_ends() { --jobs_; }
  /// A message is complete; its first packet arrived, or could have arrived, at `since`.
  void packets_came(Instant since) { coming_ = coming_ ? std::min(*coming_, since) : since; }

  /// Whether the loop polls at this instant if nothing happens before.
  [[nodiscard]] bool polls(Instant at) const { return jobs_ == 0 && at - active_ < poll_; }
  /// CPU time spent on polling so far.
  [[nodiscard]] Duration polled() const { return polled_; }

 private:
  Cpu* cpu_;
  Duration poll_;  // length of polling after the last activity
  int core_;
  int jobs_ = 0;
  bool ended_ = false;
  Instant active_;                 // time of its last activity
  Duration taken_;                 // at that time: Cpu::busy and Cpu::polled of its core
  std::optional<Instant> coming_;  // first packet since then, of messages from other hosts
  Duration polled_;
};

}  // namespace foretrain::sim
