// An input of a node without its payload, sufficient for a replay.
#pragma once

#include "models/protocol/node.h"

#include <cstdint>

namespace foretrain {

/// An input as recorded. Weights are a function of the scenario, the seed, and the order of each
/// node's inputs, so these rows and the scenario reproduce the same bits.
struct InputRow {
  enum class Kind : std::uint16_t { started, received, computed, timer, lost, back };

  Instant time;              ///< when the node received the input
  std::int64_t step = 0;     ///< received: step of the message
  std::uint64_t id = 0;      ///< computed: the job; timer: the timer; back: the incarnation
  std::uint32_t node = 0;    ///< the node that received the input
  std::uint32_t peer = 0;    ///< received: the sender; lost, back: the peer
  std::uint32_t bucket = 0;  ///< received: bucket of the message
  Kind kind = Kind::started;
  std::uint16_t message = 0;  ///< received: its MessageKind
  Duration took{};            ///< computed: core time of the job; zero: not known

  bool operator==(const InputRow&) const = default;
};

InputRow row_of(NodeId node, Instant time, const Input& input);

/// Whether the row was made from `input`.
bool matches(const InputRow& row, const Input& input);

}  // namespace foretrain
