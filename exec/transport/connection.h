// Frames over a stream of bytes.
#pragma once

#include "exec/transport/byte_stream.h"
#include "exec/transport/frame.h"
#include "models/base/send_queue.h"
#include "models/tensor/payload.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace foretrain::exec {

/// Reads at any time, even while writing: two peers that only write would block each other forever.
/// A frame is sent at once, in one gathered write straight from the sender's buffer; the part that
/// the stream does not take is queued (`models/base/send_queue.h` defines its order).
///
/// All calls and callbacks on the thread of the stream's executor.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnFrame = std::function<void(const FrameHeader&, Payload)>;
  /// `why` is a part of a sentence about the peer: "it closed the connection".
  using OnClosed = std::function<void(const std::string& why)>;

  /// `most_payload`: a peer that announces a longer payload is disconnected.
  Connection(boost::asio::ip::tcp::socket socket, Bytes most_payload);

  /// Replaces the stream by the one that `wrap` returns, from the next frame on. Nothing may be
  /// queued for sending; bytes read after the last frame are dropped.
  void wrap(const std::function<OwnedStream(OwnedStream)>& wrap);
  /// Begins to read; a second call only replaces the callbacks, and may come from within
  /// `on_frame`. `on_closed` is called at most once, never after close().
  void start(OnFrame on_frame, OnClosed on_closed);
  void send(const FrameHeader& header, Payload payload) {
    send(header, std::move(payload), header.bucket);
  }
  /// `order`: as Message::order.
  void send(const FrameHeader& header, Payload payload, std::uint32_t order);
  /// Closes the connection if the other machine does not answer for `silence` (tuning.h). No
  /// effect on loopback, where the kernel always answers.
  void give_up_after(Duration silence);
  /// Sets the maximum payload from the next frame on.
  void allow(Bytes most_payload) { reader_.allow(most_payload); }
  /// Bytes received so far.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  /// True if nothing is waiting to be written.
  [[nodiscard]] bool drained() const { return outgoing_.empty() && !writing_; }
  [[nodiscard]] ByteStream& stream() const { return *stream_; }
  [[nodiscard]] bool closed() const { return closed_; }
  void close();
  /// Ignores incoming frames, and closes when everything queued has been sent.
  void close_when_drained();

  /// Address and port of the other end, for messages.
  [[nodiscard]] const std::string& peer() const { return peer_; }
  /// True if both ends have the same address.
  [[nodiscard]] bool within_host() const { return within_host_; }

 private:
  struct Outgoing {
    std::uint32_t bucket = 0;
    HeaderBytes header;
    Payload payload;

    [[nodiscard]] Bytes size() const { return kHeaderSize + payload.size(); }
  };

  void read_later();
  void read();
  /// Passes queued bytes to the stream, as many as it takes.
  void flush();
  [[nodiscard]] ByteStream::Parts waiting() const;
  void wrote(std::size_t count);
  void fail(const ByteStream::Error& error);
  void fail(const std::string& why);

  OwnedStream stream_;
  std::string peer_;
  bool within_host_ = false;
  bool loopback_ = false;
  int socket_ = -1;  // owned by the stream
  FrameReader reader_;
  std::uint64_t received_ = 0;
  OnFrame on_frame_;
  OnFrame replaced_;  // the previous callback, which may be running
  OnClosed on_closed_;
  SendQueue<Outgoing> outgoing_;  // not yet taken by the stream
  Bytes written_;                 // bytes taken of the first one
  bool reading_ = false;
  bool writing_ = false;  // a wait for the stream is pending
  bool leaving_ = false;  // closes when all is sent
  bool closed_ = false;
};

/// `10.1.2.3:4711`, `[fd00::2]:4711`.
std::string to_text(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace foretrain::exec
