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
  int restarts = 0;    ///< this often a node may be started again that no fault brings back
  bool tasks = false;  ///< somebody else starts all processes but that of node 0
  Duration join_limit{60'000'000'000};  ///< for all nodes to be ready
  /// Names of a node in lines for people: with its process or rank, and the shorter one of
  /// failures.
  std::function<std::string(NodeId)> described;
  std::function<std::string(NodeId)> named;
  std::function<std::string(Duration)> text;  ///< "30 s"
  Duration suspicion{300'000'000};            ///< the end of a process is noticed sooner
  std::function<std::string()> join_advice = [] { return std::string(); };  ///< ends such a failure
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
  /// False: what its old process says is ignored, since the others have gone on or it is to join
  /// again.
  [[nodiscard]] bool hears(NodeId node) const;
  /// Number of the process of a node in this attempt, from 1.
  [[nodiscard]] std::int64_t incarnation(NodeId node) const {
    return nodes_[index_of(node)].incarnation;
  }
  /// When the last attempt ended whose nodes were all ready, for as long as they are not.
  [[nodiscard]] std::optional<Instant> down_since() const { return down_since_; }

 private:
  /// A node that the others wait for.
  struct Missing {
    std::string what;  ///< became of it, with its name
    Instant since;
  };
  struct Node {
    Life life{};
    bool runs = false;  ///< a process that the supervisor has started
    bool connected = false;
    std::int64_t incarnation = 1;
    std::optional<Missing> missing{};
  };
  /// A failure of which a more telling reason may turn up within a moment: when a node dies, its
  /// peers notice sooner than its launcher.
  struct Suspicion {
    NodeId node;       ///< gone, it seems
    std::string what;  ///< became of it
    std::string failure;
    std::optional<NodeId> gives_up{};  ///< for that; it may be lost instead
    std::string why{};
  };
  /// What brings a node back without a restart.
  struct Back {
    Duration after{};
    bool host = false;  // FaultDue::host
  };
  struct Again {  // how a node that is gone comes again
    Instant at{};
    bool restart = false;  // takes one
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
  /// The others go on without it. False: they cannot.
  bool lose(NodeId id, const std::string& why, std::optional<Back> back = {});
  void plan_return(NodeId id, std::optional<Back> back);
  void say_when(NodeId id, const Back& back);
  void maybe_return(NodeId id);
  void give_up_return(NodeId id, const std::string& what);
  /// The others hold for a node that is gone, up to the limit.
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::optional<Again> again(NodeId id, std::optional<Back> back) const;
  /// Nobody goes on without it. `what` became of it; `failure`: the reason if this is the end.
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
  /// From the last one: thousands of nodes of a simulation come in their order.
  template <class Which>
  [[nodiscard]] bool all(Which which) const {
    return std::all_of(nodes_.rbegin(), nodes_.rend(), which);
  }

  Rules rules_;
  int restarts_;
  Stage stage_ = Stage::joining;
  std::vector<Node> nodes_;
  EndAttempt ended_{};  // how the attempt has ended, in Stage::ending
  std::optional<Instant> down_since_;
  Instant began_;       // the attempt
  Instant join_until_;  // unless a node is missing
  std::optional<Suspicion> suspicion_;
  std::map<Timer, Instant> armed_;
  Instant now_;                 // of the input
  Effects* effects_ = nullptr;  // of the input
};

}  // namespace foretrain::supervision
