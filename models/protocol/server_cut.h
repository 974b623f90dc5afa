// How the servers of a training, with its workers, come to keep their states at one cut.
#pragma once

#include "models/protocol/checkpoint.h"
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
///     shard 0            sees that a cut is due, and answers no push of the first bucket any more:
///                        no worker begins another step without that answer, so each comes to stand
///                        between two steps, all of its pushes on their way
///     shard 0 -> worker  cut    once all of them wait; each keeps its state
///     shard 0 -> shard   cut    with the gradients of each worker that are in it
///     shard              keeps its state when it has applied just these
///     shard -> shard 0   kept
///     shard 0            answers when its own state is kept, too, and all shards have said so
///
/// So nothing is under way but answers, and whoever goes on from such a cut begins with them. What
/// a checkpoint costs a training is what it takes the slowest worker to come, the slowest server to
/// keep its state. Where a worker is lost meanwhile the cut is given up: it would lack its part.
/// Others are made when all workers are there again, and none makes again what was lost.
///
/// While a server's state is being kept it leaves it alone, whatever comes: that waits.
class ServerCut {
 public:
  ServerCut(std::shared_ptr<const Training> training, NodeId id);

  /// A server's job ids are those of its buckets.
  static constexpr JobId kJob{std::uint64_t{1} << 32};
  static constexpr TimerId kTimer{0};

  /// What is to be kept here.
  struct Wanted {
    std::int64_t cut = 0;
    std::vector<std::int64_t> clocks;  ///< gradients of each worker
    bool keeping = false;              ///< the state is as wanted, and asked to be kept
  };

  /// This is the server that sees when a cut is due.
  [[nodiscard]] bool decides() const { return id_ == training_->server(0); }
  /// Here, a cut after `step` is.
  [[nodiscard]] bool is_due(std::int64_t step) const { return decides() && cuts_.is_due(step); }
  void begin_at(std::int64_t cut) { cuts_.begin_at(cut); }
  void rang() { cuts_.rang(); }
  [[nodiscard]] const std::optional<Wanted>& wanted() const { return wanted_; }
  /// The next cut may be waited for: the training begins, goes on, or the last one is kept.
  void wait_for_next(Effects& effects) const;

  /// Who decides: all workers wait.
  void announce(std::int64_t cut, std::vector<std::int64_t> clocks, Effects& effects);
  /// Another server is told of that. False: it is out of turn.
  bool hear(NodeId from, const Message& message);
  /// The state here is as wanted.
  void keep(Bytes size, std::function<std::string()> state, Effects& effects);
  /// The state is being kept, so this input waits, and is left empty.
  bool postpones(Input& input);
  /// The state is kept. Has `handle` take what has waited for that; its server asks `kept` then.
  /// Of what comes of an input nothing is sent to a worker whose loss waits behind it: that answer
  /// is its lost process's, and the connection may be that of the next one by now.
  void resume(const std::function<void(Input)>& handle, Effects& effects);
  /// True: everybody's is, and here it was decided.
  bool kept(Effects& effects);
  /// The state here will never be as wanted: nobody is to wait for it, and there is no checkpoint.
  /// Returns as `kept`.
  bool pass(Effects& effects);
  /// Who decides: another server says that its own is. True: everybody's is. Of one that was given
  /// up it may come late.
  bool hear_kept(const Message& message);
  void give_up();

 private:
  bool told(Effects& effects);
  [[nodiscard]] bool all_kept();

  std::shared_ptr<const Training> training_;
  NodeId id_;
  Cuts cuts_;
  std::optional<Wanted> wanted_;
  int missing_ = 0;         // states that are not kept yet
  bool under_way_ = false;  // the state here is on its way to the disk
  std::vector<Input> postponed_;
};

}  // namespace foretrain
