// Fuzzes the accepting end of a handshake over a socket.
#include "exec/transport/handshake.h"
#include "models/base/check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/stranger.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <memory>
#include <string>

using namespace foretrain;
using namespace foretrain::exec;
using boost::asio::ip::tcp;

namespace {

/// Inserts complete frames, because a fuzzer cannot guess a checksum.
std::string stream_of(std::string_view text) {
  std::string stream;
  while (!text.empty()) {
    const auto what = static_cast<unsigned char>(text.front());
    const std::size_t bytes = std::min<std::size_t>(text.size() - 1, what / 2);
    if (what % 2 == 0) {
      FrameHeader header;
      header.kind = static_cast<std::uint16_t>(90 + (bytes > 0 ? text[1] & 7 : 0));
      header.from = 1;
      header.payload_bytes = bytes;
      const HeaderBytes head = encode(header);
      stream.append(reinterpret_cast<const char*>(head.data()), head.size());
    }
    stream += text.substr(1, bytes);
    text.remove_prefix(1 + bytes);
  }
  return stream;
}

}  // namespace

/// A client without the key is rejected or leaves, also at an end that encrypts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static boost::asio::io_context acceptor{1};
  static tcp::acceptor acceptor(acceptor, {boost::asio::ip::address_v4::loopback(), 0});
  boost::asio::io_context loop{1};
  tcp::socket stranger = fuzz::stranger(loop, acceptor.local_endpoint());
  tcp::socket accepted(loop);
  acceptor.accept(accepted);
  const auto connection = std::make_shared<Connection>(std::move(accepted), kMostBeforeProof);
  int refused = 0;
  static const JobKey key("0123456789abcdef");
  static const auto tls = Tls::of_key(key);
  const Handshake handshake{
      .key = key, .most_payload = {1'000'000}, .tls = size % 2 == 1 ? tls : nullptr};
  handshake.answer(
      connection, 2, [](const auto&, std::uint32_t) { FT_CHECK(false && "a stranger is let in"); },
      [&](const Refused& why) {
        ++refused;
        FT_CHECK(!why.why.empty());
      });
  fuzz::say(stranger, stream_of(fuzz::text_of(data, size)));
  loop.run();
  FT_CHECK_OP(refused, ==, 1);
  return 0;
}
