// The header that stands before everything that is sent.
#pragma once

#include "models/protocol/message.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace foretrain::exec {

/// Offsets, little-endian: magic 0 (4 bytes, "FTRN") · format 4 (2) · kind, in_ring 6 (2: the
/// highest bit is in_ring) · from 8 (4) · bucket 12 (4) · step 16 (8) · version 24 (8) · wait 32
/// (8, ns) · apply 40 (8, ns) · payload bytes 48 (8) · staleness 56 (4) · CRC-32 of the 60 bytes
/// before it 60 (4). The format says which version of the wire this is: raised by one whenever the
/// header, the handshake, or what control frames carry changes.
inline constexpr std::uint16_t kWireVersion = 6;
using HeaderBytes = std::array<std::byte, static_cast<std::size_t>(kHeaderSize.value)>;

/// Of every frame, and of nothing that TLS says.
inline constexpr std::byte kFirstByte{'F'};
/// What kind of frame answers an end that encrypts where this one does not. It says nothing else.
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
  bool in_ring = false;  ///< the payload is in memory that both ends share (shared_ring.h)
};

HeaderBytes encode(const FrameHeader& header);
/// The same header, but of a payload that is in the ring.
HeaderBytes in_ring(HeaderBytes bytes);

/// A header, or why the bytes are none; a bad frame is expected at run time, so it is a value.
struct DecodedHeader {
  FrameHeader header;
  const char* error = nullptr;
};
/// `most_payload`: a longer payload is refused before anybody makes room for it.
DecodedHeader decode(const HeaderBytes& bytes, Bytes most_payload);

FrameHeader header_of(const Message& message, NodeId from);
Message message_of(const FrameHeader& header, Payload payload);
/// `kind` is one that nodes send each other.
bool is_message(std::uint16_t kind);

}  // namespace foretrain::exec
