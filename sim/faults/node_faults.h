// What happens to nodes from outside, in virtual time: they join late, stand still, die.
#pragma once

#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/stragglers.h"
#include "sim/node/sim_node.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::sim {

/// The pauses, the beginnings, the deaths of a training's nodes, as its stragglers and faults say:
/// the same as a run's launcher senses of them. What follows from a death is the supervisor's
/// decision.
class NodeFaults : public Actor {
 public:
  /// The scenario kills a node now, whether it is there or not.
  using Due = std::function<void(NodeId node, const Life::Death& death)>;
  /// A node that was stopped stands still for longer than silence is borne (`silence_of`).
  using Silent = std::function<void(NodeId node, const std::string& how)>;

  /// `scenario`, `nodes`: there until this is gone. `time_factors`: pauses take this times as long
  /// as they are drawn, 0: there are none.
  NodeFaults(Engine& engine, const Scenario& scenario, int count, const SimNode::Peers& nodes,
             double time_factors, Due due, Silent silent);

  /// It is `time` in the training, before its nodes start: zero, or it goes on, and what began
  /// before has happened.
  void start(Instant time);
  /// Its part is over: nothing happens to it any more.
  void finished(NodeId node);
  /// Its process is gone; `returns`: another one will take its place.
  void gone(NodeId node, bool returns);
  /// Another process has taken its place.
  void back(NodeId node);
  /// It has joined, and its part is not over. Asked only if hosts have an `mtbf:`.
  [[nodiscard]] bool takes_part(NodeId node) const;

  void wake(Instant now, std::uint64_t token) override;

  /// Scheduled events that help nobody who waits: a pause is to begin, or a node's part is over.
  /// Where all others have happened, the nodes wait for each other for good.
  [[nodiscard]] std::size_t idle_events() const { return idle_; }

 private:
  enum class What : std::uint8_t { join, death, pause, silence };
  struct Victim {
    Life life;
    StandingStill pauses;
    bool is_stopped = false;    // by a fault, at some time
    Instant stands_since{};     // where it does
    std::size_t deaths = 0;     // so far, also of who was not there
    std::uint64_t process = 0;  // pauses of another one are over
    std::size_t idle = 0;       // of its events
    std::size_t scheduled = 0;
    std::size_t of_process = 0;  // of these: they are of the one that is there
    std::size_t outdated = 0;    // or of one before
    bool away = false;           // it is to come back
    bool over = false;
  };

  void schedule(std::size_t index, What what, Instant at);
  [[nodiscard]] static bool is_of_process(What what);
  void happen(std::size_t index, What what, Instant now);
  void look(std::size_t index, Instant now);
  [[nodiscard]] Instant time_of(Instant at) const;
  void count_idle(std::size_t index);

  Engine& engine_;
  Duration origin_;  // of the training's time
  Duration silence_;
  const Scenario& scenario_;
  double time_factors_;
  const SimNode::Peers& nodes_;
  Due due_;
  Silent silent_;
  std::vector<Victim> victims_;  // by node; none: nothing happens
  std::size_t idle_ = 0;
};

}  // namespace foretrain::sim
