// The transport below a connection: a socket, TLS over it, or shared memory.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Bytes in both directions, in order. It knows nothing of frames: `Connection`, its only user,
/// forms them. Nothing blocks, and buffers belong to the caller again when a call returns. All
/// calls and callbacks run on the thread of `executor`.
///
/// Errors: `would_block` says that nothing can be read or written now, `eof` that the other end has
/// closed the stream. Any other error is final; if TLS is the cause, `refusal` describes it.
class ByteStream {
 public:
  using Error = boost::system::error_code;
  using Executor = boost::asio::ip::tcp::socket::executor_type;
  using Room = std::array<boost::asio::mutable_buffer, 2>;
  using Parts = boost::container::static_vector<boost::asio::const_buffer, 32>;
  using Wait = boost::asio::ip::tcp::socket::wait_type;

  virtual ~ByteStream() = default;

  /// Fills `room` from its beginning. If it returns fewer bytes than fit, wait before the next
  /// call.
  virtual std::size_t read_some(const Room& room, Error& error) = 0;
  /// Takes bytes from the beginning of `parts`, sends those taken before, and returns the number of
  /// bytes taken. After `would_block`, which can accompany a number, wait before the next call. If
  /// it takes fewer bytes without an error, it takes more after the next `read_some`.
  virtual std::size_t write_some(const Parts& parts, Error& error) = 0;
  /// Calls `done` once, later: something may be read or written, or the stream is closed. One wait
  /// of each kind at a time; `done` keeps the stream alive.
  virtual void async_wait(Wait wait, std::function<void()> done) = 0;
  virtual void close() = 0;

  [[nodiscard]] virtual Executor executor() = 0;
  /// True if the bytes are encrypted.
  [[nodiscard]] virtual bool encrypts() const { return false; }
  /// Why TLS failed, as a part of a sentence about the other end; empty if it did not.
  [[nodiscard]] virtual std::string refusal() const { return {}; }
};

using OwnedStream = std::unique_ptr<ByteStream>;

/// Sets TCP_NODELAY. Child processes started later do not inherit the socket.
OwnedStream socket_stream(boost::asio::ip::tcp::socket socket);

/// Removes `count` bytes from the beginning of `buffers`.
template <class Buffers>
void consume(Buffers& buffers, std::size_t count) {
  for (auto& buffer : buffers) {
    const std::size_t here = count < buffer.size() ? count : buffer.size();
    buffer += here;
    count -= here;
  }
}

}  // namespace foretrain::exec
