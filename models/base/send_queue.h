// The messages that a node has to send to a peer, in the order of sending.
#pragma once

#include "models/base/fifo.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace foretrain {

/// The order of a connection's messages, the same in a run and a simulation:
///
/// 1. Messages of one bucket leave in the order in which they were sent.
/// 2. A lower bucket goes before a higher one that still waits: the next forward pass needs it
///    sooner (source: `Send` in protocol/node.h).
/// 3. No message goes before one of which the kernel has a byte, because a TCP connection is an
///    ordered stream, nor before one in memory shared by both ends (`transport.shared_memory`).
/// 4. If gradients are sharded, or in DDP's buckets, messages leave in the order in which they were
///    sent (collective_turns.h): they have the highest bucket of all. Sums over a hypercube do not.
///
/// `transport.unsent` limits how much the kernel takes ahead of the wire: the less, the sooner a
/// lower bucket leaves. A run queues what its socket has not taken, so the kernel has at most a
/// part of the first message; a simulation queues what is not on the wire, of which the kernel has
/// the first `transport.unsent` bytes.
///
/// A `Waiting` message has a `bucket` and a `size()`: the bytes of it that the queue holds. The
/// queue has room for one message without an allocation, enough for most connections.
template <class Waiting>
class SendQueue {
 public:
  using Size = decltype(std::declval<const Waiting&>().size());

  /// The first `taken` bytes of the queue already belong to the kernel.
  void push(Waiting message, Size taken) {
    auto first = waiting_.begin();
    for (Size before{}; first != waiting_.end() && before < taken; ++first) before += first->size();
    // Messages that the kernel has not taken are sorted: `push` inserts among them alone.
    const auto place = std::upper_bound(
        first, waiting_.end(), message.bucket,
        [](std::uint32_t bucket, const Waiting& other) { return bucket < other.bucket; });
    waiting_.insert(place, std::move(message));
  }
  /// All of the queue already belongs to the kernel.
  void append(Waiting message) { waiting_.push_back(std::move(message)); }
  /// All of the first message has left.
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
