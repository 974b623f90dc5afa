// The cores of a host, shared by threads.
#pragma once

#include "sim/engine/engine.h"
#include "sim/history/recorder.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// The kind of work that a thread's CPU time is spent on.
enum class Work : std::uint8_t { compute, transport };

/// Threads are pinned to a core. A thread does its work items first in, first out. The runnable
/// threads of a core take turns in time slices, as the kernel schedules threads of equal priority:
/// a thread runs until it has nothing left to do, or until its slice is over while another waits. A
/// thread that becomes runnable goes to the end of the run queue. A thread that is woken from sleep
/// goes before those that have used more CPU time, as a fair scheduler (Stoica, Abdel-Wahab 1995,
/// which Linux implements as EEVDF) favours threads that have used less. After sleep a thread
/// counts as having used at least the minimum of the queued threads (or of the last one that was
/// queued) minus a slice. So a loop that carries little interrupts gradients, and a server's
/// computations interrupt a loop that carries much.
///
/// A core that switches to a thread of another process first spends the time of a context switch:
/// the kernel's part, and the time until the first cache holds the other process's lines again.
///
/// Compute slows down by the contention factor while another core of the host computes (shared
/// execution units, power); transport does not.
///
/// Realism: no migration; switching between threads of one process costs nothing beyond what their
/// work items include; a real kernel sometimes lets the running thread finish its slice first.
class Cpu : public Actor {
 public:
  struct Sharing {
    Duration slice;           ///< > 0
    double contention = 1;    ///< >= 1
    Duration change{};        ///< of a context switch between processes
    double transferring = 1;  ///< DeviceSpec::slowed_by_collectives + 1
  };

  /// `history` records what the cores do.
  Cpu(Engine& engine, int cores, const Sharing& sharing, Recorder history = {});

  /// The process of a thread; 0 stands for one whose context switches are free.
  using ProcessId = std::uint32_t;
  ProcessId add_process() { return ++processes_; }
  using ThreadId = std::size_t;
  ThreadId add_thread(int core, ProcessId process = 0);

  /// Position at which a thread that gets work enters the run queue: at the end, or, if it is
  /// woken, before the threads that have used more CPU time.
  enum class Entry : std::uint8_t { last, woken };

  /// Whether contention and context switches slow the work down. `recorded`: they do not, because
  /// its measured amount already includes them.
  enum class ShareMode : std::uint8_t { shared, recorded };

  /// Adds `amount` (at full speed) to the work of `thread`; `done` is woken when it is done. Work
  /// that `done` adds for the same thread continues without queuing again. `task`: its number in
  /// the history.
  void run(ThreadId thread, Duration amount, Work work, Callback done, Entry entry = Entry::last,
           History::TaskId task = History::kNoTask, ShareMode share_mode = ShareMode::shared);

  /// Moves a waiting thread before those that have used more CPU time, as if it were woken; does
  /// nothing if it does not wait. Not from within the callback of work on its core.
  void preempt_others(ThreadId thread);

  /// Stops `thread`: present and new work waits until `go_on`. Not from within the callback of work
  /// on its core.
  void stop(ThreadId thread);
  /// Resumes the thread, as one that is woken.
  void go_on(ThreadId thread);

  /// True if `thread` would begin at once, so that work of zero length need not be queued.
  [[nodiscard]] bool is_free(ThreadId thread) const {
    return threads_[thread].items.empty() && !threads_[thread].stopped;
  }
  /// Adds to the core's transfers. While it has any, compute is slower (Sharing::transferring).
  void count_transfer(int core, int change);

  /// Number of cores that compute now.
  [[nodiscard]] int computing() const;
  [[nodiscard]] int cores() const { return static_cast<int>(cores_.size()); }
  [[nodiscard]] bool idle(int core) const { return cores_[core].line.empty(); }
  /// When the core last went from idle to busy; meaningful while it is busy.
  [[nodiscard]] Instant busy_since(int core) const { return cores_[core].busy_since; }
  [[nodiscard]] int core_of(ThreadId thread) const { return threads_[thread].core; }
  /// CPU time that `thread` has used so far for this kind of work.
  [[nodiscard]] Duration used(ThreadId thread, Work work) const;
  /// Time so far in which a thread of the core ran.
  [[nodiscard]] Duration busy(int core) const;
  /// Adds `time` for which a loop of the core has polled while no thread ran.
  void poll(int core, Duration time) { cores_[core].polled += time; }
  /// Total polling time of the core's loops.
  [[nodiscard]] Duration polled(int core) const { return cores_[core].polled; }

  void wake(Instant now, std::uint64_t token) override;

 private:
  struct Item {
    double left = 0;  // ns at full speed
    Work work = Work::compute;
    History::TaskId task = History::kNoTask;
    Callback done;
    ShareMode share_mode = ShareMode::shared;
  };
  struct Thread {
    int core = 0;
    Fifo<Item> items;
    Duration used[2];
    Duration had;  // CPU time as the scheduler counts it: sleep earns a slice at most
    bool stopped = false;
    std::uint32_t recorded = 0;  // number in the history
    ProcessId process = 0;
  };
  struct Core {
    Fifo<ThreadId> line;  // runnable; the first one runs
    Instant since;        // the first item's `left` refers to this instant
    Instant slice_start;
    Instant busy_since;
    Duration busy;  // until `since`
    Duration polled;
    Duration least;       // least CPU time of a queued thread, or of the last one that was queued
    double slowness = 1;  // of the first item since `since`
    int transfers = 0;
    std::uint64_t plan_number = 0;  // of the event that counts
    ProcessId process = 0;          // process of the thread that ran last
    bool calling = false;           // a callback runs: no scheduling decision meanwhile
    std::uint32_t recorded = 0;     // number in the history
  };

  void enter(ThreadId thread, Entry entry);
  void enqueue(Core& core, ThreadId thread, Entry entry);
  void settle(Core& core, Instant now);
  void plan(std::size_t index, Instant now);
  void change_process(Core& core);
  void finish_item(std::size_t index, Instant now);
  [[nodiscard]] bool computes(const Core& core) const;
  [[nodiscard]] bool slows_others(const Core& core) const;
  [[nodiscard]] double slowness(std::size_t index) const;
  void contention_changed(std::size_t except, Instant now);

  Engine& engine_;
  Recorder history_;
  Sharing sharing_;
  std::vector<Core> cores_;
  std::vector<Thread> threads_;
  ProcessId processes_ = 0;
};

}  // namespace foretrain::sim
