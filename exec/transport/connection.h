// A TCP connection that carries frames.
#pragma once

#include "exec/transport/frame_reader.h"
#include "exec/transport/shared_ring.h"
#include "exec/transport/tls_stream.h"
#include "models/protocol/send_queue.h"
#include "models/tensor/payload.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/container/static_vector.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Reads all the time, whatever it is writing: two peers that only wrote would wait for each other
/// for good. A frame leaves at once, in one gathered write straight from the sender's buffer; what
/// the socket does not take waits (`models/protocol/send_queue.h` says in which order).
///
/// Encrypted, frames are as they are, and only what the socket carries is not. The first byte that
/// comes tells whether the other end encrypts, too. Where one end does and the other does not,
/// neither does: the one that does understands plain frames, the one that does not drops the
/// other's greeting and says `kInPlain`. That is for a handshake alone (handshake.h), by which both
/// are told what is wrong, then the connection is closed.
///
/// Two processes of one host can share memory (`share_memory`): then payloads go through a ring in
/// each direction (shared_ring.h), as far as there is room, and headers, in the same order, through
/// the socket, which stays what wakes a reader, and tells that a peer is gone. What lies in the
/// ring is as good as sent: nothing overtakes it.
///
/// All calls and callbacks on the thread of the socket's executor.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnFrame = std::function<void(const FrameHeader&, Payload)>;
  /// `why` as a part of a sentence about the peer: "it closed the connection".
  using OnClosed = std::function<void(const std::string& why)>;

  /// Sets TCP_NODELAY. `most_payload`: a peer that announces more is cut off.
  Connection(boost::asio::ip::tcp::socket socket, Bytes most_payload);

  /// Before it starts.
  void encrypt(std::unique_ptr<TlsStream> tls);
  /// Once the ends know each other, before they send anything else: payloads may go through memory
  /// of both, where both have the same address, and neither encrypts. Where the other end does not
  /// say the same, or cannot open it, all goes as before.
  void share_memory();
  /// Begins to read; a second call only says who listens from now on, and may come from within
  /// `on_frame`. `on_closed` is called once, unless `close` is.
  void start(OnFrame on_frame, OnClosed on_closed);
  void send(const FrameHeader& header, Payload payload);
  /// Closes where the other machine answers nothing for `silence` (tuning.h). A process of this one
  /// always answers: its kernel does.
  void give_up_after(Duration silence);
  /// From the next frame on, a payload may be this long.
  void allow(Bytes most_payload) { reader_.allow(most_payload); }
  /// Bytes that have come so far.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  /// Payloads go through memory of both.
  [[nodiscard]] bool shares_memory() const { return ring_out_ && ring_out_->ready(); }
  /// Nothing is waiting to be written.
  [[nodiscard]] bool drained() const {
    return outgoing_.empty() && (!tls_ || tls_->sealed().empty());
  }
  /// One end encrypts, the other does not, so nothing is encrypted.
  [[nodiscard]] bool at_odds() const { return at_odds_; }
  /// Why it was closed is that the ends do not take each other's TLS: trying again is no use.
  [[nodiscard]] bool untrusted() const { return tls_ && !tls_->wrong().empty(); }
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
    Payload payload;       // none where it is in the ring
    bool settled = false;  // it is, or will not be, so nothing goes before this frame

    [[nodiscard]] Bytes size() const { return kHeaderSize + payload.size(); }
  };

  static constexpr std::size_t kParts = 32;  // of a gathered write
  using Parts = boost::container::static_vector<boost::asio::const_buffer, kParts>;

  void read();
  /// Where the next bytes of the socket go.
  [[nodiscard]] std::array<boost::asio::mutable_buffer, 2> room();
  /// A read that had room for `wanted` bytes brought `count`.
  void on_read(boost::system::error_code error, std::size_t count, std::size_t wanted);
  void take(std::size_t count);
  /// Of the memory that one end shares with the other. False: the frame says nothing of that.
  [[nodiscard]] bool hear_of_memory(const FrameHeader& header, const Payload& payload);
  /// Puts payloads of the frames that leave next into the ring.
  void settle_ways();
  /// What no frame may overtake: bytes that are the kernel's, frames whose way is settled.
  [[nodiscard]] Bytes in_order() const;
  /// Of the first bytes, which are not encrypted as this end expects; returns how many of them are
  /// frames.
  [[nodiscard]] std::size_t go_on_in_plain(std::size_t count);
  void open(std::size_t count);
  /// Frames that are complete with `count` more bytes go to who listens. Returns what is wrong.
  const char* hand_on(std::size_t count);
  /// What waits goes to the socket now, as much as it takes, the rest when it takes more.
  void flush();
  [[nodiscard]] bool waits_for_socket() const;
  [[nodiscard]] Parts waiting() const;
  void write(boost::system::error_code& error);
  void write_sealed(boost::system::error_code& error);
  void wrote(std::size_t count);
  void write_later();
  void forget_outgoing();
  void fail(const std::string& why);

  boost::asio::ip::tcp::socket socket_;
  std::string peer_;
  std::unique_ptr<TlsStream> tls_;  // null: nothing is encrypted
  FrameReader reader_;
  std::uint64_t received_ = 0;
  OnFrame on_frame_;
  OnFrame replaced_;  // may be running
  OnClosed on_closed_;
  SendQueue<Outgoing> outgoing_;          // what the socket has not taken yet
  Bytes written_;                         // of the first of them
  std::unique_ptr<RingWriter> ring_out_;  // null: not shared
  std::unique_ptr<RingReader> ring_in_;   // likewise
  bool asked_to_share_ = false;
  bool can_share_ = false;
  bool reading_ = false;
  bool writing_ = false;  // as soon as the socket takes more
  bool at_odds_ = false;
  bool leaving_ = false;
  bool closed_ = false;
};

/// `10.1.2.3:4711`, `[fd00::2]:4711`.
std::string to_text(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace foretrain::exec
