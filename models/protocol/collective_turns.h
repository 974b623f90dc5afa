// The order in which the messages of a worker's collectives leave, where gradients lie in parts.
#pragma once

#include "models/protocol/layout.h"
#include "models/protocol/node.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace foretrain {

/// All workers begin the same collectives in the same order: a gather (gathers.h), the sums of the
/// buckets of a stage, their new values (reduction.h). A message leaves when this worker has sent
/// all messages of the collectives before its own; none overtakes another on a connection. NCCL
/// carries out the collectives of a communicator like that.
///
/// So the order of the messages on every link of a ring follows from the layout, never from times:
/// each message leaves at the later of two instants, the end of the message before it and its own
/// arrival here, and a faster link or device makes neither later. By bucket, the order of
/// send_queue.h, the next step's gather of a worker that is early would overtake the sums that all
/// others wait for.
class CollectiveTurns {
 public:
  /// `wanted`: false: messages leave as they are made, and nothing else is called.
  explicit CollectiveTurns(bool wanted) : wanted_(wanted) {}

  [[nodiscard]] bool wanted() const { return wanted_; }
  /// This worker begins a collective, which takes `sends` messages of it: the sums (`partial`) of a
  /// round of these buckets, or their new values (`parameters`); without buckets: a gather.
  void begin(MessageKind kind, Step round, BucketRun buckets, std::size_t sends);
  /// Holds back messages that are new among `effects` and whose turn has not come; appends those
  /// whose turn has come. Before a gather begins, and when all effects of an input are there.
  void pass(Effects& effects);

 private:
  struct Collective {
    MessageKind kind;
    Step round;
    BucketRun buckets;
    std::size_t left = 0;  // messages that this worker has to make
    std::vector<Send> held;
  };

  [[nodiscard]] Collective& of(const Message& message);

  bool wanted_;
  std::deque<Collective> open_;  // messages of the first one leave
};

}  // namespace foretrain
