// What happened to a node, without what it carried: enough to play a training back.
#pragma once

#include "models/protocol/node.h"

#include <cstdint>

namespace foretrain {

/// An input as a record keeps it. Weights are a function of the scenario, the seed, and the order
/// of every node's inputs, so these rows with the scenario give the same bits again.
struct InputRow {
  enum class Kind : std::uint16_t { started, received, computed, timer, lost, back };

  Instant time;              ///< what the node was told
  std::int64_t step = 0;     ///< received: of the message
  std::uint64_t id = 0;      ///< computed: the job; timer: the timer; back: the generation
  std::uint32_t node = 0;    ///< whom it happened to
  std::uint32_t peer = 0;    ///< received: the sender; lost, back: who
  std::uint32_t bucket = 0;  ///< received
  Kind kind = Kind::started;
  std::uint16_t message = 0;  ///< received: its MessageKind
  Duration took{};            ///< computed: what the job took of its core; zero: not known

  bool operator==(const InputRow&) const = default;
};

InputRow row_of(NodeId node, Instant time, const Input& input);

/// `input` is the one that the row was made of.
bool matches(const InputRow& row, const Input& input);

}  // namespace foretrain
