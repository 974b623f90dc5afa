// Fuzzes the reader of frames: splitting a stream does not change its meaning.
#include "exec/transport/frame.h"
#include "models/base/check.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace foretrain;
using namespace foretrain::exec;

namespace {

constexpr Bytes kMost{9'000};  // larger than the reader's buffer

struct Outcome {
  std::vector<std::pair<FrameHeader, std::string>> frames;
  const char* error = nullptr;
};

// A fuzzer cannot guess a checksum, so half of its data is put into complete frames.
std::string stream_of(const std::uint8_t*& data, std::size_t& size) {
  const auto next = [&]() -> std::uint8_t { return size == 0 ? 0 : (--size, *data++); };
  std::string stream;
  while (size > 2) {
    const std::uint8_t what = next();
    if (what == 0xff) break;  // the rest are portions
    if (what % 2 == 0) {
      FrameHeader header;
      header.kind = static_cast<std::uint16_t>(next() % 120);
      header.from = next();
      header.payload_bytes = std::uint64_t{next()} * (what % 4 == 0 ? 4 : 37);
      if (what == 2) header.payload_bytes <<= 52;
      const HeaderBytes bytes = encode(header);
      stream.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      const std::uint64_t sent = std::min<std::uint64_t>(header.payload_bytes, 12'000);
      stream.append(sent, static_cast<char>(what));
    } else {
      for (int i = 0; i < what / 2; ++i) stream.push_back(static_cast<char>(next()));
    }
  }
  return stream;
}

Outcome read_in_one_piece(std::string_view stream) {
  Outcome outcome;
  HeaderBytes bytes;
  while (stream.size() >= bytes.size()) {
    std::memcpy(bytes.data(), stream.data(), bytes.size());
    stream.remove_prefix(bytes.size());
    const DecodedHeader decoded = decode(bytes, kMost);
    outcome.error = decoded.error;
    if (outcome.error != nullptr || stream.size() < decoded.header.payload_bytes) break;
    outcome.frames.emplace_back(decoded.header, stream.substr(0, decoded.header.payload_bytes));
    stream.remove_prefix(decoded.header.payload_bytes);
  }
  return outcome;
}

Outcome read_in_portions(std::string_view stream, std::string_view portions) {
  Outcome outcome;
  FrameReader reader(kMost);
  const auto keep = [&](const FrameHeader& header, const Payload& payload) {
    const auto bytes = payload.bytes();
    outcome.frames.emplace_back(
        header, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    return true;
  };
  for (std::size_t turn = 0; !stream.empty() && outcome.error == nullptr; ++turn) {
    const std::size_t most =
        portions.empty() ? 1'000'000
                         : 1 + 41 * static_cast<unsigned char>(portions[turn % portions.size()]);
    const std::size_t count = boost::asio::buffer_copy(
        reader.room(), boost::asio::buffer(stream.data(), stream.size()), most);
    stream.remove_prefix(count);
    FT_CHECK_OP(count, >, 0u);
    outcome.error = reader.take(count, keep);
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string stream = stream_of(data, size);
  const Outcome expected = read_in_one_piece(stream);
  const Outcome got = read_in_portions(stream, fuzz::text_of(data, size));
  FT_CHECK_OP(expected.frames.size(), ==, got.frames.size());
  for (std::size_t i = 0; i < got.frames.size(); ++i) {
    FT_CHECK(encode(expected.frames[i].first) == encode(got.frames[i].first));
    FT_CHECK(expected.frames[i].second == got.frames[i].second);
  }
  FT_CHECK((expected.error == nullptr) == (got.error == nullptr));
  return 0;
}
