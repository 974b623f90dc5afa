// Copies of messages, of inputs for the observers of a training.
#pragma once

#include "models/protocol/message.h"
#include "models/protocol/node.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace foretrain::faults {

/// A broken invariant.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An immutable copy of a message with its numbers.
struct Envelope {
  explicit Envelope(const Message& message)
      : kind(message.kind),
        step(message.step),
        bucket(message.bucket),
        version(message.version),
        size(wire_size(message)) {
    const auto bytes = message.payload.bytes();
    numbers.resize((bytes.size() + sizeof(float) - 1) / sizeof(float));  // or an odd 16-bit number
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  /// Compares bits, because the words of a decision are not numbers.
  [[nodiscard]] bool same_numbers(const Envelope& other) const {
    return numbers.size() == other.numbers.size() &&
           (numbers.empty() ||
            std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(float)) == 0);
  }
  bool operator==(const Envelope& other) const {
    return kind == other.kind && step == other.step && bucket == other.bucket &&
           version == other.version && size == other.size && same_numbers(other);
  }

  MessageKind kind;
  Step step;
  std::uint32_t bucket;
  Version version;
  Bytes size;
  std::vector<float> numbers;
};

/// A copy of an input, made before the node handles it.
struct Heard {
  explicit Heard(const Input& input) {
    if (const auto* received = std::get_if<Received>(&input)) {
      from = received->from;
      mail.emplace(received->message);
    } else if (const auto* done = std::get_if<Computed>(&input)) {
      computed = done->job;
    } else if (const auto* gone = std::get_if<PeerLost>(&input)) {
      lost = gone->peer;
    } else if (const auto* again = std::get_if<PeerBack>(&input)) {
      back = again->peer;
    }
  }

  NodeId from{};
  std::optional<Envelope> mail;
  std::optional<JobId> computed;
  std::optional<NodeId> lost;
  std::optional<NodeId> back;
};

}  // namespace foretrain::faults
