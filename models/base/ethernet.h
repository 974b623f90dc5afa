// What a full frame of Ethernet carries of TCP, with what surrounds that.
#pragma once

#include <cstdint>

namespace foretrain::ethernet {

// Bytes of frames with an MTU of 1500, IPv4 without options, TCP with time stamps.

/// Of a frame: addresses and type (IEEE 802.3, clause 3).
inline constexpr std::int64_t kFrameHeader = 14;
/// Of a frame, where no interface counts it: preamble with delimiter 8, check sequence 4 (clause
/// 3), gap between packets 12 (clause 4).
inline constexpr std::int64_t kAroundFrame = 24;
/// What a frame carries at most (clause 3).
inline constexpr std::int64_t kMtu = 1500;
/// IPv4 20 (RFC 791), TCP 20 (RFC 9293), its time stamps 12 (RFC 7323).
inline constexpr std::int64_t kIpTcpHeaders = 52;

/// Of a full frame: bytes of the application; headers; both, as interfaces count them; with what
/// surrounds the frame, the time that it takes on the wire.
inline constexpr std::int64_t kSegment = kMtu - kIpTcpHeaders;
inline constexpr std::int64_t kHeaders = kFrameHeader + kIpTcpHeaders;
inline constexpr std::int64_t kCounted = kSegment + kHeaders;
inline constexpr std::int64_t kOnWire = kCounted + kAroundFrame;

}  // namespace foretrain::ethernet
