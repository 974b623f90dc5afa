// What a node has to send to a peer, in the order in which it leaves.
#pragma once

#include "models/base/fifo.h"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <utility>

namespace foretrain {

/// The order of a connection's messages, for whoever drives a node:
///
/// 1. Messages of one bucket leave in the order in which they were sent.
/// 2. A lower bucket goes before a higher one that still waits: the next forward pass needs it
///    sooner (`Send` in protocol/node.h says whose idea that is).
/// 3. None goes before a message of which the kernel has a byte: a TCP connection is a row of bytes
///    that nobody can change any more. Nor before one that lies in memory which both ends share
///    (`transport.shared_memory`).
/// 4. Where gradients lie in parts, messages leave in the order in which they were sent
///    (collective_turns.h): they have the highest bucket of all.
///
/// How much the kernel takes ahead of the wire is bounded by `transport.unsent`: the less, the
/// sooner a lower bucket leaves. A run queues what its socket has not taken, of which the kernel
/// has a part of the first message at most; a simulation queues what is not on the wire, of which
/// it has the first `transport.unsent` bytes.
///
/// A `Waiting` message says its `bucket` and its `size()`: the bytes of it that the queue holds.
/// Most connections have one message at a time: it lies in the queue itself.
template <class Waiting>
class SendQueue {
 public:
  using Size = decltype(std::declval<const Waiting&>().size());

  /// The first `taken` bytes of the queue are the kernel's.
  void push(Waiting message, Size taken) {
    auto first = waiting_.begin();
    for (Size before{}; first != waiting_.end() && before < taken; ++first) before += first->size();
    auto place = waiting_.end();
    while (place != first && (place - 1)->bucket > message.bucket) --place;
    waiting_.insert(place, std::move(message));
  }
  /// All of the first one has left.
  void pop_front() { waiting_.pop_front(); }

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] Waiting& front() { return waiting_.front(); }
  [[nodiscard]] const Waiting& front() const { return waiting_.front(); }
  [[nodiscard]] auto begin() { return waiting_.begin(); }
  [[nodiscard]] auto begin() const { return waiting_.begin(); }
  [[nodiscard]] auto end() { return waiting_.end(); }
  [[nodiscard]] auto end() const { return waiting_.end(); }
  void clear() { waiting_ = {}; }

 private:
  Fifo<Waiting, boost::container::small_vector<Waiting, 1>> waiting_;
};

}  // namespace foretrain
