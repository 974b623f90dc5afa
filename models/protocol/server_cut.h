// The agreement of servers with workers on one cut at which all save their states.
#pragma once

#include "models/protocol/checkpoint_rule.h"
#include "models/protocol/node.h"
#include "models/protocol/node_state.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// One server's side of a checkpoint:
///
///     shard 0            sees that a cut is due, and no longer answers pushes of the first bucket:
///                        no worker begins another step without that answer, so each comes to rest
///                        between two steps, with all of its pushes sent
///     shard 0 -> worker  cut    when all of them wait; each saves its state
///     shard 0 -> shard   cut    with the number of gradients of each worker that the cut includes
///     shard              saves its state when it has applied exactly these
///     shard -> shard 0   kept
///     shard 0            answers when its own state and those of all shards are saved
///
/// So only answers are outstanding, and a training restored from such a cut begins with them. The
/// cost of a checkpoint is the time until the slowest worker waits and until the slowest server has
/// saved its state. If a worker is lost meanwhile the cut is given up, because it would lack that
/// worker's part. Cuts are made again when all workers are present; a lost cut is not repeated.
///
/// While a server's state is being saved it is not changed: all inputs wait.
class ServerCut {
 public:
  ServerCut(std::shared_ptr<const Training> training, NodeId id);

  /// Different from the other job ids of a server, which are the indices of its buckets.
  static constexpr JobId kJob{std::uint64_t{1} << 32};
  static constexpr TimerId kTimer{0};

  /// The cut that is to be saved here.
  struct Wanted {
    std::int64_t cut = 0;
    std::vector<std::int64_t> clocks;  ///< gradients of each worker in the cut
    bool keeping = false;              ///< the state has reached the cut, and is to be saved
  };

  /// This server decides when a cut is due.
  [[nodiscard]] bool decides() const { return id_ == training_->server(0); }
  /// A cut after `step` is due, and this server decides it.
  [[nodiscard]] bool is_due(std::int64_t step) const { return decides() && cuts_.is_due(step); }
  void begin_at(std::int64_t cut) { cuts_.begin_at(cut); }
  void rang() { cuts_.rang(); }
  [[nodiscard]] const std::optional<Wanted>& wanted() const { return wanted_; }
  /// Waits for the next cut: the training begins, is restored, or has saved the last one.
  void wait_for_next(Effects& effects) const;

  /// At the deciding server: all workers wait.
  void announce(std::int64_t cut, std::vector<std::int64_t> clocks, Effects& effects);
  /// At another server: a cut is announced. False if the message is out of turn.
  bool hear(NodeId from, const Message& message);
  /// The state here has reached the cut: requests to save it.
  void keep(Bytes size, std::function<std::string()> state, Effects& effects);
  /// True if the state is being saved: the input is moved away, and waits.
  bool postpones(Input& input);
  /// The state is saved. Passes the inputs that waited to `handle`; the server calls `kept` after
  /// that. Sends to a worker whose loss is among the later inputs are discarded: they answer its
  /// lost process, and the connection may belong to the next process by now.
  void resume(const std::function<void(Input)>& handle, Effects& effects);
  /// True if all states are saved and this server decides.
  bool kept(Effects& effects);
  /// The state here can never reach the cut: no node waits for it, and the checkpoint is
  /// incomplete. Returns as `kept`.
  bool pass(Effects& effects);
  /// At the deciding server: another server has saved its state. True if all states are saved. The
  /// message may come late, for a cut that was given up.
  bool hear_kept(const Message& message);
  void give_up();

 private:
  bool told(Effects& effects);
  [[nodiscard]] bool all_kept();

  std::shared_ptr<const Training> training_;
  NodeId id_;
  Cuts cuts_;
  std::optional<Wanted> wanted_;
  int missing_ = 0;         // states that are not saved yet
  bool under_way_ = false;  // the state here is being saved
  std::vector<Input> postponed_;
};

}  // namespace foretrain
