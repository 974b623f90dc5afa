// The server of synchronous SGD with backup workers.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/node.h"
#include "models/protocol/options.h"
#include "models/protocol/protocol.h"
#include "models/protocol/seat.h"
#include "models/protocol/server_cut.h"
#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// `training.backup_workers`.
extern const Option kBackupWorkers;

/// Of N workers, b are backups: a step is made by the first N - b gradients that are complete, and
/// nobody waits for the rest (Chen, Pan, Monga, Bengio, Jozefowicz 2016):
///
///     w_{t+1} = w_t - rate * (1 / (N - b)) * sum over the chosen workers n of g_n(w_t)
///
/// The sum is taken in the order of the workers. A gradient of an older step is dropped, counted,
/// and its worker sent on with the newest parameters.
///
/// Shard 0 chooses for all shards, by the pushes that it has: it tells the others whose gradients
/// make the step, and who is sent on. They do the same in the same order, so a worker gets the same
/// version from all of them, also where its push to one of them is still on its way.
///
/// Up to b workers other than the chief may be lost at a time. The training ends after
/// `Training::updates`, or where the chief tells shard 0 that the target is reached: that is a
/// decision like the others, so all shards end at the same version.
///
/// Another process may take the place of one that was lost. It pulls the first bucket; that it
/// takes part again is a decision, too, which the others hear as `returned`. So it gets the same
/// version of all buckets, joins the step that is under way, and is chosen, or late, as any other.
/// What shard 0 had of the process before it, not chosen yet, is dropped when that is lost; the
/// others leave what they have of it at that decision, which comes after all that concern it. Its
/// steps have numbers that no step before had.
///
/// A checkpoint is cut after a step (server_cut.h). Shard 0 holds the answers of that step, and
/// sends on nobody who is late for it: so in the end all workers wait, which takes as long as the
/// slowest gradient. A late one goes on with the parameters of the cut.
///
/// A late worker finishes its gradient before it is sent on. So only the first step of a training
/// takes what order statistics say, the least N - b of N independent draws (Dutta, Joshi, Ghosh,
/// Dube, Nagpurkar 2018, who cancel late gradients). A later one begins with up to b workers that
/// are busy with what will be dropped, so in the mean it takes at least as long, also where times
/// have no memory; at most the largest of the N - b draws of those that begin it at once.
class BackupServer : public Node, public Buffering {
 public:
  /// The last update, what was dropped; the step that was answered last, whether it was dropped.
  static constexpr ServerState kState{2, 2};

