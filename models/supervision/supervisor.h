// Decides which nodes of a training are lost, which are waited for, when all begin again.
#pragma once

#include "models/protocol/training.h"
#include "models/supervision/events.h"
#include "models/supervision/life.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::supervision {

struct Rules {
  std::shared_ptr<const foretrain::Training> training;
  int restarts = 0;    ///< limit on restarts of nodes, not counting those that faults bring back
  bool tasks = false;  ///< another program starts all processes but that of node 0
  Duration join_limit{60'000'000'000};  ///< for all nodes to be ready
  /// Names of a node in messages for users: with its process or rank, and the shorter name for
  /// failures.
  std::function<std::string(NodeId)> described;
  std::function<std::string(NodeId)> named;
  std::function<std::string(Duration)> text;  ///< "30 s"
  Duration suspicion{300'000'000};            ///< Suspicion; a process's end is noticed sooner
  std::function<std::string()> join_advice = [] { return std::string(); };  ///< ends join errors
};

/// "2 restarts are left".
std::string how_many_left(int restarts);

/// A pure state machine: it knows no clock, socket or process. `now` is any clock that does not go
/// back. exec/launch performs its effects on processes and sockets, sim/driver on simulated nodes.
///
/// The life of a node (life.h has the event of each arrow):
///
///     Absent -> Joining -> Listening -> Ready -> Training -> Finished
///       ^          ^                              |     ^
///       |          |                              v     |
///       |          |                           Lost -> Returning   the others continue
///       |          |
///       |          +-- Leaving   each survivor, if they cannot continue: all join again
///       +------------- the node that is gone
///
/// The stages of an attempt: joining, preparing (peers connect), training, ending. After that the
/// next attempt begins with joining, or all is over.
class Supervisor {
 public:
  enum class Stage { joining, preparing, training, ending, over };

  explicit Supervisor(Rules rules);

  /// An attempt begins, the first one or after BeginAttempt.
  void begin(Instant now, Effects& effects);
  void handle(Instant now, const Input& input, Effects& effects);

  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] int restarts_left() const { return restarts_; }
  [[nodiscard]] const Life& life(NodeId node) const { return nodes_[index_of(node)].life; }
  template <class State>
  [[nodiscard]] bool is(NodeId node) const {
    return std::holds_alternative<State>(life(node));
  }
  /// False if messages of the node's old process are ignored, because the others continue without
  /// it, or because the node has to join again.
  [[nodiscard]] bool hears(NodeId node) const;
  /// Number of the process of a node in this attempt, from 1.
  [[nodiscard]] std::int64_t incarnation(NodeId node) const {
    return nodes_[index_of(node)].incarnation;
  }
  /// The end of the last attempt whose nodes were all ready; reset when all are ready again.
  [[nodiscard]] std::optional<Instant> down_since() const { return down_since_; }

 private:
  /// A node that the others wait for.
  struct Missing {
    std::string what;  ///< what happened to it, with its name
    Instant since;
  };
  struct Node {
    Life life{};
    bool runs = false;  ///< a process started by the supervisor runs
    bool connected = false;
    std::int64_t incarnation = 1;
    std::optional<Missing> missing{};
  };
  /// A failure for which a better reason may follow within Rules::suspicion: when a node dies, its
  /// peers notice sooner than its launcher.
  struct Suspicion {
    NodeId node;       ///< the node that seems lost
    std::string what;  ///< what happened to it
    std::string failure;
    std::optional<NodeId> gives_up{};  ///< the node that reported it; is lost instead if possible
    std::string why{};                 ///< why `gives_up` is lost
  };
  /// The return of a node without using a restart.
  struct Back {
    Duration after{};
    bool host = false;  // FaultDue::host
  };
  struct Again {  // the return of a lost node
    Instant at{};
    bool restart = false;  // uses a restart
  };

  void on(const Joined& input);
  void on(const Told& input);
  void on(const Left& input);
  void on(const Exited& input);
  void on(const Silent& input);
  void on(const FaultDue& input);
  void on(const Failed& input);
  void on(const Interrupted& input);
  void on(const TimerFired& input);

  void listening(NodeId id);
  void ready(NodeId id);
  void trouble(const Told& told);
  void leave_for_kernels(NodeId id);
  void maybe_prepare();
  /// The others continue without the node. False if they cannot.
  bool mark_lost(NodeId id, const std::string& why, std::optional<Back> back = {});
  void plan_return(NodeId id, std::optional<Back> back);
  void say_when(NodeId id, const Back& back);
  void maybe_return(NodeId id);
  void give_up_return(NodeId id, const std::string& what);
  /// The others hold for a lost node, up to the limit.
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::optional<Again> again(NodeId id, std::optional<Back> back) const;
  /// No node can continue without it. `what` tells what happened to it; `failure` is the reason to
  /// report if the training fails.
  void gone(NodeId id, const std::string& what, const std::string& failure,
            std::optional<Back> back = {});
  [[nodiscard]] bool all_may_be_lost(const std::vector<NodeId>& ids) const;
  void suspect(Suspicion suspicion);
  void start_if_due(NodeId id);
  void fail(const std::string& why, bool for_good = false);
  void end(EndAttempt how);
  void release(Node& node);
  void maybe_done();
  void maybe_over();
  void farewell();
  void watch_joining();
  void join_limit_passed();
  [[nodiscard]] std::optional<Instant> limit_of(const Node& node) const;
  [[nodiscard]] std::string not_back(const std::string& what) const;
  void arm(Timer timer, Instant at);
  void kill(NodeId id);

  void emit(Effect effect);
  void say(std::string line);
  [[nodiscard]] Node& node(NodeId id) { return nodes_[index_of(id)]; }
  [[nodiscard]] bool is_lost(NodeId id) const { return is<Lost>(id) || is<Returning>(id); }
  [[nodiscard]] int lost() const;
  [[nodiscard]] bool starts(NodeId id) const { return !rules_.tasks || index_of(id) == 0; }
  /// Checks the last node first: in a simulation thousands of nodes join in their order.
  template <class Which>
  [[nodiscard]] bool all(Which which) const {
    return std::all_of(nodes_.rbegin(), nodes_.rend(), which);
  }

  Rules rules_;
  int restarts_;
  Stage stage_ = Stage::joining;
  std::vector<Node> nodes_;
  EndAttempt ended_{};  // how the attempt ended, in Stage::ending
  std::optional<Instant> down_since_;
  Instant began_;       // when the attempt began
  Instant join_until_;  // limit of joining, if no node is missing
  std::optional<Suspicion> suspicion_;
  std::map<Timer, Instant> armed_;
  Instant now_;                 // time of the current input
  Effects* effects_ = nullptr;  // effects of the current input
};

}  // namespace foretrain::supervision
