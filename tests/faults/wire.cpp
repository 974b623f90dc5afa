#include "tests/faults/wire.h"

#include <fmt/format.h>

namespace foretrain::faults {

void Wire::send(NodeId from, NodeId to, const Envelope& envelope) {
  lanes_[{from, to, envelope.bucket}].push_back(envelope);
  sent_ += envelope.size;
  under_way_ += envelope.size;
}

void Wire::receive(NodeId from, NodeId to, const Envelope& envelope) {
  const auto lane =
      fmt::format("{} to {}, bucket {}", training_.role(from), training_.role(to), envelope.bucket);
  if (lost_.contains({to, from})) throw Broken(lane + ": a message of a peer that was lost");
  auto& waiting = lanes_[{from, to, envelope.bucket}];
  if (waiting.empty()) throw Broken(lane + ": a message that was never sent, or came twice");
  if (!(waiting.front() == envelope)) {
    throw Broken(fmt::format("{}: a message was lost, changed or overtaken: step {} came, not {}",
                             lane, envelope.step.value, waiting.front().step.value));
  }
  waiting.pop_front();
  under_way_ = under_way_ - envelope.size;
}

}  // namespace foretrain::faults
