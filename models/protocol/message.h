// The messages that nodes send to each other, to the byte.
#pragma once

#include "models/base/quantity.h"
#include "models/tensor/payload.h"

#include <cstdint>
#include <limits>

namespace foretrain {

enum class MessageKind : std::uint16_t {
  push = 1,              ///< worker to server: the gradient of a bucket
  parameters = 2,        ///< server to worker: your push counted; a bucket's values; continue
  final_parameters = 3,  ///< server to worker: your push counted; a bucket's last values
  stop = 4,              ///< server to worker: a bucket's last values; push no more
  partial = 5,           ///< worker to worker: the sum of gradients so far, of one or more buckets
  dropped = 6,           ///< server to worker: your push came too late; a bucket's values; continue
  choice = 7,            ///< server to server: the workers whose gradients make a step
  late = 8,              ///< server to server: a worker that was too late, and may continue
  enough = 9,            ///< from the chief, or forwarded: the target is reached, the training ends
  cut = 10,              ///< from the node that decides it: save your state at this cut
  kept = 11,             ///< server to server: my state of this cut is saved
  pull = 12,      ///< worker to server, from a replacement process: requests a bucket's values
  returned = 13,  ///< server to server: a worker takes part again as a replacement process
  end,            ///< not a kind: one past the last
};

/// `number`, as received, is a kind of message.
constexpr bool is_message_kind(std::uint16_t number) {
  return number >= static_cast<std::uint16_t>(MessageKind::push) &&
         number < static_cast<std::uint16_t>(MessageKind::end);
}

/// One message. It has durations and no clock readings: clocks of two hosts are not compared.
struct Message {
  MessageKind kind = MessageKind::push;
  bool in_order = false;       ///< overtakes nothing on its connection; not sent
  Step step{};                 ///< the worker's step that is pushed or answered
  std::uint32_t bucket = 0;    ///< index into the parameter layout; the first if several
  Version version{};           ///< push: version the gradient was computed on; else: version sent
  std::int64_t staleness = 0;  ///< reply: updates between the worker's read and that with its push
  Duration wait{};             ///< reply: how long the push lay at the server before its apply
  Duration apply{};            ///< reply: how long the apply took
  Payload payload{};           ///< [length of the buckets] floats, or fewer bytes (compression.h)

  /// The bucket by which send_queue.h orders this message.
  [[nodiscard]] std::uint32_t order() const {
    return in_order ? std::numeric_limits<std::uint32_t>::max() : bucket;
  }
};

/// Bytes of a frame's header on the wire; `exec/transport/frame.h` defines its layout.
inline constexpr Bytes kHeaderSize{64};

/// Bytes on the wire, without TCP and lower layers.
inline Bytes wire_size(const Message& message) { return kHeaderSize + message.payload.size(); }

}  // namespace foretrain
