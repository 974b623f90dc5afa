#include "exec/transport/tls.h"

#include "exec/transport/byte_stream.h"
#include "exec/transport/frame.h"
#include "models/base/check.h"
#include "scenarios/file_check.h"
#include "scenarios/input_error.h"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
namespace asio = boost::asio;
namespace ssl = asio::ssl;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* freed) const {
    Free(freed);
  }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Verification = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;

// The first words tell this key from any other that is made from the same secret.
constexpr std::string_view kDerived = "foretrain job key 1, TLS certificate";

constexpr const char* kFilesOfAll =
    "give --tls-certificate, --tls-key, --tls-authority to every task, of one authority, or to "
    "none";

constexpr const char* kKeyOfAll =
    "give the same key to every task, and certificates in files to all or to none";

const unsigned char* letters(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

PrivateKey derive(const JobKey& key) {
  std::array<unsigned char, 32> bytes{};
  std::size_t size = bytes.size();
  const KeyContext hkdf(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nullptr));
  FT_CHECK(hkdf != nullptr);
  EVP_PKEY_CTX* context = hkdf.get();
  FT_CHECK(EVP_PKEY_derive_init(context) > 0);
  FT_CHECK(EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) > 0);
  const auto length = [](std::string_view text) { return static_cast<int>(text.size()); };
  FT_CHECK(EVP_PKEY_CTX_set1_hkdf_key(context, letters(key.secret()), length(key.secret())) > 0);
  FT_CHECK(EVP_PKEY_CTX_add1_hkdf_info(context, letters(kDerived), length(kDerived)) > 0);
  FT_CHECK(EVP_PKEY_derive(context, bytes.data(), &size) > 0);
  FT_CHECK_OP(size, ==, bytes.size());
  PrivateKey derived(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes.data(), size));
  FT_CHECK(derived != nullptr);
  return derived;
}

// TLS wants a certificate around a public key; nobody reads what else is in it.
Certificate wrap_key(EVP_PKEY* key) {
  constexpr long kDay = 24 * 60 * 60;
  Certificate made(X509_new());
  FT_CHECK(made != nullptr);
  X509* certificate = made.get();
  X509_set_version(certificate, 2);  // counted from 0
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * kDay);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, letters("foretrain"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  FT_CHECK(X509_set_pubkey(certificate, key) == 1);
  FT_CHECK(X509_sign(certificate, key, nullptr) > 0);
  return made;
}

// OpenSSL calls it in place of its own way to verify a chain.
int is_own_key(X509_STORE_CTX* shown, void* /*nothing*/) {
  const int index = SSL_get_ex_data_X509_STORE_CTX_idx();
  const auto* ends = static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(shown, index));
  X509* certificate = X509_STORE_CTX_get0_cert(shown);
  EVP_PKEY* theirs = certificate != nullptr ? X509_get0_pubkey(certificate) : nullptr;
  if (theirs != nullptr && EVP_PKEY_eq(theirs, SSL_get_privatekey(ends)) == 1) return 1;
  X509_STORE_CTX_set_error(shown, X509_V_ERR_CERT_REJECTED);
  return 0;
}

// Nobody is there to be asked.
int no_passphrase(char* /*text*/, int /*size*/, int /*writing*/, void* /*nothing*/) { return 0; }

[[noreturn]] void fail_at_file(const char* option, const std::string& path,
                               const std::string& what) {
  throw InputError(fmt::format("{} {}: {}", option, path, what));
}

void require_readable(const char* option, const std::string& path) {
  if (path.empty()) {
    throw InputError(std::string(option) +
                     " is missing: all of --tls-certificate, --tls-key, "
                     "--tls-authority are needed, or none");
  }
  check_is_file(path);
  if (!std::ifstream(path).good()) fail_at_file(option, path, "cannot be read");
}

const char* reason_of(unsigned long error) {
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "OpenSSL does not say why";
}

// What others would find, before any of them has.
void check_own(SSL_CTX* context, const TlsFiles& files) {
  const Verification check(X509_STORE_CTX_new());
  STACK_OF(X509)* between = nullptr;
  SSL_CTX_get0_chain_certs(context, &between);
  FT_CHECK(X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                               SSL_CTX_get0_certificate(context), between) == 1);
  X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_ANY);
  if (X509_verify_cert(check.get()) == 1) return;
  fail_at_file("--tls-certificate", files.certificate,
               fmt::format("no task would take it: {} (authority: {})",
                           X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get())),
                           files.authority));
}

bool is_about_certificates(int alert) {
  return (alert >= SSL_AD_BAD_CERTIFICATE && alert <= SSL_AD_CERTIFICATE_UNKNOWN) ||
         alert == SSL_AD_UNKNOWN_CA || alert == SSL_AD_DECRYPT_ERROR ||
         alert == SSL_AD_ACCESS_DENIED || alert == SSL_AD_CERTIFICATE_REQUIRED;
}

}  // namespace

Tls::Tls() : context_(SSL_CTX_new(TLS_method())) {
  FT_CHECK(context_ != nullptr);
  FT_CHECK(SSL_CTX_set_min_proto_version(context_, TLS1_3_VERSION) == 1);
  FT_CHECK(SSL_CTX_set_max_proto_version(context_, TLS1_3_VERSION) == 1);
  // The shorter key first: it is as safe, and a tenth faster.
  FT_CHECK(SSL_CTX_set_ciphersuites(context_,
                                    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                                    "TLS_CHACHA20_POLY1305_SHA256") == 1);
  // A greeting of one segment.
  FT_CHECK(SSL_CTX_set1_groups_list(context_, "X25519:P-256") == 1);
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context_, 0);
}

