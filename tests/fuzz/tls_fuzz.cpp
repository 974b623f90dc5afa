// Fuzzes the accepting end of a TLS handshake.
#include "exec/transport/byte_stream.h"
#include "exec/transport/tls.h"
#include "models/base/check.h"
#include "tests/fuzz/fuzz.h"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

using namespace foretrain;
using namespace foretrain::exec;

namespace {

// The fuzzer's bytes, in portions.
class Words final : public ByteStream {
 public:
  explicit Words(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::size_t read_some(const Room& room, Error& error) override {
    error = rest_.empty() ? boost::asio::error::eof : Error();
    const std::size_t portion = 1 + 7 * rest_.size() % 300;
    const std::size_t count =
        boost::asio::buffer_copy(room, boost::asio::buffer(rest_.data(), rest_.size()), portion);
    rest_ = rest_.subspan(count);
    return count;
  }
  std::size_t write_some(const Parts& parts, Error& error) override {
    error = {};
    return boost::asio::buffer_size(parts);
  }
  void async_wait(Wait /*wait*/, std::function<void()> /*done*/) override {}
  void close() override {}
  [[nodiscard]] Executor executor() override { return loop_.get_executor(); }

 private:
  boost::asio::io_context loop_{1};
  std::span<const std::byte> rest_;
};

}  // namespace

/// The handshake never succeeds and nothing is decrypted, whatever the bytes and portions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto tls = Tls::of_key(JobKey("0123456789abcdef"));
  if (size > 0 && data[0] == 'F') return 0;  // not TLS
  const auto stream = tls_stream(std::make_unique<Words>(std::as_bytes(fuzz::bytes_of(data, size))),
                                 tls, End::accepting);
  std::array<std::byte, 1'000> opened{};
  ByteStream::Error error;
  while (!error || error == boost::asio::error::would_block) {
    FT_CHECK_OP(stream->read_some({boost::asio::buffer(opened)}, error), ==, std::size_t{0});
    ByteStream::Error ignored;
    const std::array<std::byte, 10> words{};
    FT_CHECK_OP(stream->write_some({boost::asio::buffer(words)}, ignored), ==, std::size_t{0});
  }
  return 0;
}
