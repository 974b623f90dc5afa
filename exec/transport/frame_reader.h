// A stream of bytes cut into frames.
#pragma once

#include "exec/transport/frame.h"
#include "exec/transport/shared_ring.h"
#include "models/tensor/payload.h"

#include <array>
#include <cstddef>
#include <functional>
#include <span>

namespace foretrain::exec {

/// Says where the next bytes of a stream belong: a payload straight into the buffer that the
/// program gets, and what is behind it (the next header, small frames) into a little room of its
/// own. So a large frame takes one read of the socket, several small ones can share one.
///
/// Bytes may come in any portions. After an error the reader is not to be used any more.
class FrameReader {
 public:
  /// The frame, and whether more are wanted.
  using OnFrame = std::function<bool(const FrameHeader&, Payload)>;

  /// `most_payload`: a peer that announces more is cut off.
  explicit FrameReader(Bytes most_payload) : most_payload_(most_payload) {}

  /// From the next frame on, a payload may be this long.
  void allow(Bytes most_payload) { most_payload_ = most_payload; }
  /// From the next frame on, a payload may be in that ring, which is there as long as frames come.
  void share(RingReader* ring) { ring_ = ring; }

  /// Where the next bytes go, in this order; the first may be empty.
  std::array<std::span<std::byte>, 2> room();
  /// So many of them have come: hands on each frame that is complete, until `on_frame` wants no
  /// more. Returns what is wrong with the peer, as a part of a sentence, or null.
  const char* take(std::size_t count, const OnFrame& on_frame);

  /// The stream cannot end here.
  [[nodiscard]] bool within_payload() const { return in_payload_; }

 private:
  /// What is wrong with it, or null.
  const char* begin_payload();
  [[nodiscard]] std::size_t missing() const {
    return static_cast<std::size_t>(payload_.size().value) - filled_;
  }

  static constexpr std::size_t kAside = 4096;

  Bytes most_payload_;
  RingReader* ring_ = nullptr;             // null: none
  std::array<std::byte, kAside> aside_{};  // bytes [begin_, end_) are not looked at yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool in_payload_ = false;  // a header is read, its payload not whole
  FrameHeader header_;
  Payload payload_;
  std::size_t filled_ = 0;  // bytes of the payload
};

}  // namespace foretrain::exec
