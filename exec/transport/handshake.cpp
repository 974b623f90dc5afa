#include "exec/transport/handshake.h"

#include "exec/transport/shared_ring.h"
#include "scenarios/language/units.h"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

constexpr const char* kOtherKey = "it does not know the job key";
// On a busy machine of two cores messages of 12 MB waited for a ring of 1 MB, but not for 4 MB.
constexpr Bytes kRing{4 << 20};

// One end's part. The connection's callbacks hold it, so the connection outlives it.
class Part : public HandshakeEnd, public std::enable_shared_from_this<Part> {
 public:
  Part(const Handshake& handshake, Connection& connection, End end, Ends ends, OnProved on_proved,
       OnRefused on_refused)
      : handshake_(handshake),
        connection_(connection),
        end_(end),
        ends_(ends),
        on_proved_(std::move(on_proved)),
        on_refused_(std::move(on_refused)),
        timer_(connection.stream().executor()) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void start() {
    if (handshake_.tls) {
      connection_.wrap([this](OwnedStream socket) {
        return tls_stream(std::move(socket), handshake_.tls, end_);
      });
    }
    const auto self = shared_from_this();
    connection_.start(
        [self](const FrameHeader& header, const Payload& payload) {
          if (!self->over_) self->on_frame(header, payload.bytes());
        },
        [self](const std::string& why) {
          const bool tls = !self->connection_.stream().refusal().empty();
          self->refuse(tls ? Refusal::certificate : Refusal::left, why);
        });
    timer_.expires_after(std::chrono::nanoseconds(handshake_.limit.ns));
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto part = weak.lock();
      if (error || !part) return;
      part->refuse(Refusal::silent, fmt::format("it did not {} within {}", part->awaited(),
                                                to_text(part->handshake_.limit)));
    });
    if (end_ == End::accepting) return;
    connecting_ = draw_nonce();
    send(HandshakeKind::hello, connecting_);
  }

  void refuse(Refusal refusal, const std::string& why) override {
    if (std::exchange(over_, true)) return;
    timer_.cancel();
    const auto connection = connection_.shared_from_this();  // keeps it alive in here
    const OnRefused on_refused = std::move(on_refused_);
    on_proved_ = nullptr;
    connection_.close_when_drained();
    const bool named = end_ == End::accepting && stage_ != Stage::greeting;
    on_refused({refusal, why, named ? std::optional(ends_.connecting) : std::nullopt});
  }

 private:
  // The message that this end waits for: a greeting, a proof, an answer about memory.
  enum class Stage { greeting, proof, memory };

  // Names the next message of the other end.
  [[nodiscard]] const char* awaited() const {
    if (end_ == End::connecting) return "answer";
    return stage_ == Stage::greeting ? "say who it is" : "prove the job key";
  }

  void on_frame(const FrameHeader& header, std::span<const std::byte> bytes) {
    const auto kind = static_cast<HandshakeKind>(header.kind);
    const bool accepts = end_ == End::accepting;
    if (header.kind == kTlsGreeting) {
      greeted_ = true;
      return connection_.send({.kind = kInPlain}, {});
    }
    if (!accepts && header.kind == kInPlain && at_odds()) return;
    if (stage_ == Stage::greeting && accepts && kind == HandshakeKind::hello &&
        read(bytes, connecting_)) {
      ends_.connecting = header.from;
      accepting_ = draw_nonce();
      stage_ = Stage::proof;
      return send(HandshakeKind::challenge, accepting_);
    }
    if (stage_ == Stage::greeting && !accepts && kind == HandshakeKind::challenge &&
        read(bytes, accepting_)) {
      stage_ = Stage::proof;
      return send_proof(HandshakeKind::proof);
    }
    const End other = accepts ? End::connecting : End::accepting;
    if (const auto build = stage_ == Stage::proof ? proved_build(other, bytes) : std::nullopt) {
      if (accepts && kind == HandshakeKind::proof) return welcome(*build);
      if (kind == HandshakeKind::welcome) return go_on();
      if (kind == HandshakeKind::other_tls) return refuse_tls();
      if (kind == HandshakeKind::other_build) return refuse_build(*build);
    }
    if (stage_ == Stage::memory && kind == HandshakeKind::memory) {
      return accepts ? open_offered(bytes) : share(header.step == 1 ? memory_ : nullptr);
    }
    if (accepts) send(HandshakeKind::refusal, {});
    refuse(Refusal::key, kind == HandshakeKind::refusal ? "it knows another job key" : kOtherKey);
  }

  void send(HandshakeKind kind, std::span<const std::byte> bytes, std::int64_t step = 0) {
    Payload payload = Payload::allocate({static_cast<std::int64_t>(bytes.size())});
    std::ranges::copy(bytes, payload.writable_bytes().begin());
    connection_.send({.kind = static_cast<std::uint16_t>(kind),
                      .from = end_ == End::accepting ? ends_.accepting : ends_.connecting,
                      .step = step,
                      .payload_bytes = bytes.size()},
                     std::move(payload));
  }

  // Sends the proof that this end knows the key, followed by its build.
  void send_proof(HandshakeKind kind) {
    const Proof proof = handshake_.key.prove(end_, ends_, connecting_, accepting_);
    std::vector<std::byte> bytes(proof.begin(), proof.end());
    const auto build = std::as_bytes(std::span(handshake_.build));
    bytes.insert(bytes.end(), build.begin(), build.end());
    send(kind, bytes);
  }

  // The build that came with the proof; nullopt if it is no proof of `end`.
  [[nodiscard]] std::optional<std::string> proved_build(End end,
                                                        std::span<const std::byte> bytes) const {
    const Proof expected = handshake_.key.prove(end, ends_, connecting_, accepting_);
    if (bytes.size() < expected.size() || !JobKey::equal(expected, bytes.first(expected.size()))) {
      return {};
    }
    const auto build = bytes.subspan(expected.size());
    return std::string(reinterpret_cast<const char*>(build.data()), build.size());
  }

  static bool read(std::span<const std::byte> bytes, Nonce& nonce) {
    if (bytes.size() != nonce.size()) return false;
    std::ranges::copy(bytes, nonce.begin());
    return true;
  }

  // One end encrypts, the other does not, so nothing is encrypted.
  [[nodiscard]] bool at_odds() const {
    return greeted_ || (handshake_.tls != nullptr) != connection_.stream().encrypts();
  }
  void refuse_tls() {
    refuse(Refusal::tls, fmt::format("{}; give --tls to every task, or to none",
                                     handshake_.tls ? "it does not encrypt, this end does"
                                                    : "it encrypts, this end does not"));
  }
  void refuse_build(const std::string& theirs) {
    refuse(Refusal::build, other_build(theirs, handshake_.build));
  }

  void welcome(const std::string& build) {
    const bool same = build == handshake_.build;
    send_proof(at_odds() ? HandshakeKind::other_tls
               : same    ? HandshakeKind::welcome
                         : HandshakeKind::other_build);
    if (at_odds() || same) return go_on();
    refuse_build(build);
  }

  // Both ends have proved the key.
  void go_on() {
    if (at_odds()) return refuse_tls();
    if (!handshake_.share_memory) return succeed();
    stage_ = Stage::memory;
    if (end_ == End::accepting) return;
    MemoryOffer offer;
    if (may_share()) memory_ = make_memory(kRing, offer);
    send(HandshakeKind::memory, std::as_bytes(std::span(&offer, 1)));
  }
  [[nodiscard]] bool may_share() const { return connection_.within_host() && !handshake_.tls; }

  void open_offered(std::span<const std::byte> bytes) {
    MemoryOffer offer;
    if (bytes.size() == sizeof offer) std::memcpy(&offer, bytes.data(), sizeof offer);
    memory_ = may_share() ? open_memory(offer) : nullptr;
    send(HandshakeKind::memory, {}, memory_ ? 1 : 0);
    share(memory_);
  }
  void share(const std::shared_ptr<SharedMemory>& memory) {
    if (memory) {
      connection_.wrap(
          [&](OwnedStream socket) { return memory_stream(std::move(socket), memory); });
    }
    succeed();
  }

  void succeed() {
    over_ = true;
    timer_.cancel();
    connection_.allow(handshake_.most_payload);
    const OnProved on_proved = std::move(on_proved_);
    on_refused_ = nullptr;
    on_proved(connection_.shared_from_this(), ends_.connecting);
  }

  Handshake handshake_;
  Connection& connection_;
  End end_;
  Ends ends_;
  OnProved on_proved_;
  OnRefused on_refused_;
  boost::asio::steady_timer timer_;
  Nonce connecting_{};
  Nonce accepting_{};
  Stage stage_ = Stage::greeting;
  std::shared_ptr<SharedMemory> memory_;
  bool greeted_ = false;  // by an encrypting end
  bool over_ = false;
};

}  // namespace

std::weak_ptr<HandshakeEnd> Handshake::answer(const std::shared_ptr<Connection>& connection,
                                              std::uint32_t self, OnProved on_proved,
                                              OnRefused on_refused) const {
  const auto part = std::make_shared<Part>(*this, *connection, End::accepting, Ends{0, self},
                                           std::move(on_proved), std::move(on_refused));
  part->start();
  return part;
}

void Handshake::begin(const std::shared_ptr<Connection>& connection, Ends ends, OnProved on_proved,
                      OnRefused on_refused) const {
  std::make_shared<Part>(*this, *connection, End::connecting, ends, std::move(on_proved),
                         std::move(on_refused))
      ->start();
}

}  // namespace foretrain::exec
