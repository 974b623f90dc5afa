// A training that returns to its last checkpoint, or continues without a worker, after failures.
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

/// Hosts with an `mtbf:` fail at independent, exponentially distributed times with that mean, each
/// drawn from the stream `failure.<host>`:
///
///     P(no failure within t) = exp(-t * sum over hosts of 1 / mtbf)
///
/// The supervisor decides, as in a run (models/supervision). If the others can continue without a
/// host's workers, the loss of the host is the loss of these workers; new processes replace them
/// `restart_after` later, as with a fault's `restart_after`. Otherwise all nodes end, as in `run
/// --max-restarts`. `restart_after` later, when no host is down any more, all nodes begin again,
/// from the newest checkpoint that all nodes have completed, else with the first step. `totals`
/// counts only these restarts.
///
/// Realism: saved states survive their host (a shared file system, or a restart of the same host);
/// the network still carries messages of nodes that are gone; the time to a host's next failure
/// does not depend on its past or its load. Source: Young, A first order approximation to the
/// optimum checkpoint interval, CACM 17(9), 1974; Daly, A higher order estimate of the optimum
/// checkpoint interval for restart dumps, FGCS 22(3), 2006, to whose expected times a test compares
/// this.
class Attempts : public Actor {
 public:
  /// After this many failures without a new checkpoint the training counts as failed: it would
  /// never end.
  static constexpr int kMostInARow = 1'000;

  struct Owner {
    /// The nodes of the training are about to be removed.
    std::function<void()> ends;
    /// Sets the record back to these numbers of reported steps per node and of the chief's
    /// evaluations. Returns the number of lost steps.
    std::function<std::int64_t(const std::vector<std::int64_t>& reported, std::int64_t evaluated)>
        set_back;
  };

  /// `listener` has no `kept`, `keeping`. The other arguments as in SimTraining; they outlive this.
  Attempts(World& world, const Prepared& prepared, const MachineLookup& machines,
           const SimTraining::Listener& listener, std::span<const InputRow> recorded, Owner owner);

  void start();
  void wake(Instant now, std::uint64_t token) override;

  [[nodiscard]] SimTraining& training() { return *training_; }
  [[nodiscard]] const SimTraining& training() const { return *training_; }
  /// Reason why the training cannot continue; empty if it can.
  [[nodiscard]] const std::string& failure() const {
    return failure_.empty() ? training_->failure() : failure_;
  }
  /// True if the training may be set back or may lose workers to failing hosts.
  [[nodiscard]] bool may_fail() const { return !hosts_.empty() || faults_may_set_back_; }
  /// Number of scheduled events that cannot unblock a waiting node.
  [[nodiscard]] std::size_t idle_events() const {
    return training_->idle_events() + (started_ ? hosts_.size() : 0);
  }
  [[nodiscard]] const CheckpointTotals& checkpoints() const { return checkpoints_.totals(); }
  [[nodiscard]] const RestartTotals& totals() const { return totals_; }

 private:
  static constexpr std::uint64_t kRestart = 0;  // a token; others are hosts, from 1
  struct FailingHost {
    std::size_t host = 0;  // index in the world
    std::string name;
    Duration mtbf;
    Duration restart_after;
    Stream stream;
    std::vector<NodeId> nodes{};  // nodes of the training on this host
    bool workers_only = true;     // each of them can be replaced
    Instant ready_at{};           // end of the restart after its last failure
  };

  void add_hosts();
  [[nodiscard]] std::unique_ptr<SimTraining> make(const Beginning& beginning);
  void keeping(NodeId id, const SaveState& keep);
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
  std::vector<std::unique_ptr<SimTraining>> gone_;  // ended attempts with scheduled events
  std::unique_ptr<SimTraining> training_;
  bool started_ = false;
  std::map<std::int64_t, KeptStates> under_way_;  // incomplete checkpoints, by cut
  KeptStates newest_;                             // the newest complete checkpoint
  Instant newest_at_;
  Instant began_;  // begin of the present attempt
  Instant down_since_;
  bool is_down_ = false;
  int in_a_row_ = 0;
  RestartTotals totals_;
  std::string failure_;
};

}  // namespace foretrain::sim
