// The order of the messages of a worker's collectives, one collective after another.
#pragma once

#include "models/protocol/layout.h"
#include "models/protocol/node.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace foretrain {

/// All workers begin the same collectives in the same order: a gather (gathers.h), the sums of the
/// buckets of a stage, their new values (reduction.h). A message leaves after this worker has sent
/// all messages of earlier collectives, and overtakes none on its connection. NCCL also carries out
/// the collectives of a communicator in this order.
///
/// So the order of the messages on every link of a ring follows from the layout, never from timing:
/// each message leaves at the later of two instants, the end of the message before it and its own
/// arrival here, and a faster link or device delays neither. If messages were ordered by bucket, as
/// in send_queue.h, the next gather of an early worker would overtake the sums that all others wait
/// for.
class CollectiveTurns {
 public:
  /// If `wanted` is false, messages leave as created, and no other function is called.
  explicit CollectiveTurns(bool wanted) : wanted_(wanted) {}

  [[nodiscard]] bool wanted() const { return wanted_; }
  /// This worker begins a collective in which it sends `sends` messages: the sums (`partial`) of
  /// these buckets in a round, or their new values (`parameters`); a gather if there are no
  /// buckets.
  void begin(MessageKind kind, Step round, BucketRun buckets, std::size_t sends);
  /// Holds back new messages among `effects` whose turn has not come; appends held ones whose turn
  /// has come. Called before a gather begins, and after each input with all its effects.
  void pass(Effects& effects);

 private:
  struct Collective {
    MessageKind kind;
    Step round;
    BucketRun buckets;
    std::size_t left = 0;  // messages that this worker still has to send
    std::vector<Send> held;
  };

  [[nodiscard]] Collective& of(const Message& message);

  bool wanted_;
  std::deque<Collective> open_;  // the messages of the first one may leave
};

}  // namespace foretrain
