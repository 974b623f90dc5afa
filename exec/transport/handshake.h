// How the two ends of a new connection prove to each other that they belong to the same run.
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
/// All of it is encrypted if both ends encrypt. If one end alone does, it is in plain words, to
/// tell both what is wrong, and nobody is let in.
///
/// The accepting end gives away nothing before the other has proved itself. Nonces are fresh, so an
/// overheard proof is of no use; ids are in the proof, so no node's proof is another's. Rows travel
/// as their bytes, so only equal builds may talk to each other.
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

/// What a frame may carry before its sender is known: a proof, the name of a build.
inline constexpr Bytes kMostBeforeProof{32 + 96};

enum class Refusal {
  left,        ///< it was gone before it came to that; another attempt may do
  key,         ///< it knows another key, or none
  silent,      ///< it did not go on in time; another attempt may do
  crowded,     ///< too many waited with it (lobby.h); another attempt may do
  build,       ///< it knows the key, but is another build
  tls,         ///< it knows the key, but encrypts, and this end does not, or the other way round
  certificate  ///< one end does not take the certificate of the other
};

/// Why the other end is not let in.
struct Refused {
  Refusal refusal;
  std::string why;  ///< as a part of a sentence about it: "it does not know the job key"
  /// The id that the connecting end claimed, as anybody can; a stranger claims none.
  std::optional<std::uint32_t> claimed{};

  /// The other end was slow, or turned this one away to make room.
  [[nodiscard]] bool worth_another() const {
    return refusal == Refusal::left || refusal == Refusal::silent;
  }
  /// It is a process of the run, and will be no other, however long somebody waits.
  [[nodiscard]] bool proved() const { return refusal == Refusal::build || refusal == Refusal::tls; }
};

/// By what the processes of a run know each other.
struct Credentials {
  JobKey key;
  std::shared_ptr<const Tls> tls{};  ///< null: nothing is encrypted
};

/// `from`: the id of the end that connects.
using OnProved = std::function<void(const std::shared_ptr<Connection>&, std::uint32_t from)>;
/// The connection is closed, or about to be.
using OnRefused = std::function<void(const Refused&)>;

/// One end's part of a handshake that is under way.
class HandshakeEnd {
 public:
  virtual ~HandshakeEnd() = default;
  /// The other end is refused now, where that is still open.
  virtual void refuse(Refusal refusal, const std::string& why) = 0;
};

/// Begins to read. One callback is called, once, unless the connection is closed before; its owner
/// may then start the connection anew. Afterwards a frame may carry up to `most_payload`.
struct Handshake {
  JobKey key;
  Bytes most_payload;
  Duration limit{20'000'000'000};    ///< of all of it
  std::string build = build_name();  ///< of this end
  std::shared_ptr<const Tls> tls{};  ///< null: this end does not encrypt
  bool share_memory = false;         ///< at both ends, if they have one address and no TLS

  /// As the end that accepted; `self` is this end's id. What is returned ends with the handshake.
  std::weak_ptr<HandshakeEnd> answer(const std::shared_ptr<Connection>& connection,
                                     std::uint32_t self, OnProved on_proved,
                                     OnRefused on_refused) const;
  /// As the end that connected.
  void begin(const std::shared_ptr<Connection>& connection, Ends ends, OnProved on_proved,
             OnRefused on_refused) const;
};

}  // namespace foretrain::exec
