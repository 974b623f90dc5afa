// One training among those that share the hosts of a simulation.
#pragma once

#include "models/supervision/supervisor.h"
#include "reports/record/record.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/stragglers.h"
#include "sim/cpu/job_time.h"
#include "sim/driver/local_sum.h"
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

/// Puts something around a node's program; empty: nothing.
using AroundNode = std::function<std::unique_ptr<Node>(NodeId, std::unique_ptr<Node>)>;

/// The states of all nodes at a cut.
struct KeptStates {
  struct OfNode {
    std::string state;
    std::int64_t reported = 0;   ///< steps
    std::int64_t gradients = 0;  ///< begun
  };
  std::vector<OfNode> nodes;  ///< by id; none: there are no states
  std::int64_t evaluated = 0;
};

/// What the nodes of a training begin with.
struct Beginning {
  const KeptStates* from = nullptr;  ///< null: the first step
  /// Supervisor of the attempts before; null in the first attempt.
  std::shared_ptr<supervision::Supervisor> supervisor{};
};

/// The nodes of a training with all that belongs to it alone: what its jobs cost, its stragglers
/// and faults, which of its nodes are there, how it ends. Nodes of a host are pinned to its cores
/// round robin, as a run pins them.
class SimTraining : public Actor {
 public:
  /// What its owner wants to hear of.
  struct Listener {
    std::function<void(NodeId, const Report&)> report;
    std::function<void(NodeId, const Finished&)> finished;
    AroundNode around{};  ///< SimulateOptions::around
    /// Observer::kept.
    std::function<void(NodeId, std::int64_t cut, Bytes size, Duration took)> kept{};
    /// Observer::keeping.
    std::function<void(NodeId, const Keep&)> keeping{};
    /// The attempt has ended, all nodes are to begin again. Absent: that is the end.
    std::function<void()> sets_back{};
    /// All have left.
    std::function<void()> begins{};
    /// All nodes of this attempt are ready: it calls `go`, now or later. Absent: they begin.
    std::function<void()> ready{};
  };

  /// `others`: the places that nodes of other trainings have. `recorded`: inputs of a run whose
  /// jobs these are (SimulateOptions::recorded). @throws InputError
  SimTraining(World& world, const Prepared& prepared, const MachineLookup& machines,
              Listener listener, const std::vector<NodePlace>& others,
              std::span<const InputRow> recorded = {}, const Beginning& beginning = {});

  /// Its nodes join.
  void start();
  /// Every node is ready; its time begins now, or goes on.
  void go();
  /// All nodes are gone at once. `next`: the same training, whose nodes hear of its links.
  void end(SimTraining& next);
  /// NodeFaults::takes_part.
  [[nodiscard]] bool takes_part(NodeId id) const { return node_faults_.takes_part(id); }
  /// Tells the supervisor, and performs what it decides.
  void tell(const supervision::Input& input);
  [[nodiscard]] const std::shared_ptr<supervision::Supervisor>& supervisor() const {
    return supervisor_;
  }
  void wake(Instant now, std::uint64_t token) override;

  /// Every node that is there has finished.
  [[nodiscard]] bool over() const { return finished_ + losses_ == nodes_.size(); }
  /// Why it cannot go on; empty: it can.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::size_t finished() const { return finished_; }
  /// NodeFaults::idle_events.
  [[nodiscard]] std::size_t idle_events() const { return node_faults_.idle_events(); }

