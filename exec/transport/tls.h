// Authentication of an encrypted connection's ends.
#pragma once

#include "exec/transport/job_key.h"
#include "models/base/quantity.h"

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace foretrain::exec {

class ByteStream;

/// A user's certificates: paths of PEM files, all three or none.
struct TlsFiles {
  std::string certificate;  ///< of this process, followed by intermediate ones up to the authority
  std::string key;          ///< private key of the certificate
  std::string authority;    ///< certificates of the authorities that sign the other processes' ones

  [[nodiscard]] bool given() const { return !(certificate + key + authority).empty(); }
};

/// Traffic is encrypted and protected against changes: TLS 1.3 with certificates of both ends, each
/// of which the other must accept. The job key is proved above it (handshake.h), as without TLS.
/// One object serves all connections of a thread.
///
/// `of_key`: all processes of a run derive the same Ed25519 key from the job key (HKDF), and each
/// wraps it in a certificate in memory. An end accepts only that public key, whatever else the
/// certificate says: nothing in it can expire. A stranger sees the public key, and can try job keys
/// against it, so a job key has to be random (like those that programs create), not invented.
///
/// `of_files`: the authority must have signed the other end's certificate, which must be valid now.
/// Names are not compared, since a job's hosts are not known before; jobs of one authority are
/// distinguished by their keys.
class Tls {
 public:
  /// After this many bytes in one direction a key is replaced. AES-GCM allows 360 GB per key (RFC
  /// 8446, 5.5), which a long training exceeds.
  static constexpr Bytes kRenewal{64'000'000'000};

  static std::shared_ptr<const Tls> of_key(const JobKey& key, Bytes renewal = kRenewal);
  /// @throws InputError that names the file (it is missing, is no PEM, does not fit another; other
  /// processes with the same authority would reject this process's certificate)
  static std::shared_ptr<const Tls> of_files(const TlsFiles& files);

  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
  ~Tls();

  [[nodiscard]] ssl_ctx_st* context() const { return context_; }
  [[nodiscard]] Bytes renewal() const { return renewal_; }
  /// Explains OpenSSL's `error` between `ends`: a part of a sentence about the other end, with
  /// advice.
  [[nodiscard]] std::string what_is_wrong(const ssl_st* ends, unsigned long error) const;

 private:
  Tls();

  ssl_ctx_st* context_;
  Bytes renewal_ = kRenewal;
  TlsFiles files_;
};

/// Encrypts the traffic of `socket` with Asio's own stream, and takes nothing before the ends have
/// authenticated each other. If the first received byte begins a frame, the other end does not
/// encrypt, and this one stops encrypting: the handshake then informs both ends, and closes the
/// connection.
std::unique_ptr<ByteStream> tls_stream(std::unique_ptr<ByteStream> socket,
                                       std::shared_ptr<const Tls> tls, End end);

}  // namespace foretrain::exec
