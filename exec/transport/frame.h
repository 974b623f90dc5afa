// Frames: a header before every payload.
#pragma once

#include "exec/transport/byte_stream.h"
#include "models/protocol/message.h"
#include "models/tensor/payload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace foretrain::exec {

/// Offsets, little-endian: magic 0 (4 bytes, "FTRN") · format 4 (2) · kind 6 (2) · from 8 (4) ·
/// bucket 12 (4) · step 16 (8) · version 24 (8) · wait 32 (8, ns) · apply 40 (8, ns) · payload
/// bytes 48 (8) · staleness 56 (4) · CRC-32 of the 60 bytes before it 60 (4). The format is the
/// version of the wire protocol: it increases by one whenever the header, the handshake or the
/// contents of control frames change.
inline constexpr std::uint16_t kWireVersion = 6;
using HeaderBytes = std::array<std::byte, static_cast<std::size_t>(kHeaderSize.value)>;

/// First byte of every frame, and of no TLS record.
inline constexpr std::byte kFirstByte{'F'};
/// The kind that `decode` gives the TLS greeting of an encrypting end, although it is no frame, and
/// the kind of the frame that answers it if this end does not encrypt.
inline constexpr std::uint16_t kTlsGreeting = 88;
inline constexpr std::uint16_t kInPlain = 89;

struct FrameHeader {
  std::uint16_t kind = 0;  ///< MessageKind between nodes, ControlKind to and from the launcher
  std::uint32_t from = 0;  ///< node id of the sender
  std::uint32_t bucket = 0;
  std::int64_t step = 0;
  std::int64_t version = 0;
  std::int64_t wait_ns = 0;
  std::int64_t apply_ns = 0;
  std::uint64_t payload_bytes = 0;
  std::uint32_t staleness = 0;
};

HeaderBytes encode(const FrameHeader& header);

/// A header, or an error; bad frames are expected at run time, so the error is a value.
struct DecodedHeader {
  FrameHeader header;
  const char* error = nullptr;
};
/// `most_payload`: a longer payload is refused before memory is allocated for it.
DecodedHeader decode(const HeaderBytes& bytes, Bytes most_payload);

FrameHeader header_of(const Message& message, NodeId from);
Message message_of(const FrameHeader& header, Payload payload);
/// True for kinds that nodes send each other.
bool is_message(std::uint16_t kind);

/// Decides where the next bytes of a stream go: a payload straight into the buffer that the program
/// receives, everything behind it (the next header, small frames) into a small buffer. So a large
/// frame takes one read of the socket, and several small ones can share one.
///
/// Bytes may come in any portions. After an error the reader must not be used any more.
class FrameReader {
 public:
  /// Receives a frame; returns whether more are wanted.
  using OnFrame = std::function<bool(const FrameHeader&, Payload)>;

  /// `most_payload`: a peer that announces a longer payload is disconnected.
  explicit FrameReader(Bytes most_payload) : most_payload_(most_payload) {}

  /// Sets the maximum payload from the next frame on.
  void allow(Bytes most_payload) { most_payload_ = most_payload; }
  /// Drops bytes received after the last frame.
  void drop() { begin_ = end_ = 0; }

  /// The buffers for the next bytes, in this order; the first may be empty.
  ByteStream::Room room();
  /// `count` bytes have been read: passes on each complete frame until `on_frame` wants no more.
  /// Returns what is wrong with the peer, as a part of a sentence, or null.
  const char* take(std::size_t count, const OnFrame& on_frame);

  /// True if the stream must not end here.
  [[nodiscard]] bool within_payload() const { return in_payload_; }

 private:
  void begin_payload();
  [[nodiscard]] std::size_t missing() const {
    return static_cast<std::size_t>(payload_.size().value) - filled_;
  }

  static constexpr std::size_t kAside = 4096;

  Bytes most_payload_;
  std::array<std::byte, kAside> aside_{};  // bytes [begin_, end_) are not processed yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool in_payload_ = false;  // the header is complete, the payload not
  FrameHeader header_;
  Payload payload_;
  std::size_t filled_ = 0;  // bytes of the payload
};

}  // namespace foretrain::exec
