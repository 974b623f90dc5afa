// How an event loop waits for messages: it polls for a while, then sleeps.
#pragma once

#include "sim/world/world.h"

#include <algorithm>
#include <optional>

namespace foretrain::sim {

/// Polling, as the executor's loop does it (its length is the machine's, or `transport.poll`):
///
/// 1. A loop polls for so long after it was last active, then sleeps until it is woken.
/// 2. While a job of its own runs beside it, it sleeps at once: the job has the core.
/// 3. Packets that come in keep it awake until their message is there, those of several messages
/// one
///    after the other.
/// 4. It polls only while nobody else wants the core, so loops of one core share what is left of
///    it; that time is CPU time of transport.
class Polling {
 public:
  /// Of a loop on this core.
  Polling(const Host& host, int core) : cpu_(host.cpu.get()), poll_(host.local.poll), core_(core) {}

  /// Time begins: what it has polled before does not count.
  void begin() { polled_ = {}; }
  /// The loop does something now; since it was last active it has polled, or slept.
  void active(Instant now);
  /// It has nothing left to wait for.
  void end() { ended_ = true; }
  /// A job runs beside it, or no longer does.
  void job_begins() { ++jobs_; }
  void job_ends() { --jobs_; }
  /// A message is there; its first packet came, or could have come, at `since`.
  void packets_came(Instant since) { coming_ = coming_ ? std::min(*coming_, since) : since; }

  /// Whether it polls then, from now on undisturbed.
  [[nodiscard]] bool polls(Instant at) const { return jobs_ == 0 && at - active_ < poll_; }
  /// CPU time so far.
  [[nodiscard]] Duration polled() const { return polled_; }

 private:
  Cpu* cpu_;
  Duration poll_;  // after it was last active
  int core_;
  int jobs_ = 0;
  bool ended_ = false;
  Instant active_;                 // when it last did something
  Duration taken_;                 // of its core then: Cpu::busy and Cpu::polled
  std::optional<Instant> coming_;  // the first packet since, of those from other hosts
  Duration polled_;
};

}  // namespace foretrain::sim
