// A TCP socket as a stream of bytes.
#include "exec/transport/byte_stream.h"

#include <fcntl.h>

#include <utility>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;

class SocketStream final : public ByteStream {
 public:
  explicit SocketStream(tcp::socket socket) : socket_(std::move(socket)) {
    Error ignored;  // the first read reports a dead socket
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
  }

  std::size_t read_some(const Room& room, Error& error) override {
    return socket_.receive(room, 0, error);
  }
  std::size_t write_some(const Parts& parts, Error& error) override {
    error = {};
    const std::size_t all = boost::asio::buffer_size(parts);
    const std::size_t count = all > 0 ? socket_.send(parts, 0, error) : 0;
    if (count < all && !error) error = boost::asio::error::would_block;
    return count;
  }
  void async_wait(Wait wait, std::function<void()> done) override {
    socket_.async_wait(wait, [done = std::move(done)](const Error& /*error*/) { done(); });
  }
  void close() override {
    Error ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
  }
  [[nodiscard]] Executor executor() override { return socket_.get_executor(); }

 private:
  tcp::socket socket_;
};

}  // namespace

OwnedStream socket_stream(tcp::socket socket) {
  return std::make_unique<SocketStream>(std::move(socket));
}

}  // namespace foretrain::exec
