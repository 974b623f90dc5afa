// One end of an encrypted conversation.
#pragma once

#include "exec/transport/job_key.h"
#include "exec/transport/tls.h"

#include <boost/asio/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct bio_st;

namespace foretrain::exec {

/// Bytes of a socket on one side, bytes of frames on the other; it knows no socket itself, and may
/// be given any portions. The ends come to know each other while they read: until both do, nothing
/// can be sealed.
///
/// It says no farewell (close_notify): whoever cuts a connection off can as well pretend that its
/// end has died. Frames have lengths, so one that is cut is noticed; each conversation has a last
/// word (`exit`), so without it the peer is lost, as it is without encryption.
///
/// One thread.
class TlsStream {
 public:
  /// Of an end that connects the greeting is sealed at once.
  TlsStream(std::shared_ptr<const Tls> tls, End end);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  ~TlsStream();

  /// Where bytes of the socket go.
  [[nodiscard]] std::span<std::byte> room();
  /// So many of them have come.
  void take(std::size_t count) { arrived_ = {incoming_.get(), count}; }
  /// Writes what the other end has said to `into`; returns how many bytes. 0: more has to come,
  /// or something is wrong, of which the other end is to be told by what is sealed now.
  std::size_t open(std::span<std::byte> into);
  /// As a part of a sentence about the other end; empty: nothing is.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  /// Each end knows the other, so there may be frames.
  [[nodiscard]] bool agreed() const;
  /// Seals from the beginning of all `parts`, as much as is sensible ahead of the socket; returns
  /// how many bytes.
  std::size_t seal(std::span<const boost::asio::const_buffer> parts);
  /// What is for the socket.
  [[nodiscard]] std::span<const std::byte> sealed() const {
    return std::span(sealed_).subspan(sent_);
  }
  /// It took so many bytes of that.
  void sent(std::size_t count);

 private:
  static int write_bio(bio_st* bio, const char* bytes, int count);
  static int read_bio(bio_st* bio, char* into, int most);
  static long control_bio(bio_st* bio, int what, long number, void* pointer);
  void write(const std::byte* bytes, std::size_t count);
  void go_on();
  void renew_key_when_due(std::size_t count);
  void note_trouble(int result);

  static constexpr std::size_t kRead = 64 * 1024;
  static constexpr std::size_t kAhead = 64 * 1024;
  static constexpr std::size_t kRecord = 16 * 1024;  // the most that TLS encrypts at once

  std::shared_ptr<const Tls> tls_;
  ssl_st* ssl_;
  std::unique_ptr<std::byte[]> incoming_;
  std::span<const std::byte> arrived_;  // of them, not looked at yet
  std::vector<std::byte> sealed_;
  std::size_t sent_ = 0;             // of them
  std::vector<std::byte> gathered_;  // small parts that share a record
  std::uint64_t under_key_ = 0;      // bytes
  std::string wrong_;
};

/// Exactly the first words of an end that connects by TLS.
bool is_tls_greeting(std::span<const std::byte> bytes);

}  // namespace foretrain::exec
