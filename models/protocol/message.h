// What nodes say to each other, to the byte.
#pragma once

#include "models/base/quantity.h"
#include "models/tensor/payload.h"

#include <cstdint>
#include <limits>

namespace foretrain {

enum class MessageKind : std::uint16_t {
  push = 1,              ///< worker to server: the gradient of a bucket
  parameters = 2,        ///< server to worker: your push counted; a bucket's values, go on
  final_parameters = 3,  ///< server to worker: your push counted; a bucket's last values
  stop = 4,              ///< server to worker: a bucket's last values; what you push is not wanted
  partial = 5,           ///< worker to worker: the sum of gradients so far, of one bucket or more
  dropped = 6,           ///< server to worker: your push came too late; a bucket's values, go on
  choice = 7,            ///< server to server: whose gradients make a step
  late = 8,              ///< server to server: who came too late for it, and may go on
  enough = 9,     ///< from the chief, or on its behalf: the target is reached, nobody goes on
  cut = 10,       ///< from who decides it: keep your state as it is, or will be, at this cut
  kept = 11,      ///< server to server: that is done here
  pull = 12,      ///< worker to server, in a lost one's place: a bucket's values to begin with
  returned = 13,  ///< server to server: who takes part again, in a lost one's place
  end,            ///< no kind: one past the last
};

/// A number off the wire is a kind of message.
constexpr bool is_message_kind(std::uint16_t number) {
  return number >= static_cast<std::uint16_t>(MessageKind::push) &&
         number < static_cast<std::uint16_t>(MessageKind::end);
}

/// One message. Durations, never clock readings: clocks of two hosts are not compared.
struct Message {
  MessageKind kind = MessageKind::push;
  bool in_order = false;       ///< overtakes nothing on its connection; in forecasts alone
  Step step{};                 ///< the worker's step that is pushed or answered
  std::uint32_t bucket = 0;    ///< index into the parameter layout; of several the first
  Version version{};           ///< push: version the gradient was computed on; else: version sent
  std::int64_t staleness = 0;  ///< reply: updates applied between the worker's read and its push's
  Duration wait{};             ///< reply: how long the push lay at the server before its apply
  Duration apply{};            ///< reply: how long the apply took
  Payload payload{};           ///< [length of the buckets] of float, or less (compression.h)

  /// The bucket by which send_queue.h orders it.
  [[nodiscard]] std::uint32_t order() const {
    return in_order ? std::numeric_limits<std::uint32_t>::max() : bucket;
  }
};

/// Bytes of a frame's header on the wire; `exec/transport/frame.h` lays them out.
inline constexpr Bytes kHeaderSize{64};

/// Bytes on the wire, before TCP and below.
inline Bytes wire_size(const Message& message) { return kHeaderSize + message.payload.size(); }

}  // namespace foretrain
