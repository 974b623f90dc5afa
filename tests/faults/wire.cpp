#include "tests/faults/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace foretrain::faults {

std::int64_t Wire::process(NodeId node, NodeId peer) {
  return training_.is_worker(node) ? processes_[{node, node}] : processes_[{node, peer}];
}

void Wire::send(NodeId from, NodeId to, const Envelope& envelope) {
  auto& waiting = lanes_[{from, to, envelope.bucket, process(from, to)}];
  waiting.push_back(envelope);
  // Nobody waits for a worker's report that it has saved its part of a checkpoint.
  const bool cuts = envelope.kind == MessageKind::cut;
  const auto under_way = waiting.size() - static_cast<std::size_t>(std::ranges::count(
                                              waiting, MessageKind::cut, &Envelope::kind));
  if (!cuts && under_way > most_under_way(from, to) && !lost_.contains({to, from})) {
    throw Broken(fmt::format("{} messages are under way from {} to {}, bucket {}", under_way,
                             training_.role(from), training_.role(to), envelope.bucket));
  }
  sent_ += envelope.size;
  under_way_ += envelope.size;
}

// The first server tells the others who made a step and who was late. Workers wait for all servers,
// so the others are at most two steps behind.
std::size_t Wire::most_under_way(NodeId from, NodeId to) const {
  constexpr std::size_t kOfWorkers = 3;
  const bool servers = !training_.is_worker(from) && !training_.is_worker(to);
  return servers ? 2 * static_cast<std::size_t>(training_.workers + 1) : kOfWorkers;
}

void Wire::receive(NodeId from, NodeId to, const Envelope& envelope) {
  const auto lane =
      fmt::format("{} to {}, bucket {}", training_.role(from), training_.role(to), envelope.bucket);
  if (lost_.contains({to, from})) throw Broken(lane + ": a message of a peer that was lost");
  auto& waiting = lanes_[{from, to, envelope.bucket, process(to, from)}];
  if (waiting.empty()) throw Broken(lane + ": a message that was never sent, or came twice");
  if (!(waiting.front() == envelope)) {
    throw Broken(fmt::format("{}: a message was lost, changed or overtaken: step {} came, not {}",
                             lane, envelope.step.value, waiting.front().step.value));
  }
  waiting.pop_front();
  under_way_ = under_way_ - envelope.size;
}

}  // namespace foretrain::faults
