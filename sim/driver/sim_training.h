// One training among those that share the hosts of a simulation.
#pragma once

#include "models/supervision/supervisor.h"
#include "reports/record/record.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/stragglers.h"
#include "sim/cpu/job_time.h"
#include "sim/driver/local_reduction.h"
#include "sim/faults/link_faults.h"
#include "sim/faults/node_faults.h"
#include "sim/memory/resident.h"
#include "sim/node/sim_node.h"
#include "sim/world/world.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain::sim {

/// Wraps a node's program; empty if programs are not wrapped.
using AroundNode = std::function<std::unique_ptr<Node>(NodeId, std::unique_ptr<Node>)>;

/// The states of all nodes in a consistent checkpoint (cut).
struct KeptStates {
  struct OfNode {
    std::string state;
    std::int64_t reported = 0;   ///< reported steps
    std::int64_t gradients = 0;  ///< gradients begun
  };
  std::vector<OfNode> nodes;  ///< by id; empty if there are no states
  std::int64_t evaluated = 0;
};

/// Initial state of a training's nodes.
struct Beginning {
  const KeptStates* from = nullptr;  ///< null for the first step
  /// Supervisor of earlier attempts; null in the first one.
  std::shared_ptr<supervision::Supervisor> supervisor{};
};

/// The nodes of a training with everything that belongs to it alone: job costs, stragglers and
/// faults, the nodes that are present, the outcome. Nodes of a host are pinned to its cores round
/// robin, as in a run.
class SimTraining : public Actor {
 public:
  /// Callbacks to the training's owner.
  struct Listener {
    std::function<void(NodeId, const Report&)> report;
    std::function<void(NodeId, const Finished&)> finished;
    AroundNode around{};  ///< wraps the programs of nodes
    /// The write of a node's state is complete; it took `took`.
    std::function<void(NodeId, std::int64_t cut, Bytes size, Duration took)> kept{};
    /// The write of a node's state begins. Empty if states are not read.
    std::function<void(NodeId, const SaveState&)> keeping{};
    /// The attempt failed, and another one follows. If empty, the training ends instead.
    std::function<void()> sets_back{};
    /// All nodes have left the failed attempt: the owner starts the next one.
    std::function<void()> all_left{};
    /// All nodes are ready: the owner calls `go`, now or later. If empty, they begin at once.
    std::function<void()> ready{};
  };

  /// `others`: places of other trainings' nodes; if there are any, this is a co-located training.
  /// `recorded`: inputs of a run whose job times are used. @throws InputError
  SimTraining(World& world, const Prepared& prepared, const MachineLookup& machines,
              Listener listener, const std::vector<NodePlace>& others,
              std::span<const InputRow> recorded = {}, const Beginning& beginning = {});

  /// The nodes join.
  void start();
  /// All nodes are ready: the time of the training begins, or continues after a restart.
  void go();
  /// Kills all nodes. Link faults that occur from now on are passed to `next`, the next attempt.
  void end(SimTraining& next);
  /// The node has joined and has not finished. Called only if hosts have an `mtbf:`.
  [[nodiscard]] bool takes_part(NodeId id) const { return node_faults_.takes_part(id); }
  /// Passes an input to the supervisor and performs its decisions.
  void tell(const supervision::Input& input);
  [[nodiscard]] const std::shared_ptr<supervision::Supervisor>& supervisor() const {
    return supervisor_;
  }
  void wake(Instant now, std::uint64_t token) override;

  /// True if every present node has finished.
  [[nodiscard]] bool over() const {
    return finished_ + losses_ == static_cast<std::size_t>(training_->nodes());
  }
  /// Reason why the training cannot continue; empty if it can.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::size_t finished() const { return finished_; }
  /// Number of scheduled events that cannot unblock a waiting node.
  [[nodiscard]] std::size_t idle_events() const { return node_faults_.idle_events(); }

