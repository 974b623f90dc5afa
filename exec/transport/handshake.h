// The mutual authentication of the two ends of a new connection.
#pragma once

#include "exec/transport/build_name.h"
#include "exec/transport/connection.h"
#include "exec/transport/job_key.h"
#include "exec/transport/tls.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Frame kinds, the first ones of every connection, in order:
///
///     connecting end                   accepting end
///     hello ------------------------->            my id (the frame's `from`), my nonce
///           <------------------------- challenge  my nonce
///     proof ------------------------->            HMAC of both nonces, both ids: I know the key;
///                                                 my build
///           <------------------------- welcome    so do I: its own HMAC of them; my build, too
///           <------------------------- refusal    instead: you do not know the key
///           <------------------------- other_build  instead of welcome, with the same: so do I,
///                                                 but my build is not yours
///           <------------------------- other_tls  likewise; but one of us encrypts, the other not
///     memory ----------------------->            with `share_memory`: memory of mine, or none
///           <------------------------- memory     step 1: I have opened it, the next byte goes
///                                                 through it; step 0: I have not
///
/// All frames are encrypted if both ends encrypt. If only one end does, they are plain, so that
/// both learn the reason, and the connection is refused.
///
/// The accepting end reveals nothing before the other has proved itself. Nonces are fresh, so a
/// recorded proof is useless; proofs contain the ids, so a proof is valid for one pair of nodes
/// only. Rows are sent as their bytes, so only equal builds may communicate.
enum class HandshakeKind : std::uint16_t {
  hello = 90,
  challenge,
  proof,
  welcome,
  refusal,
  other_build,
  other_tls,
  memory
};

/// Maximum payload before the sender is authenticated: a proof and the name of a build.
inline constexpr Bytes kMostBeforeProof{32 + 96};

enum class Refusal {
  left,        ///< it closed the connection before; another attempt may succeed
  key,         ///< it has another key, or none
  silent,      ///< it did not answer in time; another attempt may succeed
  crowded,     ///< too many connections were waiting (pending_handshakes.h); another attempt may
               ///< succeed
  build,       ///< it knows the key, but is another build
  tls,         ///< it knows the key, but only one of the ends encrypts
  certificate  ///< one end rejects the certificate of the other
};

/// Reason for refusing the other end.
struct Refused {
  Refusal refusal;
  std::string why;  ///< a part of a sentence about it: "it does not know the job key"
  /// The id that the connecting end claimed, without proof; nullopt if it claimed none.
  std::optional<std::uint32_t> claimed{};

  /// The other end was slow, or refused this one to make room.
  [[nodiscard]] bool worth_another() const {
    return refusal == Refusal::left || refusal == Refusal::silent;
  }
  /// It is a process of the run, and waiting longer does not help.
  [[nodiscard]] bool proved() const { return refusal == Refusal::build || refusal == Refusal::tls; }
};

/// Credentials that the processes of a run share.
struct Credentials {
  JobKey key;
  std::shared_ptr<const Tls> tls{};  ///< null if nothing is encrypted
};

/// `from`: the id of the connecting end.
using OnProved = std::function<void(const std::shared_ptr<Connection>&, std::uint32_t from)>;
/// The connection is closed, or about to be.
using OnRefused = std::function<void(const Refused&)>;

/// One end's part of a pending handshake.
class HandshakeEnd {
 public:
  virtual ~HandshakeEnd() = default;
  /// Refuses the other end now, if the handshake is not over.
  virtual void refuse(Refusal refusal, const std::string& why) = 0;
};

/// Begins to read. Calls one callback, once, unless the connection is closed before; the owner may
/// then start the connection anew. Afterwards a frame may carry up to `most_payload`.
struct Handshake {
  JobKey key;
  Bytes most_payload;
  Duration limit{20'000'000'000};    ///< time limit of the handshake
  std::string build = build_name();  ///< of this end
  std::shared_ptr<const Tls> tls{};  ///< null if this end does not encrypt
  bool share_memory = false;         ///< used if both ends set it, have the same address and no TLS

  /// For the accepting end; `self` is its id. The returned object ends with the handshake.
  std::weak_ptr<HandshakeEnd> answer(const std::shared_ptr<Connection>& connection,
                                     std::uint32_t self, OnProved on_proved,
                                     OnRefused on_refused) const;
  /// For the connecting end.
  void begin(const std::shared_ptr<Connection>& connection, Ends ends, OnProved on_proved,
             OnRefused on_refused) const;
};

}  // namespace foretrain::exec