  BackupServer(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;
  /// It has applied a step, and answered nobody.
  void restore(StateReader& state) override;

 private:
  using Workers = std::vector<std::uint32_t>;
  /// What shard 0 has decided.
  struct Decision {
    enum class What {
      step,      ///< the gradients of `chosen` make one
      late,      ///< `worker` is sent on
      returned,  ///< `worker`, as this `generation`, takes part again
      enough     ///< it is the end
    };
    What what = What::step;
    Workers chosen{};
    std::uint32_t worker = 0;
    std::int64_t generation = 0;

    /// It hangs on what this worker has pushed.
    [[nodiscard]] bool concerns(std::uint32_t who) const;
  };
  /// A push, or a pull, that has no answer yet.
  struct Arrival {
    Instant at;
    Message message;
  };
  /// Values that a worker gets as soon as its push, or its pull, is here.
  struct Owed {
    Payload values;
    Version version;
  };
  /// Whose push was answered last, and how.
  struct Answered {
    Step step;
    bool dropped = false;
  };
  /// An answer that a cut holds.
  struct Held {
    Message message;
    Instant since;
  };
  /// How a worker stands with a bucket.
  struct Standing {
    std::optional<Arrival> push{};
    std::optional<Arrival> pull{};
    std::optional<Owed> owed{};
    std::optional<Held> held{};
    Answered answered{};
    Step pushed{-1};              ///< the last that came
    Step first;                   ///< of that process
    std::int64_t generation = 1;  ///< which process of it the decisions so far are about
    bool listens = true;          ///< it is to be told of the end
  };
  struct Gathering {
    ShardBucket bucket;
    std::vector<Standing> standings;   // by worker
    std::deque<Decision> decisions{};  // the first is waited for, or being applied
    bool applying = false;
    bool over = false;
    Instant apply_start{};
  };

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void lose(Instant now, NodeId peer, Effects& effects);
  void miss(std::uint32_t worker, Effects& effects) const;
  // Who comes back (backup_return.cpp):

  /// The process of this worker that is there is the one that decisions are about.
  [[nodiscard]] bool takes_part(const Gathering& gathering, std::uint32_t worker) const;
  /// Shard 0: no later step is made of what a lost worker has pushed.
  void forget(std::uint32_t worker);
  void pulled(Instant now, NodeId from, Message pull, Gathering& gathering, Effects& effects);
  /// Decisions are about this process of the worker from now on.
  void seat(Gathering& gathering, const Decision& decision, Effects& effects);
  void welcome(Gathering& gathering, std::uint32_t worker, Effects& effects);
  [[nodiscard]] bool all_take_part() const;
  /// Shard 0: the target is reached.
  void stop(Instant now, NodeId from, Effects& effects);
  /// Shard 0: a push of `worker` is here.
  void choose(Instant now, std::uint32_t worker, Effects& effects);
  void decide(Instant now, const Decision& decision, Effects& effects);
  void go_on(Instant now, Gathering& gathering, Effects& effects);
  /// The next step of this bucket, if all that was chosen is here; `chosen`: whose.
  void apply(Instant now, Gathering& gathering, const Workers& chosen, Effects& effects);
  void dismiss(Instant now, Gathering& gathering, std::uint32_t worker, Effects& effects);
  void applied(Instant now, Gathering& gathering, Effects& effects);
  /// The push is answered, or not wanted any more.
  void let_go(std::optional<Arrival>& push);
  void send_on(Instant now, Gathering& gathering, std::uint32_t worker, Effects& effects);
  /// At the last update; `last`: whose it was, and whose answers are still due.
  void announce_end(Instant now, Gathering& gathering, const Decision& last, Effects& effects);
  void answer(Instant now, Gathering& gathering, std::uint32_t worker, MessageKind kind,
              const Owed& what, Effects& effects);
  /// What is told to who waits for no answer, when it is over.
  [[nodiscard]] static Message last_values(const Gathering& gathering);
  /// A cut is wanted, and all is as it wants it: the state here is kept.
  void look_at_cut(Effects& effects);
  [[nodiscard]] bool is_as_wanted(const Gathering& gathering) const;
  [[nodiscard]] std::string state() const;
  /// The cut is kept everywhere, or given up: those who wait are answered.
  void release(Instant now, Effects& effects);
  /// The same, where it went on from a cut.
  void answer_all(Effects& effects);
  [[nodiscard]] Message encoded(const Decision& decision) const;
  [[nodiscard]] std::optional<Decision> decoded(const Message& message) const;
  [[nodiscard]] std::size_t needed() const {
    return static_cast<std::size_t>(training_->workers - backups_);
  }
  [[nodiscard]] bool chooses() const { return id_ == training_->server(0); }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  int backups_;
  std::vector<Gathering> gatherings_;  // one a bucket of this shard
  std::size_t over_ = 0;               // of them
  std::int64_t dropped_ = 0;
  Seats seats_;
  Instant last_update_;
  ServerCut cut_;
  bool restored_ = false;  // not started since

  // Of shard 0:
  Workers complete_;            // whose gradient of the next step is here, in the order they came
  std::int64_t decisions_ = 0;  // steps that are decided
  bool enough_ = false;         // that it is the end, too
  std::optional<Version> cutting_;  // after which step nobody is answered
};

}  // namespace foretrain
