// The cores of a host, shared by threads.
#pragma once

#include "sim/engine/engine.h"
#include "sim/history/recorder.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// What a thread spends its time on.
enum class Work : std::uint8_t { compute, transport };

/// Threads are pinned to a core. A thread does its work items first in, first out; the runnable
/// threads of a core share it in slices, in turn, as the kernel lets equal threads do: whoever runs
/// goes on until it has nothing left to do or its slice is over while another waits. A thread that
/// becomes runnable waits at the end of the line, but one that is woken from sleep goes before
/// those that have had more of the core than it has, as a kernel's fair scheduler (Stoica,
/// Abdel-Wahab 1995, of which Linux has EEVDF) favours who has had less; a thread that has slept
/// has had a slice less than the least of those in line, or the last that was, no less. So a loop
/// that carries little interrupts gradients, and what a server computes interrupts a loop that
/// carries much.
///
/// A core that goes on with a thread of another process than it ran last first takes the time of a
/// change: the kernel's, and that until the first cache has the other's lines again.
///
/// Compute slows down by the contention factor while another core of the host computes (execution
/// units, power); transport does not.
///
/// Realism: no migration; a change between threads of one process costs nothing beyond what their
/// work items carry; a kernel sometimes lets the running thread end its slice first.
class Cpu : public Actor {
 public:
  struct Sharing {
    Duration slice;         ///< > 0
    double contention = 1;  ///< >= 1
    Duration change{};      ///< of processes
  };

  /// `history`: is told what its cores do.
  Cpu(Engine& engine, int cores, const Sharing& sharing, Recorder history = {});

  /// Whose threads they are; 0: of none that counts as a change.
  using ProcessId = std::uint32_t;
  ProcessId add_process() { return ++processes_; }
  using ThreadId = std::size_t;
  ThreadId add_thread(int core, ProcessId process = 0);

  /// Where a thread without work enters the line: at its end, or, woken, before those that have had
  /// more.
  enum class Entry : std::uint8_t { last, woken };

  /// Whether contention and changes slow work down; recorded: its amount has what others cost it
  /// already.
  enum class Pace : std::uint8_t { shared, recorded };

  /// Adds `amount` (at full speed) to what `thread` has to do; `done` is woken when it is done.
  /// What `done` adds for the same thread runs on without waiting in line again. `task`: what the
  /// history calls it.
  void run(ThreadId thread, Duration amount, Work work, Callback done, Entry entry = Entry::last,
           History::TaskId task = History::kNoTask, Pace pace = Pace::shared);

  /// A thread that waits in line goes before those that have had more, as one that is woken; else
  /// nothing happens. Not from within the callback of work on its core.
  void hurry(ThreadId thread);

  /// `thread` stands still: what it has to do, then or by then, waits until it goes on. Not from
  /// within the callback of work on its core.
  void stop(ThreadId thread);
  /// It goes on, as one that is woken.
  void go_on(ThreadId thread);

  /// Whether `thread` would begin at once: what takes no time need not wait in line then.
  [[nodiscard]] bool is_free(ThreadId thread) const {
    return threads_[thread].items.empty() && !threads_[thread].stopped;
  }
  /// Cores that compute now.
  [[nodiscard]] int computing() const;
  [[nodiscard]] int cores() const { return static_cast<int>(cores_.size()); }
  [[nodiscard]] bool idle(int core) const { return cores_[core].line.empty(); }
  /// When the core last went from idle to busy; meaningful while it is busy.
  [[nodiscard]] Instant busy_since(int core) const { return cores_[core].busy_since; }
  [[nodiscard]] int core_of(ThreadId thread) const { return threads_[thread].core; }
  /// CPU time that `thread` has used on work of this kind by now.
  [[nodiscard]] Duration used(ThreadId thread, Work work) const;
  /// Time by now in which a thread of the core ran.
  [[nodiscard]] Duration busy(int core) const;
  /// A loop of the core has polled for so long while no thread ran.
  void poll(int core, Duration time) { cores_[core].polled += time; }
  /// All that loops of the core have polled.
  [[nodiscard]] Duration polled(int core) const { return cores_[core].polled; }

  void wake(Instant now, std::uint64_t token) override;

 private:
  struct Item {
    double left = 0;  // ns at full speed; whole without contention
    Work work = Work::compute;
    History::TaskId task = History::kNoTask;
    Callback done;
    Pace pace = Pace::shared;
  };
  struct Thread {
    int core = 0;
    Fifo<Item> items;
    Duration used[2];
    Duration had;  // of its core, as the scheduler counts it: sleep earns a slice at most
    bool stopped = false;
    std::uint32_t recorded = 0;  // as what, in the history
    ProcessId process = 0;
  };
  struct Core {
    Fifo<ThreadId> line;  // runnable; the first one runs
    Instant since;        // the first item's `left` is as of this instant
    Instant slice_start;
    Instant busy_since;
    Duration busy;  // until `since`
    Duration polled;
    Duration least;                // that a thread in line has had, or the last one that was
    double slowness = 1;           // of the first item, since `since`
    std::uint64_t generation = 0;  // of the event that counts
    ProcessId process = 0;         // whose thread ran last
    bool calling = false;          // a callback runs: nothing is decided meanwhile
    std::uint32_t recorded = 0;    // as what, in the history
  };

  void enter(ThreadId thread, Entry entry);
  void line_up(Core& core, ThreadId thread, Entry entry);
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
