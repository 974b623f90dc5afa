// The process of a node: its threads on the cores of its host.
#pragma once

#include "sim/node/input_feed.h"
#include "sim/node/node_history.h"
#include "sim/world/world.h"

#include <memory>
#include <optional>
#include <vector>

namespace foretrain::sim {

/// Where a node lives.
struct Place {
  std::size_t host = 0;
  int core = 0;
  int threads = 1;              ///< that compute: on this core, on the ones after it
  std::optional<int> device{};  ///< of the host, that computes instead
};

/// One thread runs the event loop, others compute, one may parse what a worker reads. The loop
/// shares its core with the first one that computes, as in a run. Where the process has a device,
/// that is the one that computes, a stream of work in order, and the core is the loop's alone.
///
/// 1. A thread does what it is asked for in order; whoever asked is woken.
/// 2. While the process stands still no thread of it does anything: what it is asked for then is
///    done when it goes on. What the network has of it is on its way all the same.
/// 3. It stands still until each `stop` has its `go_on`.
class Process {
 public:
  /// `input`: of a worker whose batches cost something; else null.
  Process(World& world, const Place& place, const NodeHistory& history,
          std::unique_ptr<InputFeed> input);

  /// Has a thread of its own do this.
  void run(Cpu::ThreadId thread, const Effort& effort, Work work, Callback done,
           Cpu::Entry entry = Cpu::Entry::last, Cpu::Pace pace = Cpu::Pace::shared);
  /// Has its `thread`-th thread that computes do this.
  void compute(int thread, const Effort& effort, Callback done, Cpu::Pace pace);
  /// Has the loop do what takes no time, at its turn.
  void wake_loop(Callback done, Cpu::Entry entry = Cpu::Entry::last) {
    run(loop_, Effort(history_.messages()), Work::transport, done, entry);
  }

  /// The loop waits for its turn no longer, but for those that have had less of the core.
  void hurry_loop() { cpu_.hurry(loop_); }

  /// `why`: what it is told apart as in the history.
  void stop(Resource why);
  void go_on();
  [[nodiscard]] bool stands_still() const { return stops_ > 0; }

  [[nodiscard]] Instant now() const { return engine_.now(); }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const Host& host() const { return host_; }
  [[nodiscard]] const Cpu& cpu() const { return cpu_; }
  [[nodiscard]] const NodeHistory& history() const { return history_; }
  [[nodiscard]] Cpu::ThreadId loop() const { return loop_; }
  [[nodiscard]] int compute_threads() const { return static_cast<int>(compute_.size()); }
  [[nodiscard]] bool has_device() const { return place_.device.has_value(); }
  /// Null where batches cost nothing.
  [[nodiscard]] InputFeed* input() const { return input_.get(); }
  /// CPU time so far; that of a device is none.
  [[nodiscard]] Duration used(Work work) const;
  /// Of that, on the core that the loop has: it is busy there with one thing at a time.
  [[nodiscard]] Duration computed_on_first_core() const;

 private:
  Engine& engine_;
  Host& host_;
  Cpu& cpu_;
  Cpu& computes_;  // the devices of its host, else the same
  NodeHistory history_;
  Cpu::ProcessId id_;  // on its core
  Cpu::ThreadId loop_;
  std::vector<Cpu::ThreadId> compute_;
  std::unique_ptr<InputFeed> input_;
  Place place_;
  int stops_ = 0;  // that have no `go_on` yet
};

}  // namespace foretrain::sim
