#include "exec/transport/handshake.h"

#include "scenarios/units.h"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

constexpr const char* kOtherKey = "it does not know the job key";

// One end's part; both ends' parts differ in what they wait for. Held by the callbacks of its
// connection, which therefore outlives it.
class Part : public HandshakeEnd, public std::enable_shared_from_this<Part> {
 public:
  Part(const Handshake& handshake, Connection& connection, OnProved on_proved, OnRefused on_refused)
      : handshake_(handshake),
        connection_(connection),
        on_proved_(std::move(on_proved)),
        on_refused_(std::move(on_refused)),
        timer_(connection.executor()) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void start() {
    const auto self = shared_from_this();
    connection_.start(
        [self](const FrameHeader& header, const Payload& payload) {
          if (!self->over_) self->on_frame(header, payload.bytes());
        },
        [self](const std::string& why) {
          self->refuse(self->connection_.untrusted() ? Refusal::certificate : Refusal::left, why);
        });
    timer_.expires_after(std::chrono::nanoseconds(handshake_.limit.ns));
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto part = weak.lock();
      if (error || !part) return;
      part->refuse(Refusal::silent, fmt::format("it did not {} within {}", part->awaited(),
                                                to_text(part->handshake_.limit)));
    });
  }

  void refuse(Refusal refusal, const std::string& why) override {
    if (std::exchange(over_, true)) return;
    timer_.cancel();
    const auto connection = connection_.shared_from_this();  // lives until this is over
    const OnRefused on_refused = std::move(on_refused_);
    on_proved_ = nullptr;
    connection_.close_when_drained();
    on_refused({refusal, why, claimed()});
  }

 protected:
  // What the other end is to do next: "say who it is".
  [[nodiscard]] virtual const char* awaited() const = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> claimed() const = 0;
  virtual void on_frame(const FrameHeader& header, std::span<const std::byte> bytes) = 0;

  void send(HandshakeKind kind, std::uint32_t from, std::span<const std::byte> bytes) {
    FrameHeader header;
    header.kind = static_cast<std::uint16_t>(kind);
    header.from = from;
    header.payload_bytes = bytes.size();
    Payload payload = Payload::allocate({static_cast<std::int64_t>(bytes.size())});
    std::ranges::copy(bytes, payload.writable_bytes().begin());
    connection_.send(header, std::move(payload));
  }

  [[nodiscard]] Proof proof_of(End end) const {
    return handshake_.key.prove(end, ends_, connecting_, accepting_);
  }

  // What proves that this end knows the key, then what it is.
  void send_proof(HandshakeKind kind, End end, std::uint32_t from) {
    const Proof proof = proof_of(end);
    std::vector<std::byte> bytes(proof.begin(), proof.end());
    const auto build = std::as_bytes(std::span(handshake_.build));
    bytes.insert(bytes.end(), build.begin(), build.end());
    send(kind, from, bytes);
  }

  // Nothing: it is no proof of `end`; else the build that came with it.
  [[nodiscard]] std::optional<std::string> proved_build(End end,
                                                        std::span<const std::byte> bytes) const {
    const Proof expected = proof_of(end);
    if (bytes.size() < expected.size() || !JobKey::equal(expected, bytes.first(expected.size()))) {
      return {};
    }
    const auto build = bytes.subspan(expected.size());
    return std::string(reinterpret_cast<const char*>(build.data()), build.size());
  }

  [[nodiscard]] const std::string& own_build() const { return handshake_.build; }
  [[nodiscard]] bool at_odds() const { return connection_.at_odds(); }
  void refuse_tls() {
    refuse(Refusal::tls, fmt::format("{}; give --tls to every task, or to none",
                                     handshake_.tls ? "it does not encrypt, this end does"
                                                    : "it encrypts, this end does not"));
  }

  static bool read(std::span<const std::byte> bytes, Nonce& nonce) {
    if (bytes.size() != nonce.size()) return false;
    std::ranges::copy(bytes, nonce.begin());
    return true;
  }

  void succeed() {
    if (at_odds()) return refuse_tls();
    if (std::exchange(over_, true)) return;
    timer_.cancel();
    connection_.allow(handshake_.most_payload);
    const OnProved on_proved = std::move(on_proved_);
    on_refused_ = nullptr;
    on_proved(connection_.shared_from_this(), ends_.connecting);
  }

  Ends ends_;
  Nonce connecting_{};
  Nonce accepting_{};

 private:
  Handshake handshake_;
  Connection& connection_;
  OnProved on_proved_;
  OnRefused on_refused_;
  boost::asio::steady_timer timer_;
  bool over_ = false;
};

