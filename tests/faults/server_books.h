// A server's account of each bucket, kept beside it by somebody who only reads its mail.
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

/// What shard 0 has told the other shards, by update: whose gradients make it. Without backups, or
/// with one shard, nothing.
using Choices = std::vector<std::vector<std::uint32_t>>;

/// What must hold of a server, at every input:
///
/// 1. A worker's gradients of a bucket come step after step, the next one when that before it is
///    answered: no gap, no double.
///    Who was lost and comes back begins, in each bucket, with a step above all that it had sent.
/// 2. Each is applied once, or dropped and said to be: values are what the mean of those makes that
///    the strategy takes (`sync`: one of each worker, of this step; `async`, `ssp`: the first that
///    came, at staleness 0 that of the first worker; backups: as shard 0 has chosen), as
///    bucket_values.h says.
/// 3. Versions count updates; what is answered is the newest version.
/// 4. `ssp`: nobody is sent on who is further ahead of the slowest worker there is than the bound.
/// 5. In the end updates x gradients that an update takes have been accepted.
///
/// At a constant rate.
///
/// With backups and one shard nobody tells whom it chose but its answers. Of several lost workers
/// that may have been chosen it is not known which was: then the next answer is believed.
class ServerBooks {
 public:
  ServerBooks(std::shared_ptr<const Training> training, NodeId id, const Choices& choices);

  /// One input with what the server made of it. @throws Broken
  void happened(const Heard& heard, std::span<const Effect> effects);

  [[nodiscard]] std::int64_t updates(std::uint32_t bucket) const;

 private:
  struct Push {
    std::uint32_t worker = 0;
    Step step;
    Version version;
    std::vector<float> gradient;
    bool orphaned = false;  // being applied when its worker was lost
    bool pull = false;      // no gradient
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
    std::deque<Push> waiting;  // as they came
    std::vector<Push> applying;
    std::map<std::uint32_t, Push> applied;  // by worker: not answered yet
    std::vector<std::int64_t> clocks;       // by worker: gradients that were applied
    std::vector<std::int64_t> next_step;    // by worker: that it has to send
    std::vector<std::int64_t> last_sent;    // by worker: step
    std::vector<bool> lost;                 // by worker: it does not count
    bool over = false;                      // somebody was told so
  };

  [[nodiscard]] Account& account(std::uint32_t bucket);
  [[nodiscard]] Account& account_of(JobId apply);
  [[nodiscard]] Account& account_of(const Compute& apply);
  /// One input. Those of `begun`, the effects that begin an update, which were made before it are
  /// taken out.
  void hear(const Heard& heard, std::vector<const Compute*>& begun,
            std::span<const Effect> effects);
  [[nodiscard]] bool could_apply(const Account& account) const;
  /// What it brings, compressed or not.
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
  std::vector<Account> accounts_;  // by bucket of this shard
  std::int64_t gradients_an_update_;
  bool synchronous_;
  bool backups_;
  std::optional<std::int64_t> bound_;  // of ssp
  bool keeping_ = false;               // the state of the server is being kept: its inputs wait
  bool gave_up_ = false;  // it made a Fault, which ends the attempt: nothing after it counts
  std::vector<Heard> postponed_;
};

}  // namespace foretrain::faults
