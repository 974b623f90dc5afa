// Whom an encrypted connection takes for a process of its run.
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
  std::string certificate;  ///< of this process; those between it and the authority come after it
  std::string key;          ///< the certificate's own
  std::string authority;    ///< certificates of those who vouch for the other processes

  [[nodiscard]] bool given() const { return !(certificate + key + authority).empty(); }
};

/// Traffic is encrypted, and nobody can change it on its way: TLS 1.3, in which both ends show a
/// certificate, and neither goes on without one that it takes. The job key is proved above it
/// (handshake.h), as without. One object serves all connections of a thread.
///
/// `of_key`: all processes of a run derive the same Ed25519 key from the job key (HKDF), and each
/// wraps it in a certificate in memory. An end takes that one public key, whatever else the
/// certificate says: nothing in it can expire. Any stranger sees the public key, and can try job
/// keys against it, so a job key has to be drawn (as those that programs make are), not thought up.
///
/// `of_files`: the authority has to vouch for the other end's certificate, which has to be valid
/// now. Names are not compared: nobody knows the hosts of a job before, and jobs of one authority
/// are told apart by their keys.
class Tls {
 public:
  /// A key encrypts so much in one direction, then the next takes its place. AES-GCM bears 360 GB
  /// (RFC 8446, 5.5), which a long training sends.
  static constexpr Bytes kRenewal{64'000'000'000};

  static std::shared_ptr<const Tls> of_key(const JobKey& key, Bytes renewal = kRenewal);
  /// @throws InputError that names the file (it is not there, is no PEM, fits no other; this
  /// process's own certificate would not be taken by one that has the same authority)
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

/// Encrypts what goes through `socket`, by Asio's own stream, and takes nothing before the ends
/// know each other. If the first byte that comes is of a frame, the other end does not encrypt, and
/// this one stops encrypting: the handshake then tells both ends, and closes the connection.
std::unique_ptr<ByteStream> tls_stream(std::unique_ptr<ByteStream> socket,
                                       std::shared_ptr<const Tls> tls, End end);

}  // namespace foretrain::exec
