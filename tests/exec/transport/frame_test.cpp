// The header on the wire: a header reads back unchanged, other bytes are rejected.
#include "exec/transport/frame.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

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

TEST_CASE("frame: the greeting of an end that encrypts is told from garbage") {
  HeaderBytes greeting{std::byte{22}, std::byte{3}, std::byte{1}, std::byte{1}, std::byte{4}};
  const DecodedHeader decoded = decode(greeting, kMost);
  REQUIRE(decoded.error == nullptr);
  CHECK(decoded.header.kind == kTlsGreeting);
  CHECK(decoded.header.payload_bytes == 5 + 256 + 4 - sizeof greeting);
  greeting[3] = std::byte{60};  // above the limit
  CHECK(decode(greeting, kMost).error == std::string("it does not use this protocol"));
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
  CHECK(decode(garbage, kMost).error == std::string("it does not use this protocol"));

  HeaderBytes newer = encode(some_header());
  newer[4] = std::byte{kWireVersion + 1};
  CHECK(decode(newer, kMost).error ==
        std::string("it speaks another version; build foretrain of the same commit on every host"));

  FrameHeader huge = some_header();
  huge.payload_bytes = std::uint64_t{1} << 60;
  CHECK(decode(encode(huge), kMost).error ==
        std::string("it announced a message longer than allowed"));

  FrameHeader odd = some_header();
  odd.payload_bytes = 4'001;
  CHECK(decode(encode(odd), kMost).error ==
        std::string("it announced a payload that is not made of floats"));
  // With 16-bit floats, payloads of gradients, sums and results can have half the bytes.
  odd.payload_bytes = 4'002;
  for (const auto kind : {MessageKind::push, MessageKind::partial, MessageKind::parameters}) {
    odd.kind = static_cast<std::uint16_t>(kind);
    CHECK(decode(encode(odd), kMost).error == nullptr);
  }
  odd.kind = static_cast<std::uint16_t>(MessageKind::final_parameters);
  CHECK(decode(encode(odd), kMost).error ==
        std::string("it announced a payload that is not made of floats"));
}

// A stream in portions of any size is cut into the original frames ------------------------------

struct Sent {
  std::uint32_t from = 0;
  std::vector<std::byte> payload;
};

std::vector<std::byte> stream_of(const std::vector<Sent>& frames) {
  std::vector<std::byte> stream;
  for (const Sent& frame : frames) {
    FrameHeader header;
    header.kind = 200;
    header.from = frame.from;
    header.payload_bytes = frame.payload.size();
    const HeaderBytes bytes = encode(header);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
    stream.insert(stream.end(), frame.payload.begin(), frame.payload.end());
  }
  return stream;
}

// Like a socket, passes up to `portion` bytes into the free space. Returns the error, or null.
const char* pour(FrameReader& reader, const std::vector<std::byte>& stream, std::size_t portion,
                 const FrameReader::OnFrame& on_frame) {
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t count =
        boost::asio::buffer_copy(reader.room(), boost::asio::buffer(stream) + at, portion);
    REQUIRE(count > 0);
    at += count;
    if (const char* error = reader.take(count, on_frame)) return error;
  }
  return nullptr;
}

TEST_CASE("frame reader: frames come whole and in order, however the stream is cut") {
  Stream draw(7, "frames");
  std::vector<Sent> sent(40);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i].from = static_cast<std::uint32_t>(i);
    sent[i].payload.resize(draw.below(i % 5 == 0 ? 20'000 : 300));
    for (std::byte& byte : sent[i].payload) byte = static_cast<std::byte>(draw.below(256));
  }
  const auto stream = stream_of(sent);
  const std::size_t portion = GENERATE(as<std::size_t>{}, 1, 63, 64, 65, 4'095, 4'096, 100'000);
  CAPTURE(portion);
  FrameReader reader({20'000});
  std::size_t count = 0;
  const char* error =
      pour(reader, stream, portion, [&](const FrameHeader& header, Payload payload) {
        const Sent& expected = sent.at(count++);
        CHECK(header.from == expected.from);
        CHECK(std::ranges::equal(payload.bytes(), expected.payload));
        return true;
      });
  CHECK(error == nullptr);
  CHECK(count == sent.size());
  CHECK(!reader.within_payload());
}

TEST_CASE("frame reader: a stream that ends within a payload is told from one that ends between") {
  auto stream = stream_of({{1, std::vector<std::byte>(10)}});
  stream.pop_back();
  FrameReader reader({100});
  CHECK(pour(reader, stream, 1'000, [](const FrameHeader&, const Payload&) { return true; }) ==
        nullptr);
  CHECK(reader.within_payload());
}

TEST_CASE("frame reader: a longer payload than there can be is refused until it is allowed") {
  const auto stream = stream_of({{1, std::vector<std::byte>(101)}});
  const auto whatever = [](const FrameHeader&, const Payload&) { return true; };
  FrameReader reader({100});
  CHECK(pour(reader, stream, 1'000, whatever) ==
        std::string("it announced a message longer than allowed"));
  FrameReader generous({100});
  generous.allow({101});
  CHECK(pour(generous, stream, 1'000, whatever) == nullptr);
}

TEST_CASE("frame reader: who wants no more frames gets none, and the rest is kept") {
  const auto stream = stream_of({{1, {}}, {2, {}}});
  FrameReader reader({100});
  std::vector<std::uint32_t> got;
  const auto one = [&](const FrameHeader& header, const Payload&) {
    got.push_back(header.from);
    return false;
  };
  CHECK(pour(reader, stream, 1'000, one) == nullptr);
  CHECK(got == std::vector<std::uint32_t>{1});
  CHECK(reader.take(0, one) == nullptr);
  CHECK(got == std::vector<std::uint32_t>{1, 2});
}

}  // namespace
}  // namespace foretrain::exec
