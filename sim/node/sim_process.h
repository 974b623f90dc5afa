// The process of a node: its threads on the cores of its host.
#pragma once

#include "sim/node/input_feed.h"
#include "sim/node/node_history.h"
#include "sim/world/world.h"

#include <memory>
#include <optional>
#include <vector>

namespace foretrain::sim {

/// Host and cores of a node.
struct Place {
  std::size_t host = 0;
  int core = 0;
  int threads = 1;              ///< compute threads, on this core and the following ones
  std::optional<int> device{};  ///< of the host; computes in place of the cores
};

/// One thread runs the event loop, others compute, one may parse a worker's input. The loop shares
/// its core with the first compute thread, as in a run. If the process has a device, the device
/// computes, as one stream of work in order, and the core runs only the loop.
///
/// 1. A thread does its requested work in order; each requester is woken at the end.
/// 2. While the process is stopped no thread does anything; work requested meanwhile is done after
///    `go_on`. Messages already in the network continue.
/// 3. It is stopped until each `stop` has its `go_on`.
class Process {
 public:
  /// `input`: for a worker whose batches have a cost; else null.
  Process(World& world, const Place& place, const NodeHistory& history,
          std::unique_ptr<InputFeed> input);

  /// Queues work for one of its threads.
  void run(Cpu::ThreadId thread, const CostBreakdown& effort, Work work, Callback done,
           Cpu::Entry entry = Cpu::Entry::last, Cpu::ShareMode share_mode = Cpu::ShareMode::shared);
  /// Queues work for the `thread`-th compute thread.
  void compute(int thread, const CostBreakdown& effort, Callback done, Cpu::ShareMode share_mode);
  /// Queues work of zero length for the loop, for its next turn.
  void wake_loop(Callback done, Cpu::Entry entry = Cpu::Entry::last) {
    run(loop_, CostBreakdown(history_.messages()), Work::transport, done, entry);
  }

  /// A message between this device and another leaves (1) or arrives (-1): Cpu::count_transfer.
  void count_transfer(int change) { computes_.count_transfer(*place_.device, change); }

  /// Moves the waiting loop before threads that have used more CPU time.
  void preempt_for_loop() { cpu_.preempt_others(loop_); }

  /// `why`: the reason that the history records.
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
  /// Null if batches cost nothing.
  [[nodiscard]] InputFeed* input() const { return input_.get(); }
  /// CPU time so far, without the device's.
  [[nodiscard]] Duration used(Work work) const;
  /// Part of it that was compute on the loop's core, where only one thread runs at a time.
  [[nodiscard]] Duration computed_on_first_core() const;

 private:
  Engine& engine_;
  Host& host_;
  Cpu& cpu_;
  Cpu& computes_;  // the devices of its host, else the same as `cpu_`
  NodeHistory history_;
  Cpu::ProcessId id_;  // on its core
  Cpu::ThreadId loop_;
  std::vector<Cpu::ThreadId> compute_;
  std::unique_ptr<InputFeed> input_;
  Place place_;
  int stops_ = 0;  // without a matching `go_on`
};

}  // namespace foretrain::sim
