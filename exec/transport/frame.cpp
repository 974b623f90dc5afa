#include "exec/transport/frame.h"

#include "models/base/check.h"

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
constexpr std::size_t kChecksumAt = 60;

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

// Recognizes a TLS record: kind (22: handshake), version, length. Returns how many bytes of a
// client's first record follow `bytes`; 0 if they do not begin one.
std::size_t rest_of_tls_greeting(const HeaderBytes& bytes) {
  constexpr std::size_t kHead = 5;
  constexpr std::size_t kMost = 2'000;
  const auto size =
      kHead + 256 * std::to_integer<std::size_t>(bytes[3]) + std::to_integer<std::size_t>(bytes[4]);
  const bool greeting = bytes[0] == std::byte{22} && bytes[1] == std::byte{3};
  return greeting && size > bytes.size() && size <= kMost ? size - bytes.size() : 0;
}

// Kinds with payloads that compression can turn into halves (compression.h).
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
  put(bytes, 6, header.kind);
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

DecodedHeader decode(const HeaderBytes& bytes, Bytes most_payload) {
  if (const std::size_t rest = rest_of_tls_greeting(bytes)) {
    return {{.kind = kTlsGreeting, .payload_bytes = rest}, nullptr};
  }
  if (get<std::uint32_t>(bytes, 0) != kMagic) return {{}, "it does not use this protocol"};
  if (get<std::uint16_t>(bytes, 4) != kWireVersion) {
    return {{}, "it speaks another version; build foretrain of the same commit on every host"};
  }
  if (get<std::uint32_t>(bytes, kChecksumAt) != checksum(bytes)) {
    return {{}, "it sent a damaged header"};
  }
  FrameHeader header;
  header.kind = get<std::uint16_t>(bytes, 6);
  header.from = get<std::uint32_t>(bytes, 8);
  header.bucket = get<std::uint32_t>(bytes, 12);
  header.step = get<std::int64_t>(bytes, 16);
  header.version = get<std::int64_t>(bytes, 24);
  header.wait_ns = get<std::int64_t>(bytes, 32);
  header.apply_ns = get<std::int64_t>(bytes, 40);
  header.payload_bytes = get<std::uint64_t>(bytes, 48);
  header.staleness = get<std::uint32_t>(bytes, 56);
  if (header.payload_bytes > static_cast<std::uint64_t>(most_payload.value)) {
    return {{}, "it announced a message longer than allowed"};
  }
  const std::size_t number = may_be_halves(header.kind) ? sizeof(std::uint16_t) : sizeof(float);
  if (is_message(header.kind) && header.payload_bytes % number != 0) {
    return {{}, "it announced a payload that is not made of floats"};
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

// The reader --------------------------------------------------------------------------------------

ByteStream::Room FrameReader::room() {
  if (begin_ > 0) {
    std::copy(aside_.begin() + static_cast<std::ptrdiff_t>(begin_),
              aside_.begin() + static_cast<std::ptrdiff_t>(end_), aside_.begin());
    end_ -= std::exchange(begin_, 0);
  }
  const std::span<std::byte> rest =
      in_payload_ ? payload_.writable_bytes().subspan(filled_) : std::span<std::byte>();
  return {boost::asio::buffer(rest.data(), rest.size()), boost::asio::buffer(aside_) + end_};
}

// The first bytes of the payload may have come with the header.
void FrameReader::begin_payload() {
  in_payload_ = true;
  payload_ = Payload::allocate({static_cast<std::int64_t>(header_.payload_bytes)});
  filled_ = 0;
  filled_ = std::min(end_ - begin_, missing());
  if (filled_ > 0) std::memcpy(payload_.writable_bytes().data(), aside_.data() + begin_, filled_);
  begin_ += filled_;
}

const char* FrameReader::take(std::size_t count, const OnFrame& on_frame) {
  if (in_payload_) {
    const std::size_t direct = std::min(count, missing());
    filled_ += direct;
    count -= direct;
  }
  end_ += count;
  FT_CHECK_OP(end_, <=, kAside);
  while (true) {
    if (in_payload_) {
      if (missing() > 0) return nullptr;
      in_payload_ = false;
      if (!on_frame(header_, std::exchange(payload_, {}))) return nullptr;
      continue;
    }
    if (end_ - begin_ < sizeof(HeaderBytes)) return nullptr;
    HeaderBytes bytes;
    std::memcpy(bytes.data(), aside_.data() + begin_, bytes.size());
    begin_ += bytes.size();
    const DecodedHeader decoded = decode(bytes, most_payload_);
    if (decoded.error != nullptr) return decoded.error;
    header_ = decoded.header;
    begin_payload();
  }
}

}  // namespace foretrain::exec
