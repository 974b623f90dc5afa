#include "tests/support/certificates.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace foretrain::testing {
namespace {

constexpr long kDaySeconds = 24 * 60 * 60;

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Signed = std::unique_ptr<X509, void (*)(X509*)>;

void demand(bool done) {
  if (!done) throw std::runtime_error("OpenSSL made no certificate");
}

// Creates a certificate signed by `issuer`, self-signed if that is null.
Signed sign(const std::string& name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, int days) {
  Signed made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), issuer != nullptr ? 2 : 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -10 * kDaySeconds);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), days * kDaySeconds);
  X509_NAME* subject = X509_get_subject_name(made.get());
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0);
  X509_set_issuer_name(made.get(), issuer != nullptr ? X509_get_subject_name(issuer) : subject);
  X509_set_pubkey(made.get(), key);
  if (issuer == nullptr) {
    X509_EXTENSION* authority =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
    X509_add_ext(made.get(), authority, -1);
    X509_EXTENSION_free(authority);
  }
  demand(X509_sign(made.get(), issuer != nullptr ? issuer_key : key, EVP_sha256()) > 0);
  return made;
}

template <class Write>
void write_pem(const std::string& path, Write write) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path.c_str(), "w"), fclose);
  demand(file != nullptr && write(file.get()) == 1);
}

}  // namespace

struct Authority::Held {
  Key key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  Signed certificate{nullptr, X509_free};
};

Authority::Authority(std::string path) : path_(std::move(path)), held_(std::make_unique<Held>()) {
  held_->certificate = sign("authority " + path_.substr(path_.rfind('/') + 1), held_->key.get(),
                            nullptr, nullptr, 100);
  write_pem(path_, [&](FILE* file) { return PEM_write_X509(file, held_->certificate.get()); });
}

Authority::~Authority() = default;

exec::TlsFiles Authority::issue(const std::string& path, int days) const {
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Signed made = sign("a node", key.get(), held_->certificate.get(), held_->key.get(), days);
  write_pem(path + ".pem", [&](FILE* file) { return PEM_write_X509(file, made.get()); });
  write_pem(path + ".key", [&](FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return {path + ".pem", path + ".key", path_};
}

}  // namespace foretrain::testing
