// A bucket of a parameter server with its unanswered pushes.
#pragma once

#include "models/protocol/message.h"
#include "models/protocol/shard.h"
#include "models/tensor/payload.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace foretrain {

/// The clocks of workers: how many gradients of each were applied. The slowest clock is available
/// in constant time: a server needs it for every gradient, with up to thousands of workers.
class Clocks {
 public:
  explicit Clocks(int workers)
      : clocks_(static_cast<std::size_t>(workers)), lost_(static_cast<std::size_t>(workers)) {
    at_[0] = workers;
  }

  [[nodiscard]] std::int64_t of(std::size_t worker) const { return clocks_[worker]; }
  void advance(std::size_t worker) {
    if (!lost_[worker]) leave(clocks_[worker]);
    ++clocks_[worker];
    if (!lost_[worker]) ++at_[clocks_[worker]];
  }
  /// The worker is not waited for any more.
  void mark_lost(std::size_t worker) {
    if (lost_[worker]) return;
    leave(clocks_[worker]);
    lost_[worker] = true;
  }
  /// A lost worker is waited for again, at this clock, which is at least its earlier one.
  void come_back(std::size_t worker, std::int64_t clock) {
    lost_[worker] = false;
    clocks_[worker] = clock;
    ++at_[clock];
  }
  [[nodiscard]] bool is_lost(std::size_t worker) const { return lost_[worker]; }

  /// The least clock of a present worker; there is always one.
  [[nodiscard]] std::int64_t slowest() const { return at_.begin()->first; }
  /// The number of present workers with the least clock.
  [[nodiscard]] std::int64_t at_slowest() const { return at_.begin()->second; }

 private:
  void leave(std::int64_t clock) {
    const auto here = at_.find(clock);
    if (--here->second == 0) at_.erase(here);
  }

  std::vector<std::int64_t> clocks_;
  std::vector<bool> lost_;
  std::map<std::int64_t, std::int64_t> at_;  // present workers, by clock
};

/// A worker's current or last process, as its server knows it.
struct WorkerIncarnation {
  std::int64_t incarnation = 1;
  bool present = true;  ///< false: that process is lost

  /// The worker's first process is present.
  [[nodiscard]] bool is_first() const { return present && incarnation == 1; }
  /// This process of the worker is lost: nothing more comes from it, and it gets no answers.
  [[nodiscard]] bool is_gone(std::int64_t process) const {
    return process < incarnation || (process == incarnation && !present);
  }
};

/// A push is in `waiting`, in `applying` during its update, then in `held` (parameter_server.h).
struct ServerQueue {
  using Workers = std::vector<std::uint32_t>;

  /// A gradient, or a pull, that is not answered.
  struct Push {
    Payload payload{};  // none: a pull, or restored from a checkpoint
    Step step{};
    Version version{};  // that the gradient was computed from; a pull: the incarnation
    Instant at{};       // when it arrived
    Instant begun{};    // when its update began
    Instant applied{};
    std::int64_t staleness = 0;
    std::uint32_t worker = 0;
    bool pull = false;
    bool counted = false;   // its bytes count as buffered, although `payload` is empty
    bool dropped = false;   // came too late
    bool orphaned = false;  // worker lost during the update: counts, gets no answer
  };
  /// A decision of shard 0, only with backup workers.
  struct Decision {
    /// choice      an update takes the gradients of `workers`
    /// late        the gradient of `workers[0]` is dropped
    /// returned    `workers[0]` takes part again, as this `incarnation`
    /// enough      the target is reached
    MessageKind kind = MessageKind::choice;
    Workers workers{};
    std::int64_t incarnation = 0;

    /// The decision is about a push of this worker.
    [[nodiscard]] bool concerns(std::uint32_t worker) const;
  };
  /// The state of a worker at a bucket, only with backup workers.
  struct Standing {
    /// Values for a late or returned worker, sent when its push or pull to this bucket arrives.
    struct Owed {
      Payload values;
      Version version;
    };
    std::optional<Push> pull{};
    std::optional<Owed> owed{};
    Step answered{};               ///< the step that was answered last
    bool answer_dropped = false;   ///< the gradient of that step was dropped
    Step pushed{-1};               ///< the step that was pushed last
    Step first{};                  ///< the first step of this process
    std::int64_t incarnation = 1;  ///< the process that the decisions so far refer to
    bool listens = true;           ///< the worker is to be informed of the end
  };
  /// An answer that a checkpoint holds back.
  struct HeldAnswer {
    std::uint32_t worker = 0;
    Message message;
    Instant since;
  };

  ServerQueue(ShardBucket of, int workers, bool chooses);

  ShardBucket bucket;
  std::vector<std::optional<Push>> waiting;  // by worker
  std::deque<std::uint32_t> order;           // of `waiting`, by arrival; unused with backup workers
  std::vector<Push> applying{};              // in the order of addition
  std::vector<Push> held{};
  std::vector<bool> pushed;  // by worker: a push of it is here, unanswered
  Instant apply_start{};
  bool over = false;  // all workers are informed of the end
  // If an update takes one gradient (not UpdateRule::in_step):
  Clocks clocks;                                // by worker: gradients applied
  std::vector<std::int64_t> skipped;            // by worker: number of skipped clock values
  std::optional<std::int64_t> released_at = 0;  // slowest clock when all `held` were checked
  // With backup workers:
  std::vector<Standing> standings;    // by worker
  std::deque<Decision> decisions{};   // the first waits for gradients, or is being applied
  std::vector<HeldAnswer> answers{};  // held back by a checkpoint
};

}  // namespace foretrain
