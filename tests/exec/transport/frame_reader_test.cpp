// A stream in portions of any size, cut into the frames that were sent.
#include "exec/transport/frame_reader.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {

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

// As a socket does it: up to `portion` bytes into the room that there is. What is wrong, or null.
const char* pour(FrameReader& reader, const std::vector<std::byte>& stream, std::size_t portion,
                 const FrameReader::OnFrame& on_frame) {
  for (std::size_t at = 0; at < stream.size();) {
    std::size_t left = std::min(portion, stream.size() - at);
    std::size_t count = 0;
    for (const std::span<std::byte> room : reader.room()) {
      const std::size_t part = std::min(left, room.size());
      if (part > 0) std::memcpy(room.data(), stream.data() + at + count, part);
      count += part;
      left -= part;
    }
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
        std::string("it announced a longer message than there can be"));
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
