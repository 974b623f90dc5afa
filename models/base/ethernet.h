// The bytes in a full Ethernet frame of TCP: payload, headers, framing.
#pragma once

#include <cstdint>

namespace foretrain::ethernet {

// Bytes of frames with an MTU of 1500, IPv4 without options, TCP with time stamps.

/// Header of a frame: addresses and type (IEEE 802.3, clause 3).
inline constexpr std::int64_t kFrameHeader = 14;
/// Framing that interfaces do not count: preamble with delimiter 8, check sequence 4 (clause 3),
/// gap between packets 12 (clause 4).
inline constexpr std::int64_t kAroundFrame = 24;
/// The largest payload of a frame (clause 3).
inline constexpr std::int64_t kMtu = 1500;
/// IPv4 20 (RFC 791), TCP 20 (RFC 9293), its time stamps 12 (RFC 7323).
inline constexpr std::int64_t kIpTcpHeaders = 52;

/// Bytes of a full frame: of the application; of headers; both, as interfaces count them; with
/// framing, the bytes of its time on the wire.
inline constexpr std::int64_t kSegment = kMtu - kIpTcpHeaders;
inline constexpr std::int64_t kHeaders = kFrameHeader + kIpTcpHeaders;
inline constexpr std::int64_t kCounted = kSegment + kHeaders;
inline constexpr std::int64_t kOnWire = kCounted + kAroundFrame;

}  // namespace foretrain::ethernet