  [[nodiscard]] const Training& training() const { return *training_; }
  /// The process of each that is there, or was last.
  [[nodiscard]] const SimNode::Peers& nodes() const { return nodes_; }
  /// Those before these, whose place others have taken.
  [[nodiscard]] const SimNode::Peers& replaced() const { return replaced_; }
  [[nodiscard]] const std::vector<NodePlace>& places() const { return places_; }
  /// What became of a node while the others went on; empty: it is there.
  [[nodiscard]] const std::string& lost(std::size_t node) const { return lost_[node]; }
  /// When it was not there, but came back.
  [[nodiscard]] const std::vector<Absence>& away(std::size_t node) const { return away_[node]; }
  /// Of each node's process, before it holds anything.
  [[nodiscard]] std::vector<ResidentMemory::OfHost> memory_of_hosts() const;
  /// The machine that its times are of; the last one where hosts differ.
  [[nodiscard]] const std::string& machine() const { return machine_; }
  /// The cores of this machine when it was calibrated; of others nothing is known.
  [[nodiscard]] const CoresSeen& calibrated() const { return calibrated_; }
  /// Machines whose compute is described, not measured; may be empty.
  [[nodiscard]] const std::string& uncalibrated() const { return uncalibrated_; }
  /// What its workers' gradients are timed by.
  [[nodiscard]] const std::vector<ComputeBasis>& basis() const { return basis_; }

 private:
  /// Tokens of events from here on: a node, by its id, that has given up; then a timer of the
  /// supervisor.
  static constexpr std::uint64_t kFirstNode = 2;

  void add_job_times(const Prepared& prepared, const MachineLookup& machines);
  void note(const Machine& machine, const JobTime& job_time);
  void note_basis(const HostSpec* spec, const Machine* machine, const Prepared& prepared);
  void add_nodes(std::span<const InputRow> recorded, const Beginning& beginning);
  [[nodiscard]] std::unique_ptr<SimNode> make_node_of(NodeId id, std::unique_ptr<Node> program,
                                                      RecordedTimes recorded,
                                                      const Beginning& beginning);
  [[nodiscard]] GradientTimes gradient_times(int node, const Beginning& beginning) const;
  [[nodiscard]] std::unique_ptr<InputFeed> input_of(int node) const;
  void perform(const supervision::Effects& effects);
  void perform(const supervision::Start& start);
  void perform(const supervision::Tell& tell);
  void perform(const supervision::Record& record);
  void perform(const supervision::Arm& arm);
  void perform(const supervision::EndAttempt& end);
  void tell_ready(NodeId id);
  void gave_up(NodeId id, const Fault& fault);
  /// The connection between them is gone, for this one.
  void part(NodeId id, NodeId peer);
  [[nodiscard]] bool is_there(NodeId id) const { return lost_[index_of(id)].empty(); }
  [[nodiscard]] std::unique_ptr<Node> program_of(NodeId id, const Beginning& beginning) const;
  [[nodiscard]] std::unique_ptr<Node> watched(NodeId id, std::unique_ptr<Node> program) const;
  void evaluating(NodeId id, bool begins);

  World& world_;
  std::shared_ptr<const Training> training_;
  Listener listener_;
  bool goes_on_;                       // it is not the first attempt
  SimTraining* next_ = nullptr;        // after the end of this one
  std::vector<NodePlace> places_;      // by node
  std::optional<LocalSum> local_sum_;  // where hosts push what their workers add up
  std::vector<JobTime> job_times_;     // by host in `cluster.hosts`
  Observer observer_;
  Mailbox::Peers mailboxes_;  // by node
  SimNode::Peers nodes_;
  SimNode::Peers replaced_;
  bool is_neighbour_;
  Case scenario_case_;
  Traces traces_;
  std::shared_ptr<supervision::Supervisor> supervisor_;
  NodeFaults node_faults_;
  LinkFaults link_faults_;
  bool evaluation_blocks_all_;
  bool is_blocked_ = false;        // by an evaluation
  std::vector<std::string> lost_;  // by node
  std::vector<Instant> left_;      // by node: when it was lost last
  std::vector<std::vector<Absence>> away_;
  std::vector<std::optional<Fault>> given_up_;  // by node: why
  std::vector<supervision::Timer> timers_;      // that are armed, or were
  std::size_t losses_ = 0;
  std::size_t finished_ = 0;
  std::string failure_;
  std::string machine_;
  CoresSeen calibrated_;
  std::string uncalibrated_;
  std::vector<ComputeBasis> basis_;
};

}  // namespace foretrain::sim
