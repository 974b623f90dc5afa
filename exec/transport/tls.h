// Whom an encrypted connection takes for a process of its run.
#pragma once

#include "exec/transport/job_key.h"
#include "models/base/quantity.h"

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace foretrain::exec {

/// Of a user who has certificates: paths of PEM files, all three or none.
struct TlsFiles {
  std::string certificate;  ///< of this process; those between it and the authority come after it
  std::string key;          ///< the certificate's own
  std::string authority;    ///< certificates of those who vouch for the other processes

  [[nodiscard]] bool given() const { return !(certificate + key + authority).empty(); }
};

/// What travels is encrypted, and cannot be changed on its way: TLS 1.3, where both ends show a
/// certificate, and neither goes on without one that it takes. The job key is proved above it
/// (handshake.h), as without.
///
/// Of the job key: an Ed25519 key is derived from it (HKDF), so all processes of a run have the
/// same, in a certificate that each makes in memory. An end takes that one public key, whatever
/// else the certificate says: who has the private key has the job key, or was given it by somebody
/// who has. A name would say no more, and nothing can expire. Any stranger gets to see the public
/// key, against which keys can be tried: no use where the job key was drawn, as all that programs
/// make are, but a reason not to think one up.
///
/// Of files: the authority has to vouch for the other end's certificate, and it has to be valid
/// now. Names are not looked at: the tasks of a job are on hosts that nobody knows before, and jobs
/// of one authority are told apart by their keys.
///
/// For as many connections as one thread has.
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
  /// What went wrong between `ends`, which OpenSSL has just reported: as a part of a sentence about
  /// the other end, and what to do.
  [[nodiscard]] std::string what_is_wrong(const ssl_st* ends) const;

 private:
  Tls();

  ssl_ctx_st* context_;
  Bytes renewal_ = kRenewal;
  TlsFiles files_;
};

}  // namespace foretrain::exec
