// Faults of nodes in virtual time: late starts, pauses, deaths.
#pragma once

#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/stragglers.h"
#include "sim/node/sim_node.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::sim {

/// The pauses, late starts and deaths of a training's nodes, from its stragglers and faults; a
/// run's launcher observes the same events. The supervisor decides what follows from a death.
class NodeFaults : public Actor {
 public:
  /// The scenario kills a node now, even if the node is already gone.
  using Due = std::function<void(NodeId node, const FaultSchedule::Death& death)>;
  /// A stopped node has been paused for longer than the failure detector's timeout (`silence_of`).
  using Silent = std::function<void(NodeId node, const std::string& how)>;

  /// `scenario`, `nodes` outlive this. `time_factors`: scales the drawn lengths of pauses; 0 means
  /// no pauses.
  NodeFaults(Engine& engine, const Scenario& scenario, int count, const SimNode::Peers& nodes,
             double time_factors, Due due, Silent silent);

  /// The training is at `time` before its nodes start: zero, or later if it resumes; events before
  /// `time` count as past.
  void start(Instant time);
  /// The node has finished: nothing happens to it any more.
  void finished(NodeId node);
  /// The node's process is gone; `returns`: another process will replace it.
  void gone(NodeId node, bool returns);
  /// Another process has replaced it.
  void back(NodeId node);
  /// The node has joined and has not finished. Called only if hosts have an `mtbf:`.
  [[nodiscard]] bool takes_part(NodeId node) const;

  void wake(Instant now, std::uint64_t token) override;

  /// Number of scheduled events that cannot unblock a waiting node: the begin of a pause, or an
  /// event of a finished node. If only such events are left, the nodes wait for each other forever.
  [[nodiscard]] std::size_t idle_events() const { return idle_; }

 private:
  enum class What : std::uint8_t { join, death, pause, silence };
  struct Victim {
    FaultSchedule life;
    StandingStill pauses;
    bool is_stopped = false;    // by a fault, at some time
    Instant stands_since{};     // begin of its present pause
    std::size_t deaths = 0;     // so far, including those while it was gone
    std::uint64_t process = 0;  // incarnation; pauses of earlier ones are void
    std::size_t idle = 0;       // idle events among the scheduled ones
    std::size_t scheduled = 0;
    std::size_t of_process = 0;  // scheduled for the present process
    std::size_t outdated = 0;    // scheduled for an earlier process
    bool away = false;           // it is gone, and will be replaced
    bool over = false;
  };

  void schedule(std::size_t index, What what, Instant at);
  [[nodiscard]] static bool is_of_process(What what);
  void happen(std::size_t index, What what, Instant now);
  void look(std::size_t index, Instant now);
  [[nodiscard]] Instant time_of(Instant at) const;
  void count_idle(std::size_t index);

  Engine& engine_;
  Duration origin_;  // begin of the training's time
  Duration silence_;
  const Scenario& scenario_;
  double time_factors_;
  const SimNode::Peers& nodes_;
  Due due_;
  Silent silent_;
  std::vector<Victim> victims_;  // by node; empty if nothing happens
  std::size_t idle_ = 0;
};

}  // namespace foretrain::sim
