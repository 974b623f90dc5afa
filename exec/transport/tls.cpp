#include "exec/transport/tls.h"

#include "models/base/check.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

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

namespace foretrain::exec {
namespace {
namespace asio = boost::asio;

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

// Prefix that distinguishes this key from any other derived from the same secret.
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

// TLS requires a certificate around a public key; its other fields are not read.
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

// Called by OpenSSL instead of its own verification of a chain.
int is_own_key(X509_STORE_CTX* shown, void* /*nothing*/) {
  const int index = SSL_get_ex_data_X509_STORE_CTX_idx();
  const auto* ends = static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(shown, index));
  X509* certificate = X509_STORE_CTX_get0_cert(shown);
  EVP_PKEY* theirs = certificate != nullptr ? X509_get0_pubkey(certificate) : nullptr;
  if (theirs != nullptr && EVP_PKEY_eq(theirs, SSL_get_privatekey(ends)) == 1) return 1;
  X509_STORE_CTX_set_error(shown, X509_V_ERR_CERT_REJECTED);
  return 0;
}

// There is no user to ask.
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
  return reason != nullptr ? reason : "OpenSSL gives no reason";
}

// Checks this process's certificate as the other processes would.
void check_own(SSL_CTX* context, const TlsFiles& files) {
  const Verification check(X509_STORE_CTX_new());
  STACK_OF(X509)* between = nullptr;
  SSL_CTX_get0_chain_certs(context, &between);
  FT_CHECK(X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                               SSL_CTX_get0_certificate(context), between) == 1);
  X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_ANY);
  if (X509_verify_cert(check.get()) == 1) return;
  fail_at_file("--tls-certificate", files.certificate,
               fmt::format("other tasks would not accept it: {} (authority: {})",
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
  // Small enough for a greeting of one segment.
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
  // Each task is at both ends of connections, whatever the purpose of its certificate.
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
    return fmt::format("its certificate is not accepted: {} (authority: {}); {}",
                       X509_verify_cert_error_string(verified), files_.authority, kFilesOfAll);
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) return "it presented no certificate";
  const int alert = reason - SSL_AD_REASON_OFFSET;
  if (alert >= 0 && is_about_certificates(alert)) {
    return fmt::format("it does not accept this end's certificate ({}); {}",
                       SSL_alert_desc_string_long(alert), files_.given() ? kFilesOfAll : kKeyOfAll);
  }
  if (alert >= 0)
    return fmt::format("it ended the TLS connection ({})", SSL_alert_desc_string_long(alert));
  if (reason == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC) {
    return "its data was changed on the way (TLS)";
  }
  return fmt::format("it does not speak TLS 1.3 ({})", reason_of(error));
}

}  // namespace foretrain::exec