class Accepting final : public Part {
 public:
  Accepting(const Handshake& handshake, Connection& connection, std::uint32_t id,
            OnProved on_proved, OnRefused on_refused)
      : Part(handshake, connection, std::move(on_proved), std::move(on_refused)) {
    ends_.accepting = id;
  }

 private:
  [[nodiscard]] const char* awaited() const override {
    return challenged_ ? "prove the job key" : "say who it is";
  }
  [[nodiscard]] std::optional<std::uint32_t> claimed() const override {
    return challenged_ ? std::optional(ends_.connecting) : std::nullopt;
  }
  void on_frame(const FrameHeader& header, std::span<const std::byte> bytes) override {
    const auto kind = static_cast<HandshakeKind>(header.kind);
    if (!challenged_ && kind == HandshakeKind::hello && read(bytes, connecting_)) {
      challenged_ = true;
      ends_.connecting = header.from;
      accepting_ = draw_nonce();
      return send(HandshakeKind::challenge, ends_.accepting, accepting_);
    }
    const bool turn = challenged_ && kind == HandshakeKind::proof;
    if (const auto build = turn ? proved_build(End::connecting, bytes) : std::nullopt) {
      if (at_odds()) {
        send_proof(HandshakeKind::other_tls, End::accepting, ends_.accepting);
        return refuse_tls();
      }
      const bool same = *build == own_build();
      send_proof(same ? HandshakeKind::welcome : HandshakeKind::other_build, End::accepting,
                 ends_.accepting);
      return same ? succeed() : refuse(Refusal::build, other_build(*build, own_build()));
    }
    send(HandshakeKind::refusal, ends_.accepting, {});
    refuse(Refusal::key, kOtherKey);
  }

  bool challenged_ = false;
};

class Connecting final : public Part {
 public:
  Connecting(const Handshake& handshake, Connection& connection, Ends ends, OnProved on_proved,
             OnRefused on_refused)
      : Part(handshake, connection, std::move(on_proved), std::move(on_refused)) {
    ends_ = ends;
    connecting_ = draw_nonce();
  }

  void greet() { send(HandshakeKind::hello, ends_.connecting, connecting_); }

 private:
  [[nodiscard]] const char* awaited() const override { return "answer"; }
  [[nodiscard]] std::optional<std::uint32_t> claimed() const override { return {}; }
  void on_frame(const FrameHeader& header, std::span<const std::byte> bytes) override {
    const auto kind = static_cast<HandshakeKind>(header.kind);
    if (!challenged_ && kind == HandshakeKind::challenge && read(bytes, accepting_)) {
      challenged_ = true;
      return send_proof(HandshakeKind::proof, End::connecting, ends_.connecting);
    }
    if (at_odds() && header.kind == kInPlain) return;
    const bool turn =
        challenged_ && (kind == HandshakeKind::welcome || kind == HandshakeKind::other_build ||
                        kind == HandshakeKind::other_tls);
    if (const auto build = turn ? proved_build(End::accepting, bytes) : std::nullopt) {
      if (kind == HandshakeKind::welcome) return succeed();
      if (kind == HandshakeKind::other_tls) return refuse_tls();
      return refuse(Refusal::build, other_build(*build, own_build()));
    }
    refuse(Refusal::key, kind == HandshakeKind::refusal ? "it knows another job key" : kOtherKey);
  }

  bool challenged_ = false;
};

}  // namespace

std::weak_ptr<HandshakeEnd> Handshake::answer(const std::shared_ptr<Connection>& connection,
                                              std::uint32_t self, OnProved on_proved,
                                              OnRefused on_refused) const {
  if (tls) connection->encrypt(std::make_unique<TlsStream>(tls, End::accepting));
  const auto part = std::make_shared<Accepting>(*this, *connection, self, std::move(on_proved),
                                                std::move(on_refused));
  part->start();
  return part;
}

void Handshake::begin(const std::shared_ptr<Connection>& connection, Ends ends, OnProved on_proved,
                      OnRefused on_refused) const {
  if (tls) connection->encrypt(std::make_unique<TlsStream>(tls, End::connecting));
  const auto part = std::make_shared<Connecting>(*this, *connection, ends, std::move(on_proved),
                                                 std::move(on_refused));
  part->start();
  part->greet();
}

}  // namespace foretrain::exec
