// The header on the wire: what is written is read, what is no header is refused.
#include "exec/transport/frame.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::exec {
namespace {

constexpr Bytes kMost{1'000'000};

FrameHeader some_header() {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(MessageKind::parameters);
  header.from = 3;
  header.bucket = 7;
  header.step = 123'456'789'012;
  header.version = 5;
  header.wait_ns = 1'000;
  header.apply_ns = 2'000;
  header.payload_bytes = 4'000;
  header.staleness = 2;
  return header;
}

TEST_CASE("frame: a header that is written is read back") {
  const FrameHeader header = some_header();
  const DecodedHeader decoded = decode(encode(header), kMost);
  REQUIRE(decoded.error == nullptr);
  CHECK(decoded.header.kind == header.kind);
  CHECK(decoded.header.from == header.from);
  CHECK(decoded.header.bucket == header.bucket);
  CHECK(decoded.header.step == header.step);
  CHECK(decoded.header.version == header.version);
  CHECK(decoded.header.wait_ns == header.wait_ns);
  CHECK(decoded.header.apply_ns == header.apply_ns);
  CHECK(decoded.header.payload_bytes == header.payload_bytes);
  CHECK(decoded.header.staleness == header.staleness);
  CHECK_FALSE(decoded.header.in_ring);
  FrameHeader in_memory = header;
  in_memory.in_ring = true;
  CHECK(encode(in_memory) == in_ring(encode(header)));
  const DecodedHeader there = decode(encode(in_memory), kMost);
  REQUIRE(there.error == nullptr);
  CHECK(there.header.in_ring);
  CHECK(there.header.kind == header.kind);
}

TEST_CASE("frame: a message becomes a header, and the header the message") {
  Message message;
  message.kind = MessageKind::final_parameters;
  message.step = {41};
  message.version = {42};
  message.staleness = 3;
  message.wait = {5};
  message.apply = {6};
  message.payload = Payload::allocate({64});
  const FrameHeader header = header_of(message, NodeId(9));
  CHECK(header.from == 9);
  CHECK(Bytes{static_cast<std::int64_t>(header.payload_bytes)} + kHeaderSize == wire_size(message));
  const Message back = message_of(header, message.payload);
  CHECK(back.kind == message.kind);
  CHECK(back.step == message.step);
  CHECK(back.version == message.version);
  CHECK(back.staleness == message.staleness);
  CHECK(back.wait == message.wait);
  CHECK(back.apply == message.apply);
}

TEST_CASE("frame: every flipped bit of a header is noticed") {
  const HeaderBytes good = encode(some_header());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    HeaderBytes bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    CAPTURE(bit);
    CHECK(decode(bad, kMost).error != nullptr);
  }
}

TEST_CASE("frame: garbage, another version and a length beyond reason are told apart") {
  HeaderBytes garbage;
  Stream stream(1, "garbage");
  for (std::byte& byte : garbage) byte = static_cast<std::byte>(stream.below(256));
  CHECK(decode(garbage, kMost).error == std::string("it does not speak this protocol"));

  HeaderBytes newer = encode(some_header());
  newer[4] = std::byte{kWireVersion + 1};
  CHECK(decode(newer, kMost).error ==
        std::string("it speaks another version; build foretrain of the same commit on every host"));

  FrameHeader huge = some_header();
  huge.payload_bytes = std::uint64_t{1} << 60;
  CHECK(decode(encode(huge), kMost).error ==
        std::string("it announced a longer message than there can be"));

  FrameHeader odd = some_header();
  odd.payload_bytes = 4'001;
  CHECK(decode(encode(odd), kMost).error ==
        std::string("it announced a payload that is no whole number of floats"));
  // Of halves a gradient, a sum, what comes back of sums may be.
  odd.payload_bytes = 4'002;
  for (const auto kind : {MessageKind::push, MessageKind::partial, MessageKind::parameters}) {
    odd.kind = static_cast<std::uint16_t>(kind);
    CHECK(decode(encode(odd), kMost).error == nullptr);
  }
  odd.kind = static_cast<std::uint16_t>(MessageKind::final_parameters);
  CHECK(decode(encode(odd), kMost).error ==
        std::string("it announced a payload that is no whole number of floats"));
}

}  // namespace
}  // namespace foretrain::exec
