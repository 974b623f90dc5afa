// A training that is set back to its last checkpoint, or goes on without a worker, as nodes fail.
#pragma once

#include "reports/record/checkpoint_tally.h"
#include "reports/record/record.h"
#include "sim/driver/sim_training.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace foretrain::sim {

/// Hosts with an `mtbf:` fail at exponential times of that mean, independent of each other, each by
/// the stream `failure.<host>`:
///
///     P(no failure within t) = exp(-t * sum over hosts of 1 / mtbf)
///
/// The supervisor decides, as in a run (models/supervision): the loss of all nodes of a host at
/// once is the loss of these workers if the others go on without them. Other processes take their
/// places `restart_after` later, as with a fault's `restart_after`. Else all nodes end, as `run
/// --max-restarts` does; `restart_after` later, when no host is down any more, all of them begin
/// again: from the newest checkpoint that all had kept, else with the first step. Only that is
/// counted in `totals`.
///
/// Realism: what a host has kept outlives it (a shared file system, or a restart of the same host);
/// the network still carries what it has of nodes that are gone; a host has its next failure as
/// long after one as ever, whatever it does. Source: Young, A first order approximation to the
/// optimum checkpoint interval, CACM 17(9), 1974; Daly, A higher order estimate of the optimum
/// checkpoint interval for restart dumps, FGCS 22(3), 2006, whose expected times a test holds this
/// to.
class Attempts : public Actor {
 public:
  /// So many failures before the next checkpoint, or the end, are too many: it would never end.
  static constexpr int kMostInARow = 1'000;

  struct Owner {
    /// The nodes of the training are about to go.
    std::function<void()> ends;
    /// It goes back to where each node had reported so many steps, the chief so many evaluations.
    /// Returns how many steps were lost.
    std::function<std::int64_t(const std::vector<std::int64_t>& reported, std::int64_t evaluated)>
        set_back;
  };

  /// `listener`: without `kept`, `keeping`. All others as SimTraining; they outlive it.
  Attempts(World& world, const Prepared& prepared, const MachineLookup& machines,
           const SimTraining::Listener& listener, std::span<const InputRow> recorded, Owner owner);

  void start();
  void wake(Instant now, std::uint64_t token) override;

  [[nodiscard]] SimTraining& training() { return *training_; }
  [[nodiscard]] const SimTraining& training() const { return *training_; }
  /// Why it cannot go on; empty: it can.
  [[nodiscard]] const std::string& failure() const {
    return failure_.empty() ? training_->failure() : failure_;
  }
  /// It may be set back, or lose workers to failing hosts.
  [[nodiscard]] bool may_fail() const { return !hosts_.empty() || faults_may_set_back_; }
  /// Scheduled events that help nobody who waits.
  [[nodiscard]] std::size_t idle_events() const {
    return training_->idle_events() + (started_ ? hosts_.size() : 0);
  }
  [[nodiscard]] const CheckpointTotals& checkpoints() const { return checkpoints_.totals(); }
  [[nodiscard]] const RestartTotals& totals() const { return totals_; }

 private:
  static constexpr std::uint64_t kRestart = 0;  // a token; others: a host, from 1
  struct FailingHost {
    std::size_t host = 0;  // of the world
    std::string name;
    Duration mtbf;
    Duration restart_after;
    Stream stream;
    std::vector<NodeId> nodes{};  // of the training, on it
    bool workers_only = true;     // others may take the place of each of them
    Instant ready_at{};           // after its last failure
  };

  void add_hosts();
  [[nodiscard]] std::unique_ptr<SimTraining> make(const Beginning& beginning);
  void keeping(NodeId id, const Keep& keep);
  void kept(std::int64_t cut, Bytes size, Duration took);
  void fail(Instant now, FailingHost& host);
  void set_back();
  void ready();
  [[nodiscard]] Instant hosts_ready_at() const;

  World& world_;
  const Prepared& prepared_;
  const MachineLookup& machines_;
  SimTraining::Listener listener_;
  std::span<const InputRow> recorded_;
  Owner owner_;
  CheckpointTally checkpoints_;
  std::vector<FailingHost> hosts_;
  bool faults_may_set_back_ = false;
  std::vector<std::unique_ptr<SimTraining>> gone_;  // events of theirs are still to come
  std::unique_ptr<SimTraining> training_;
  bool started_ = false;
  std::map<std::int64_t, KeptStates> under_way_;  // by cut
  KeptStates newest_;                             // that all nodes have kept
  Instant newest_at_;
  Instant began_;  // the attempt
  Instant down_since_;
  bool is_down_ = false;
  int in_a_row_ = 0;
  RestartTotals totals_;
  std::string failure_;
};

}  // namespace foretrain::sim
