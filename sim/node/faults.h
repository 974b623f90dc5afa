// What happens to workers from outside, in virtual time: they join late, stand still, die.
#pragma once

#include "scenarios/stragglers.h"
#include "sim/node/sim_node.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::sim {

/// The pauses, the beginnings, the deaths of a training's workers, as its stragglers say: the same
/// as a run's launcher makes of them.
class Faults : public Actor {
 public:
  /// The training's answer to the death of a worker, which may have been the end of it.
  using Died = std::function<void(NodeId worker, const std::string& why)>;

  /// `nodes`: the workers, then others; there until this is gone. `time_factors`: pauses take this
  /// times as long as they are drawn, 0: there are none.
  Faults(Engine& engine, const Scenario& scenario, int workers, const SimNode::Peers& nodes,
         double time_factors, Died died);

  /// The training's time begins now, before its nodes start.
  void start();
  /// Its part is over: nothing happens to it any more.
  void finished(NodeId node);

  void wake(Instant now, std::uint64_t token) override;

  /// Scheduled events that help nobody who waits: a pause is to begin, or a worker's part is over.
  /// Where all others have happened, the nodes wait for each other for good.
  [[nodiscard]] std::size_t idle_events() const { return idle_; }

 private:
  enum class What : std::uint8_t { join, death, pause };
  struct Worker {
    Life life;
    StandingStill pauses;
    std::size_t idle = 0;  // of its events
    std::size_t scheduled = 0;
    bool over = false;
  };

  void schedule(std::size_t index, What what, Instant at);
  void look(std::size_t index, Instant now);
  void count_idle(std::size_t index);

  Engine& engine_;
  Duration origin_;  // of the training's time
  const SimNode::Peers& nodes_;
  Died died_;
  std::vector<Worker> workers_;
  std::size_t idle_ = 0;
};

}  // namespace foretrain::sim
