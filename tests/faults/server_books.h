// A server's account of each bucket, derived from its messages alone.
#pragma once

#include "models/protocol/training.h"
#include "tests/faults/bucket_values.h"
#include "tests/faults/envelope.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace foretrain::faults {

/// The choices that shard 0 sent to the other shards, by update: the workers whose gradients count.
/// Empty without backups or with one shard.
using Choices = std::vector<std::vector<std::uint32_t>>;

/// Rules for a server, checked at every input:
///
/// 1. A worker's gradients of a bucket come step after step, each after the answer to the previous
///    one: no gap, no duplicate. A worker that comes back begins each bucket with a step above all
///    that it had sent.
/// 2. Each gradient is applied once, or dropped with a message. Values equal the mean of the
///    gradients that the strategy takes, as in bucket_values.h. `sync`: one per worker, of this
///    step; `async`, `ssp`: the first that came, at staleness 0 in the order of workers; backups:
///    those chosen by shard 0.
/// 3. Versions count updates; an answer has the newest version.
/// 4. `ssp`: a worker gets no answer if it is ahead of the slowest present worker by more than the
///    bound.
/// 5. At the end, updates x gradients per update have been accepted.
///
/// The learning rate has to be constant.
///
/// With backups and one shard, the choice is visible only in the answers. If one of several lost
/// workers may have been chosen, it is unknown which, so the next answer is believed.
class ServerBooks {
 public:
  ServerBooks(std::shared_ptr<const Training> training, NodeId id, const Choices& choices);

  /// Checks one input with the server's effects. @throws Broken
  void happened(const Heard& heard, std::span<const Effect> effects);

  [[nodiscard]] std::int64_t updates(std::uint32_t bucket) const;

 private:
  struct Push {
    std::uint32_t worker = 0;
    Step step;
    Version version;
    std::vector<float> gradient;
    bool orphaned = false;  // being applied when its worker was lost
    bool pull = false;      // a pull, without a gradient
  };
  struct Account {
    Account(const std::shared_ptr<const Training>& training, std::uint32_t index)
        : values(training, index),
          clocks(static_cast<std::size_t>(training->workers)),
          next_step(clocks.size()),
          last_sent(clocks.size(), -1),
          lost(clocks.size()) {}

    BucketValues values;
    std::int64_t updates = 0;
    std::deque<Push> waiting;  // in order of arrival
    std::vector<Push> applying;
    std::map<std::uint32_t, Push> applied;  // by worker: not answered yet
    std::vector<std::int64_t> clocks;       // by worker: applied gradients
    std::vector<std::int64_t> next_step;    // by worker: next step to send
    std::vector<std::int64_t> last_sent;    // by worker: last step sent
    std::vector<bool> lost;                 // by worker: it does not count
    bool over = false;                      // a worker was told so
  };

  [[nodiscard]] Account& account(std::uint32_t bucket);
  [[nodiscard]] Account& account_of(JobId apply);
  [[nodiscard]] Account& account_of(const Compute& apply);
  /// Processes one input. Removes from `begun`, the effects that begin an update, those that were
  /// made before the input.
  void hear(const Heard& heard, std::vector<const Compute*>& begun,
            std::span<const Effect> effects);
  [[nodiscard]] bool could_apply(const Account& account) const;
  /// The gradient in a push, decompressed.
  [[nodiscard]] std::vector<float> gradient_in(const Envelope& push) const;
  void pushed(std::uint32_t worker, const Envelope& push);
  void pulled(std::uint32_t worker, const Envelope& pull);
  void lost(NodeId peer);
  void begin_at(Account& account, std::uint32_t worker, Step first) const;
  void begins_apply(Account& account);
  void has_applied(Account& account, std::span<const Effect> effects);
  void leave_those_chosen(Account& account, std::vector<Push>& pushes,
                          std::span<const Effect> effects) const;
  void sent(std::uint32_t worker, const Envelope& answer);
  void answered(Account& account, std::uint32_t worker, const Envelope& answer);
  void check_values(Account& account, std::uint32_t worker, const Envelope& answer) const;
  void check_bound(const Account& account, std::uint32_t worker) const;
  void finished(const Finished& finished);
  void require(bool holds, const std::string& what) const;

  std::shared_ptr<const Training> training_;
  NodeId id_;
  const Choices& choices_;
  std::vector<std::uint32_t> buckets_;
  std::vector<Account> accounts_;  // buckets of this shard
  std::int64_t gradients_an_update_;
  bool synchronous_;
  bool backups_;
  std::optional<std::int64_t> bound_;  // staleness bound of ssp
  bool keeping_ = false;               // its state is being saved: inputs are postponed
  bool gave_up_ = false;  // it made a Fault, which ends the attempt: later inputs do not count
  std::vector<Heard> postponed_;
};

}  // namespace foretrain::faults
