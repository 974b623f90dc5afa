#include "exec/transport/tls_stream.h"

#include "models/base/check.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;

TlsStream::TlsStream(std::shared_ptr<const Tls> tls, End end)
    : tls_(std::move(tls)),
      ssl_(SSL_new(tls_->context())),
      incoming_(std::make_unique_for_overwrite<std::byte[]>(kRead)) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "foretrain");
    FT_CHECK(made != nullptr);
    BIO_meth_set_write(made, write_bio);
    BIO_meth_set_read(made, read_bio);
    BIO_meth_set_ctrl(made, control_bio);
    return made;
  }();
  FT_CHECK(ssl_ != nullptr);
  BIO* bio = BIO_new(method);
  FT_CHECK(bio != nullptr);
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  if (end == End::accepting) {
    SSL_set_accept_state(ssl_);
  } else {
    SSL_set_connect_state(ssl_);
    go_on();
  }
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

std::span<std::byte> TlsStream::room() { return {incoming_.get(), kRead}; }

std::size_t TlsStream::open(std::span<std::byte> into) {
  std::size_t count = 0;
  ERR_clear_error();  // what is in its queue is taken for what went wrong here
  const int result = SSL_read_ex(ssl_, into.data(), into.size(), &count);
  if (result == 1) return count;
  note_trouble(result);
  return 0;
}

void TlsStream::go_on() {
  ERR_clear_error();
  note_trouble(SSL_do_handshake(ssl_));
}

bool TlsStream::agreed() const { return SSL_is_init_finished(ssl_) == 1 && wrong_.empty(); }

// Large parts are encrypted from where they are; small ones share a record, which costs as much as
// a few kilobytes in it.
std::size_t TlsStream::seal(std::span<const asio::const_buffer> parts) {
  if (!agreed()) return 0;
  std::size_t done = 0;
  for (asio::const_buffer part : parts) {
    while (part.size() > 0 && sealed_.size() - sent_ < kAhead) {
      const auto* bytes = static_cast<const std::byte*>(part.data());
      std::size_t count = std::min(part.size(), kRecord - gathered_.size());
      if (gathered_.empty() && part.size() >= kRecord) {
        count = std::min(part.size(), kAhead) / kRecord * kRecord;
        write(bytes, count);
      } else {
        gathered_.insert(gathered_.end(), bytes, bytes + count);
        if (gathered_.size() == kRecord) write(gathered_.data(), gathered_.size());
        if (gathered_.size() == kRecord) gathered_.clear();
      }
      part += count;
      done += count;
    }
  }
  if (!gathered_.empty()) write(gathered_.data(), gathered_.size());
  gathered_.clear();
  renew_key_when_due(done);
  return done;
}

// Everything that is encrypted goes to memory, so OpenSSL never has to wait for room.
void TlsStream::write(const std::byte* bytes, std::size_t count) {
  std::size_t written = 0;
  ERR_clear_error();
  FT_CHECK(SSL_write_ex(ssl_, bytes, count, &written) == 1);
  FT_CHECK_OP(written, ==, count);
}

void TlsStream::renew_key_when_due(std::size_t count) {
  under_key_ += count;
  if (under_key_ < static_cast<std::uint64_t>(tls_->renewal().value)) return;
  under_key_ = 0;
  FT_CHECK(SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
  go_on();  // it is said before the next record
}

void TlsStream::sent(std::size_t count) {
  sent_ += count;
  FT_CHECK_OP(sent_, <=, sealed_.size());
  if (sent_ < sealed_.size()) return;
  sealed_.clear();
  sent_ = 0;
}

void TlsStream::note_trouble(int result) {
  const int error = SSL_get_error(ssl_, result);
  if (error == SSL_ERROR_NONE || error == SSL_ERROR_WANT_READ || !wrong_.empty()) return;
  wrong_ = error == SSL_ERROR_ZERO_RETURN ? "it closed the connection" : tls_->what_is_wrong(ssl_);
}

int TlsStream::write_bio(bio_st* bio, const char* bytes, int count) {
  auto& self = *static_cast<TlsStream*>(BIO_get_data(bio));
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  self.sealed_.insert(self.sealed_.end(), begin, begin + count);
  return count;
}

int TlsStream::read_bio(bio_st* bio, char* into, int most) {
  auto& self = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (self.arrived_.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = std::min(self.arrived_.size(), static_cast<std::size_t>(most));
  std::memcpy(into, self.arrived_.data(), count);
  self.arrived_ = self.arrived_.subspan(count);
  return static_cast<int>(count);
}

long TlsStream::control_bio(bio_st* /*bio*/, int what, long /*number*/, void* /*pointer*/) {
  return what == BIO_CTRL_FLUSH ? 1 : 0;
}

// A record: its kind (22: handshake), a version, its length.
bool is_tls_greeting(std::span<const std::byte> bytes) {
  constexpr std::size_t kHead = 5;
  if (bytes.size() < kHead || bytes[0] != std::byte{22} || bytes[1] != std::byte{3}) return false;
  const auto length =
      std::to_integer<std::size_t>(bytes[3]) * 256 + std::to_integer<std::size_t>(bytes[4]);
  return bytes.size() == kHead + length;
}

}  // namespace foretrain::exec
