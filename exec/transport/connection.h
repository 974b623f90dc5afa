// A TCP connection that carries frames.
#pragma once

#include "exec/transport/frame_reader.h"
#include "models/protocol/send_queue.h"
#include "models/tensor/payload.h"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Reads all the time, whatever it is writing: two peers that only wrote would wait for each other
/// for good. A frame leaves at once, in one gathered write straight from the sender's buffer; what
/// the socket does not take waits (`models/protocol/send_queue.h` says in which order).
///
/// All calls and callbacks on the thread of the socket's executor.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnFrame = std::function<void(const FrameHeader&, Payload)>;
  /// `why` as a part of a sentence about the peer: "it closed the connection".
  using OnClosed = std::function<void(const std::string& why)>;

  /// Sets TCP_NODELAY. `most_payload`: a peer that announces more is cut off.
  Connection(boost::asio::ip::tcp::socket socket, Bytes most_payload);

  /// Begins to read; a second call only says who listens from now on, and may come from within
  /// `on_frame`. `on_closed` is called once, unless `close` is.
  void start(OnFrame on_frame, OnClosed on_closed);
  void send(const FrameHeader& header, Payload payload);
  /// From the next frame on, a payload may be this long.
  void allow(Bytes most_payload) { reader_.allow(most_payload); }
  /// Bytes that have come so far.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  /// Nothing is waiting to be written.
  [[nodiscard]] bool drained() const { return outgoing_.empty(); }
  [[nodiscard]] bool closed() const { return closed_; }
  void close();
  /// Hears nothing more, and closes when what was sent has left.
  void close_when_drained();

  /// Address and port of the other end, for messages.
  [[nodiscard]] const std::string& peer() const { return peer_; }
  [[nodiscard]] boost::asio::ip::tcp::socket::executor_type executor() {
    return socket_.get_executor();
  }

 private:
  struct Outgoing {
    std::uint32_t bucket = 0;
    HeaderBytes header;
    Payload payload;

    [[nodiscard]] Bytes size() const { return kHeaderSize + payload.size(); }
  };

  void read();
  /// A read that had room for `wanted` bytes brought `count`.
  void on_read(boost::system::error_code error, std::size_t count, std::size_t wanted);
  void write(boost::system::error_code& error);
  void write_later();
  void fail(const std::string& why);

  boost::asio::ip::tcp::socket socket_;
  std::string peer_;
  FrameReader reader_;
  std::uint64_t received_ = 0;
  OnFrame on_frame_;
  OnFrame replaced_;  // may be running
  OnClosed on_closed_;
  SendQueue<Outgoing> outgoing_;  // what the socket has not taken yet
  Bytes written_;                 // of the first of them
  bool reading_ = false;
  bool leaving_ = false;
  bool closed_ = false;
};

/// `10.1.2.3:4711`, `[fd00::2]:4711`.
std::string to_text(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace foretrain::exec
