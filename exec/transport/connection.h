// A TCP connection that carries frames.
#pragma once

#include "exec/transport/frame.h"
#include "models/tensor/payload.h"

#include <boost/asio/ip/tcp.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Reads all the time, whatever it is writing: two peers that only wrote would wait for each other
/// for good. Header and payload leave in one gathered write, straight from the sender's buffer; a
/// payload is received straight into the buffer that the program gets.
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
  void allow(Bytes most_payload) { most_payload_ = most_payload; }
  /// Nothing is waiting to be written.
  [[nodiscard]] bool drained() const { return outgoing_.empty(); }
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
    HeaderBytes header;
    Payload payload;
  };

  void read_header();
  void read_payload(const FrameHeader& header);
  void write_next();
  void fail(const std::string& why);

  boost::asio::ip::tcp::socket socket_;
  std::string peer_;
  Bytes most_payload_;
  OnFrame on_frame_;
  OnFrame replaced_;  // may be running
  OnClosed on_closed_;
  HeaderBytes incoming_header_{};
  Payload incoming_;
  std::deque<Outgoing> outgoing_;  // the first is being written
  bool reading_ = false;
  bool leaving_ = false;
  bool closed_ = false;
};

/// `10.1.2.3:4711`, `[fd00::2]:4711`.
std::string to_text(const boost::asio::ip::tcp::endpoint& endpoint);

/// Sets the congestion control of a socket to cubic, else reno: the default of many clouds, bbr,
/// moves three to eight times less over loopback. Returns what it is now. Connections that a
/// listening socket accepts inherit its setting.
std::string choose_congestion_control(int native_socket);

}  // namespace foretrain::exec
