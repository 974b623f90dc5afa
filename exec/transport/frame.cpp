#include "exec/transport/frame.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace foretrain::exec {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian");

constexpr std::uint32_t kMagic = 0x4e525446;  // "FTRN"
constexpr std::size_t kKindAt = 6;
constexpr std::size_t kChecksumAt = 60;
constexpr std::uint16_t kInRing = 0x8000;  // of the kind

template <class T>
void put(HeaderBytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T get(const HeaderBytes& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint32_t checksum(const HeaderBytes& bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), kChecksumAt));
}

// Gradients, sums, what comes back of sums (compression.h).
bool may_be_halves(std::uint16_t kind) {
  using enum MessageKind;
  return std::ranges::any_of(std::array{push, partial, parameters}, [&](MessageKind of) {
    return kind == static_cast<std::uint16_t>(of);
  });
}

}  // namespace

HeaderBytes encode(const FrameHeader& header) {
  HeaderBytes bytes{};
  put(bytes, 0, kMagic);
  put(bytes, 4, kWireVersion);
  put(bytes, kKindAt, static_cast<std::uint16_t>(header.kind | (header.in_ring ? kInRing : 0)));
  put(bytes, 8, header.from);
  put(bytes, 12, header.bucket);
  put(bytes, 16, header.step);
  put(bytes, 24, header.version);
  put(bytes, 32, header.wait_ns);
  put(bytes, 40, header.apply_ns);
  put(bytes, 48, header.payload_bytes);
  put(bytes, 56, header.staleness);
  put(bytes, kChecksumAt, checksum(bytes));
  return bytes;
}

HeaderBytes in_ring(HeaderBytes bytes) {
  put(bytes, kKindAt, static_cast<std::uint16_t>(get<std::uint16_t>(bytes, kKindAt) | kInRing));
  put(bytes, kChecksumAt, checksum(bytes));
  return bytes;
}

DecodedHeader decode(const HeaderBytes& bytes, Bytes most_payload) {
  if (get<std::uint32_t>(bytes, 0) != kMagic) return {{}, "it does not speak this protocol"};
  if (get<std::uint16_t>(bytes, 4) != kWireVersion) {
    return {{}, "it speaks another version; build foretrain of the same commit on every host"};
  }
  if (get<std::uint32_t>(bytes, kChecksumAt) != checksum(bytes)) {
    return {{}, "it sent a damaged header"};
  }
  FrameHeader header;
  const auto kind = get<std::uint16_t>(bytes, kKindAt);
  header.kind = kind & static_cast<std::uint16_t>(~kInRing);
  header.in_ring = (kind & kInRing) != 0;
  header.from = get<std::uint32_t>(bytes, 8);
  header.bucket = get<std::uint32_t>(bytes, 12);
  header.step = get<std::int64_t>(bytes, 16);
  header.version = get<std::int64_t>(bytes, 24);
  header.wait_ns = get<std::int64_t>(bytes, 32);
  header.apply_ns = get<std::int64_t>(bytes, 40);
  header.payload_bytes = get<std::uint64_t>(bytes, 48);
  header.staleness = get<std::uint32_t>(bytes, 56);
  if (header.payload_bytes > static_cast<std::uint64_t>(most_payload.value)) {
    return {{}, "it announced a longer message than there can be"};
  }
  const std::size_t number = may_be_halves(header.kind) ? sizeof(std::uint16_t) : sizeof(float);
  if (is_message(header.kind) && header.payload_bytes % number != 0) {
    return {{}, "it announced a payload that is no whole number of floats"};
  }
  return {header, nullptr};
}

bool is_message(std::uint16_t kind) { return is_message_kind(kind); }

FrameHeader header_of(const Message& message, NodeId from) {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(message.kind);
  header.from = index_of(from);
  header.bucket = message.bucket;
  header.step = message.step.value;
  header.version = message.version.value;
  header.wait_ns = message.wait.ns;
  header.apply_ns = message.apply.ns;
  header.payload_bytes = static_cast<std::uint64_t>(message.payload.size().value);
  header.staleness = static_cast<std::uint32_t>(message.staleness);
  return header;
}

Message message_of(const FrameHeader& header, Payload payload) {
  Message message;
  message.kind = static_cast<MessageKind>(header.kind);
  message.step = {header.step};
  message.bucket = header.bucket;
  message.version = {header.version};
  message.staleness = header.staleness;
  message.wait = {header.wait_ns};
  message.apply = {header.apply_ns};
  message.payload = std::move(payload);
  return message;
}

}  // namespace foretrain::exec
