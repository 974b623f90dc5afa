// TLS by Asio's own stream, over records that wait for a socket.
#include "exec/transport/byte_stream.h"
#include "exec/transport/frame.h"
#include "exec/transport/tls.h"
#include "models/base/check.h"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
namespace asio = boost::asio;
namespace ssl = asio::ssl;

SSL_CTX* shared(SSL_CTX* context) {
  FT_CHECK(SSL_CTX_up_ref(context) == 1);
  return context;
}

constexpr std::size_t kRecord = 16 * 1024;  // maximum size of a TLS record
constexpr std::size_t kAhead = 64 * 1024;   // encrypted before the socket takes it
constexpr int kRecordsATurn = 32;  // records of 16 KB per turn, then other connections have theirs

// The lower layer of Asio's TLS in place of a socket. Outgoing records wait in `sealed`.
struct Records {
  using executor_type = ByteStream::Executor;
  using lowest_layer_type = Records;

  [[nodiscard]] executor_type get_executor() const { return socket->executor(); }
  lowest_layer_type& lowest_layer() { return *this; }

  // If the first byte begins a frame, the other end does not encrypt.
  std::size_t read_some(const asio::mutable_buffer& into, ByteStream::Error& error) {
    error = asio::error::would_block;
    if (plain || drained || turns == 0) return 0;
    --turns;
    const std::size_t count = socket->read_some({into}, error);
    drained = count < into.size();
    const auto* bytes = static_cast<const std::byte*>(into.data());
    if (!std::exchange(heard, heard || count > 0)) plain = count > 0 && *bytes == kFirstByte;
    if (!plain) return count;
    frames.assign(bytes, bytes + count);
    error = asio::error::would_block;
    return 0;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& records, ByteStream::Error& /*error*/) {
    const asio::const_buffer record = *asio::buffer_sequence_begin(records);  // there is one
    const auto* const bytes = static_cast<const std::byte*>(record.data());
    sealed.insert(sealed.end(), bytes, bytes + record.size());
    return record.size();
  }

  OwnedStream socket;
  std::vector<std::byte> sealed{};
  std::vector<std::byte> frames{};  // received unencrypted
  int turns = 0;                    // remaining reads of the socket in this turn
  bool drained = false;             // the socket has no more before the next wait
  bool heard = false;
  bool plain = false;
};

// The ends do not send close_notify: an attacker who can cut a connection can also end a process.
// Frames have lengths, and each conversation has a last message.
class TlsStream final : public ByteStream {
 public:
  TlsStream(OwnedStream socket, std::shared_ptr<const Tls> tls, End end)
      : tls_(std::move(tls)),
        context_(shared(tls_->context())),
        stream_(Records{std::move(socket)}, context_) {
    SSL_clear_mode(ssl(), SSL_MODE_RELEASE_BUFFERS);  // Asio sets it; it costs time
    if (end == End::accepting) {
      SSL_set_accept_state(ssl());
    } else {
      Error waits;
      stream_.handshake(ssl::stream_base::client, waits);  // encodes the greeting
    }
  }

  std::size_t read_some(const Room& room, Error& error) override {
    error = dead_;
    records().turns = kRecordsATurn;
    Room rest = room;
    while (!error && asio::buffer_size(rest) > 0 && !records().plain) {
      const std::size_t count = stream_.read_some(rest, error);
      consume(rest, count);
      if (count == 0 && !error) error = ssl::error::unexpected_result;
    }
    if (records().plain) return read_plain(room, error);
    const std::size_t done = asio::buffer_size(room) - asio::buffer_size(rest);
    more_ = error != asio::error::would_block || records().turns == 0;
    if (error && error != asio::error::would_block && !dead_) note(error);
    if (dead_) error = dead_;
    if (done > 0) error = {};
    return done;
  }

  std::size_t write_some(const Parts& parts, Error& error) override {
    Records& out = records();
    if (out.plain) return out.socket->write_some(parts, error);
    error = {};
    Parts rest = parts;
    for (int turn = 0; turn < kRecordsATurn / 4 && !error; ++turn) {
      if (out.sealed.empty()) seal(rest);
      if (out.sealed.empty()) break;
      Parts sealed{asio::buffer(out.sealed) + sent_};
      sent_ += out.socket->write_some(sealed, error);
      if (sent_ < out.sealed.size()) continue;
      out.sealed.clear();
      sent_ = 0;
    }
    const std::size_t left = asio::buffer_size(rest);
    const bool more = !out.sealed.empty() || (agreed_ && left > 0);
    if (more && !error) error = asio::error::would_block;
    return asio::buffer_size(parts) - left;
  }

  void async_wait(Wait wait, std::function<void()> done) override {
    if (more_ && wait == Wait::wait_read) return asio::post(executor(), std::move(done));
    if (wait == Wait::wait_read) records().drained = false;
    records().socket->async_wait(wait, std::move(done));
  }
  void close() override { records().socket->close(); }
  [[nodiscard]] Executor executor() override { return stream_.get_executor(); }
  [[nodiscard]] bool encrypts() const override { return !stream_.next_layer().plain; }
  [[nodiscard]] std::string refusal() const override { return refusal_; }

 private:
  [[nodiscard]] Records& records() { return stream_.next_layer(); }
  [[nodiscard]] SSL* ssl() { return stream_.native_handle(); }

  std::size_t read_plain(const Room& room, Error& error) {
    auto& frames = records().frames;
    if (frames.empty()) return records().socket->read_some(room, error);
    error = {};
    const std::size_t count = asio::buffer_copy(room, asio::buffer(frames));
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(count));
    more_ = !frames.empty();
    return count;
  }

  // Encrypts from the beginning of `rest`, and removes it there, once both ends are authenticated.
  void seal(Parts& rest) {
    agreed_ = agreed_ || SSL_is_init_finished(ssl()) == 1;
    if (!agreed_ || dead_) return;
    while (asio::buffer_size(rest) > 0 && records().sealed.size() < kAhead) {
      Error error;
      asio::const_buffer next =
          *std::ranges::find_if(rest, [](auto& part) { return part.size() > 0; });
      if (next.size() < kRecord) {  // small parts share a record
        next = asio::buffer(gathered_, asio::buffer_copy(asio::buffer(gathered_), rest));
      }
      const std::size_t count = stream_.write_some(next, error);
      FT_CHECK(!error);  // memory takes all records
      consume(rest, count);
      under_key_ += static_cast<std::int64_t>(count);
    }
    if (under_key_ < tls_->renewal().value) return;
    under_key_ = 0;
    FT_CHECK(SSL_key_update(ssl(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);  // sent with the next write
  }

  void note(const Error& error) {
    dead_ = error == ssl::error::stream_truncated ? asio::error::eof : error;
    if (error.category() != asio::error::get_ssl_category()) return;
    refusal_ = tls_->what_is_wrong(ssl(), static_cast<unsigned>(error.value()));
  }

  std::shared_ptr<const Tls> tls_;
  ssl::context context_;
  ssl::stream<Records> stream_;
  std::array<std::byte, kRecord> gathered_;
  std::size_t sent_ = 0;  // of the outgoing records
  std::int64_t under_key_ = 0;
  std::string refusal_;
  Error dead_;         // none while the stream works
  bool more_ = false;  // a read returns data although the socket has none
  bool agreed_ = false;
};

}  // namespace

OwnedStream tls_stream(OwnedStream socket, std::shared_ptr<const Tls> tls, End end) {
  return std::make_unique<TlsStream>(std::move(socket), std::move(tls), end);
}

}  // namespace foretrain::exec