Tls::~Tls() { SSL_CTX_free(context_); }

std::shared_ptr<const Tls> Tls::of_key(const JobKey& key, Bytes renewal) {
  FT_CHECK(!key.empty());
  std::shared_ptr<Tls> made(new Tls);
  made->renewal_ = renewal;
  const PrivateKey derived = derive(key);
  const Certificate certificate = wrap_key(derived.get());
  FT_CHECK(SSL_CTX_use_certificate(made->context_, certificate.get()) == 1);
  FT_CHECK(SSL_CTX_use_PrivateKey(made->context_, derived.get()) == 1);
  SSL_CTX_set_cert_verify_callback(made->context_, is_own_key, nullptr);
  return made;
}

std::shared_ptr<const Tls> Tls::of_files(const TlsFiles& files) {
  require_readable("--tls-certificate", files.certificate);
  require_readable("--tls-key", files.key);
  require_readable("--tls-authority", files.authority);
  std::shared_ptr<Tls> made(new Tls);
  made->files_ = files;
  SSL_CTX* context = made->context_;
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    fail_at_file("--tls-certificate", files.certificate,
                 fmt::format("is no certificate in PEM ({})", reason_of(ERR_peek_last_error())));
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool other = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
                       ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH;
    fail_at_file("--tls-key", files.key,
                 other ? "is not the key of " + files.certificate
                       : fmt::format("is no key in PEM without a passphrase ({})",
                                     reason_of(ERR_peek_last_error())));
  }
  if (SSL_CTX_load_verify_locations(context, files.authority.c_str(), nullptr) != 1) {
    fail_at_file("--tls-authority", files.authority,
                 fmt::format("has no certificate in PEM ({})", reason_of(ERR_peek_last_error())));
  }
  // Each task is at both ends of connections, whatever its certificate was made for.
  X509_VERIFY_PARAM_set_purpose(SSL_CTX_get0_param(context), X509_PURPOSE_ANY);
  check_own(context, files);
  return made;
}

std::string Tls::what_is_wrong(const ssl_st* ends, unsigned long error) const {
  const int reason = ERR_GET_REASON(error);
  const long verified = SSL_get_verify_result(ends);
  if (verified != X509_V_OK && !files_.given()) {
    return fmt::format("its certificate is not of this job key; {}", kKeyOfAll);
  }
  if (verified != X509_V_OK) {
    return fmt::format("its certificate is not taken: {} (authority: {}); {}",
                       X509_verify_cert_error_string(verified), files_.authority, kFilesOfAll);
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) return "it has shown no certificate";
  const int alert = reason - SSL_AD_REASON_OFFSET;
  if (alert >= 0 && is_about_certificates(alert)) {
    return fmt::format("it does not take this end's certificate ({}); {}",
                       SSL_alert_desc_string_long(alert), files_.given() ? kFilesOfAll : kKeyOfAll);
  }
  if (alert >= 0) return fmt::format("it ended TLS ({})", SSL_alert_desc_string_long(alert));
  if (reason == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC) {
    return "what it sent was changed on its way (TLS)";
  }
  return fmt::format("it does not speak TLS 1.3 ({})", reason_of(error));
}

// The stream --------------------------------------------------------------------------------------

namespace {

SSL_CTX* shared(SSL_CTX* context) {
  FT_CHECK(SSL_CTX_up_ref(context) == 1);
  return context;
}

constexpr std::size_t kRecord = 16 * 1024;  // the most that TLS encrypts at once
constexpr std::size_t kAhead = 64 * 1024;   // encrypted before the socket takes it
constexpr int kRecordsATurn = 32;           // of 16 KB, then other connections have theirs

// What Asio's TLS has for a socket. Records that are to leave wait in `sealed`.
struct Records {
  using executor_type = ByteStream::Executor;
  using lowest_layer_type = Records;

  [[nodiscard]] executor_type get_executor() const { return socket->executor(); }
  lowest_layer_type& lowest_layer() { return *this; }

  // If the first byte is of a frame, the other end does not encrypt.
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
  std::vector<std::byte> frames{};  // what came in plain words
  int turns = 0;                    // reads of the socket that are left
  bool drained = false;             // the socket has no more before the next wait
  bool heard = false;
  bool plain = false;
};

// The ends say no farewell (close_notify): whoever can cut a connection off can end a process, too.
// Frames have lengths, and each conversation has a last word.
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

  // Encrypts from the beginning of `rest`, and removes it there, once each end knows the other.
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
    FT_CHECK(SSL_key_update(ssl(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);  // by the next write
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
  std::size_t sent_ = 0;  // of the records that are to leave
  std::int64_t under_key_ = 0;
  std::string refusal_;
  Error dead_;         // none: it is not
  bool more_ = false;  // a read brings something though the socket has nothing
  bool agreed_ = false;
};

}  // namespace

OwnedStream tls_stream(OwnedStream socket, std::shared_ptr<const Tls> tls, End end) {
  return std::make_unique<TlsStream>(std::move(socket), std::move(tls), end);
}

}  // namespace foretrain::exec
