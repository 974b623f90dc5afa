// Access to the history of a simulation, if there is one.
#pragma once

#include "sim/history/history.h"

namespace foretrain::sim {

/// The reference to the history that drivers, cores and network of a simulation hold. Without a
/// history every call does nothing, at the cost of a null check, so callers need not know. Copies
/// refer to the same history, which outlives them.
///
/// The calls have the meaning that History documents. Without one the only activity is the
/// beginning, 0, and there are no tasks.
class Recorder {
 public:
  Recorder() = default;
  /// Null means no history.
  explicit Recorder(History* history) : history_(history) {}

  /// True if there is a history.
  [[nodiscard]] bool keeps() const { return history_ != nullptr; }

  [[nodiscard]] ActivityId current() const { return keeps() ? history_->current() : 0; }
  void go_on_from(ActivityId activity) const {
    if (keeps()) history_->go_on_from(activity);
  }
  void updated() const {
    if (keeps()) history_->updated();
  }
  ActivityId add(const Activity& activity) const { return keeps() ? history_->add(activity) : 0; }
  [[nodiscard]] std::uint32_t node_of(ActivityId activity) const {
    return keeps() ? history_->activities()[activity].node : 0;
  }

  [[nodiscard]] std::uint32_t add_core() const { return keeps() ? history_->add_core() : 0; }
  [[nodiscard]] std::uint32_t add_thread() const { return keeps() ? history_->add_thread() : 0; }
  [[nodiscard]] History::TaskId ask(NodeId node, Instant now, const CostBreakdown& effort) const {
    return keeps() ? history_->ask(node, now, effort) : History::kNoTask;
  }
  void ran(std::uint32_t core, History::TaskId task, Instant from, Instant to) const {
    if (keeps()) history_->ran(core, task, from, to);
  }
  void idle(std::uint32_t core) const {
    if (keeps()) history_->idle(core);
  }
  void ended(std::uint32_t core, std::uint32_t thread, History::TaskId task, Instant now) const {
    if (keeps()) history_->ended(core, thread, task, now);
  }
  void stopped(NodeId node, Resource why) const {
    if (keeps()) history_->stopped(node, why);
  }

 private:
  History* history_ = nullptr;
};

}  // namespace foretrain::sim