  [[nodiscard]] const Training& training() const { return *training_; }
  /// Each node's present or last process.
  [[nodiscard]] const SimNode::Peers& nodes() const { return nodes_; }
  /// Earlier processes that were replaced.
  [[nodiscard]] const SimNode::Peers& replaced() const { return replaced_; }
  [[nodiscard]] const std::vector<NodePlace>& places() const { return places_; }
  /// Why a node was lost while the others continued; empty if it is present.
  [[nodiscard]] const std::string& lost(std::size_t node) const { return lost_[node]; }
  /// Periods of absence of a node that returned.
  [[nodiscard]] const std::vector<Absence>& away(std::size_t node) const { return away_[node]; }
  /// By node: memory of its process before the training; SIMD width of its host.
  [[nodiscard]] std::vector<ResidentMemory::OfHost> base_memory_by_node() const;
  /// Machine whose costs are used; the last one if hosts differ.
  [[nodiscard]] const std::string& machine() const { return machine_; }
  /// Speed of this machine's cores when it was calibrated; empty if the hosts are other machines.
  [[nodiscard]] const CoresSeen& calibrated() const { return calibrated_; }
  /// Machines with described, not measured, compute; may be empty.
  [[nodiscard]] const std::string& uncalibrated() const { return uncalibrated_; }
  /// The sources of its workers' gradient times.
  [[nodiscard]] const std::vector<ComputeBasis>& basis() const { return basis_; }

 private:
  /// Tokens of scheduled events: smaller ones stop or resume workers for an evaluation; from here
  /// on the nodes that have given up, by id; then the supervisor's timers.
  static constexpr std::uint64_t kFirstNode = 2;

  void add_job_times(const Prepared& prepared, const MachineLookup& machines);
  void note(const Machine& machine, const JobTime& job_time);
  void note_basis(const HostSpec* spec, const Machine* machine, const Prepared& prepared);
  void add_nodes(std::span<const InputRow> recorded, const Beginning& beginning);
  [[nodiscard]] std::unique_ptr<SimNode> make_node_of(NodeId id, std::unique_ptr<Node> program,
                                                      RecordedTimes recorded,
                                                      const Beginning& beginning);
  [[nodiscard]] GradientTimes gradient_times(int node, const Beginning& beginning) const;
  [[nodiscard]] std::unique_ptr<InputFeed> input_of(int node, const Beginning& beginning) const;
  void perform(const supervision::Effects& effects);
  void perform(const supervision::Start& start);
  void perform(const supervision::Tell& tell);
  void perform(const supervision::Record& record);
  void perform(const supervision::Arm& arm);
  void perform(const supervision::EndAttempt& end);
  void tell_ready(NodeId id);
  void gave_up(NodeId id, const Fault& fault);
  /// The node has lost its connection to `peer`.
  void disconnect(NodeId id, NodeId peer);
  [[nodiscard]] bool is_there(NodeId id) const { return lost_[index_of(id)].empty(); }
  [[nodiscard]] std::unique_ptr<Node> program_of(NodeId id, const Beginning& beginning) const;
  [[nodiscard]] std::unique_ptr<Node> watched(NodeId id, std::unique_ptr<Node> program) const;
  void evaluating(NodeId id, bool begins);

  World& world_;
  std::shared_ptr<const Training> training_;
  Listener listener_;
  bool is_restart_;                                // false in the first attempt
  SimTraining* next_ = nullptr;                    // the next attempt, after the end of this one
  std::vector<NodePlace> places_;                  // by node
  std::optional<LocalReduction> local_reduction_;  // if hosts push sums of their workers
  std::vector<JobTime> job_times_;                 // by host in `cluster.hosts`
  Observer observer_;
  Mailbox::Peers mailboxes_;  // by node
  SimNode::Peers nodes_;
  SimNode::Peers replaced_;
  bool is_colocated_;
  Case scenario_case_;
  Traces traces_;
  std::shared_ptr<supervision::Supervisor> supervisor_;
  NodeFaults node_faults_;
  LinkFaults link_faults_;
  bool evaluation_blocks_all_;
  bool is_blocked_ = false;        // by an evaluation
  std::vector<std::string> lost_;  // by node
  std::vector<Instant> left_;      // by node: time of its last loss
  std::vector<std::vector<Absence>> away_;
  std::vector<std::optional<Fault>> given_up_;  // by node: the reason
  std::vector<supervision::Timer> timers_;      // armed at some time
  std::size_t losses_ = 0;
  std::size_t finished_ = 0;
  std::string failure_;
  std::string machine_;
  CoresSeen calibrated_;
  std::string uncalibrated_;
  std::vector<ComputeBasis> basis_;
};

}  // namespace foretrain::sim
