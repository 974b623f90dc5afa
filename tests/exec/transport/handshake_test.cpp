// Both ends of a handshake over a real socket on loopback.
#include "exec/transport/handshake.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;

constexpr std::uint32_t kWorker = 1;
constexpr std::uint32_t kServer = 2;

// What became of one end.
struct Outcome {
  std::optional<std::uint32_t> proved_by;
  std::optional<Refusal> refusal;
  std::string why;
  std::optional<std::uint32_t> claimed;
  std::function<void(const std::shared_ptr<Connection>&)> then;

  OnProved on_proved() {
    return [this](const std::shared_ptr<Connection>& connection, std::uint32_t from) {
      proved_by = from;
      if (then) then(connection);
    };
  }
  OnRefused on_refused() {
    return [this](const Refused& refused) {
      refusal = refused.refusal;
      why = refused.why;
      claimed = refused.claimed;
    };
  }
};

struct HandshakePair {
  boost::asio::io_context loop{1};
  tcp::socket left{loop};
  tcp::socket right{loop};
  std::shared_ptr<Connection> accepting;
  Outcome outcome;  // of the accepting end

  explicit HandshakePair(const JobKey& key, Duration limit = {5'000'000'000}) {
    tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
    left.connect(acceptor.local_endpoint());
    acceptor.accept(right);
    accepting = std::make_shared<Connection>(std::move(right), kMostBeforeProof);
    Handshake{key, {1'000'000}, limit}.answer(accepting, kServer, outcome.on_proved(),
                                              outcome.on_refused());
  }
};

// Both ends, with a build each.
std::pair<Outcome, Outcome> meet_builds(const std::string& connecting, const std::string& accepting,
                                        const JobKey& key) {
  boost::asio::io_context loop{1};
  tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
  tcp::socket left(loop);
  tcp::socket right(loop);
  left.connect(acceptor.local_endpoint());
  acceptor.accept(right);
  Outcome one;
  Outcome other;
  const auto accepted = std::make_shared<Connection>(std::move(right), kMostBeforeProof);
  const auto connected = std::make_shared<Connection>(std::move(left), kMostBeforeProof);
  const JobKey kept("0123456789abcdef");
  Handshake{.key = kept, .most_payload = {1'000}, .build = accepting}.answer(
      accepted, kServer, other.on_proved(), other.on_refused());
  Handshake{.key = key, .most_payload = {1'000}, .build = connecting}.begin(
      connected, {kWorker, kServer}, one.on_proved(), one.on_refused());
  loop.run_for(std::chrono::milliseconds(300));
  return {one, other};
}

// Both ends, with a key each; `ends`: who the connecting end takes both for.
std::pair<Outcome, Outcome> meet(const JobKey& connecting, const JobKey& accepting,
                                 Ends ends = {kWorker, kServer}) {
  HandshakePair pair(accepting);
  Outcome outcome;
  auto connection = std::make_shared<Connection>(std::move(pair.left), kMostBeforeProof);
  Handshake{connecting, {1'000'000}}.begin(connection, ends, outcome.on_proved(),
                                           outcome.on_refused());
  pair.loop.run_for(std::chrono::milliseconds(300));
  return {outcome, pair.outcome};
}

const JobKey kSharedKey("0123456789abcdef");

TEST_CASE("handshake: two ends that know the key know each other") {
  const auto [connecting, accepting] = meet(kSharedKey, kSharedKey);
  CHECK(connecting.proved_by == kWorker);
  CHECK(accepting.proved_by == kWorker);
  CHECK(!connecting.refusal);
  CHECK(!accepting.refusal);
}

TEST_CASE("handshake: another key or none is refused and its end is told") {
  const JobKey other = GENERATE(JobKey("fedcba9876543210"), JobKey());
  const auto [connecting, accepting] = meet(other, kSharedKey);
  CHECK(accepting.refusal == Refusal::key);
  CHECK(accepting.why == "it does not know the job key");
  CHECK(connecting.refusal == Refusal::key);
  CHECK(connecting.why == "it knows another job key");
  CHECK(!connecting.proved_by);
  CHECK(!accepting.proved_by);
}

TEST_CASE("handshake: two builds refuse each other, and each end names both") {
  const auto [connecting, accepting] =
      meet_builds("0.1.0 (aaaaaaaaaaaa, wire 2)", "0.1.0 (bbbbbbbbbbbb, wire 2)", kSharedKey);
  CHECK(!connecting.proved_by);
  CHECK(!accepting.proved_by);
  CHECK(connecting.refusal == Refusal::build);
  CHECK(accepting.refusal == Refusal::build);
  CHECK(accepting.why ==
        "it is another build, 0.1.0 (aaaaaaaaaaaa, wire 2), this one is 0.1.0 (bbbbbbbbbbbb, wire "
        "2); build foretrain of the same commit on every host");
  CHECK(connecting.why ==
        "it is another build, 0.1.0 (bbbbbbbbbbbb, wire 2), this one is 0.1.0 (aaaaaaaaaaaa, wire "
        "2); build foretrain of the same commit on every host");
}

TEST_CASE("handshake: equal builds know each other, whoever compiled them") {
  const auto [connecting, accepting] =
      meet_builds("0.1.0 (aaaaaaaaaaaa-dirty.1234abcd, wire 2)",
                  "0.1.0 (aaaaaaaaaaaa-dirty.1234abcd, wire 2)", kSharedKey);
  CHECK(connecting.proved_by == kWorker);
  CHECK(accepting.proved_by == kWorker);
}

TEST_CASE("handshake: who does not know the key is not told the build") {
  const auto [connecting, accepting] =
      meet_builds("0.1.0 (aaaaaaaaaaaa, wire 2)", "0.1.0 (bbbbbbbbbbbb, wire 2)", JobKey("other"));
  CHECK(connecting.refusal == Refusal::key);
  CHECK(connecting.why == "it knows another job key");
  CHECK(accepting.refusal == Refusal::key);
}

TEST_CASE("handshake: who was looking for somebody else is refused") {
  const auto [connecting, accepting] = meet(kSharedKey, kSharedKey, {kWorker, kServer + 1});
  CHECK(accepting.refusal == Refusal::key);
  CHECK(connecting.refusal == Refusal::key);
}

// A stranger who writes by hand.
struct Stranger {
  HandshakePair& pair;

  void send(HandshakeKind kind, const std::vector<std::byte>& bytes) const {
    FrameHeader header;
    header.kind = static_cast<std::uint16_t>(kind);
    header.from = kWorker;
    header.payload_bytes = bytes.size();
    boost::asio::write(pair.left, boost::asio::buffer(encode(header)));
    boost::asio::write(pair.left, boost::asio::buffer(bytes));
  }
  // The next frame of the other end: its kind, its payload.
  [[nodiscard]] std::pair<HandshakeKind, std::vector<std::byte>> receive() const {
    pair.loop.run_for(std::chrono::milliseconds(100));
    HeaderBytes bytes;
    boost::asio::read(pair.left, boost::asio::buffer(bytes));
    const FrameHeader header = decode(bytes, kMostBeforeProof).header;
    std::vector<std::byte> payload(header.payload_bytes);
    boost::asio::read(pair.left, boost::asio::buffer(payload));
    return {static_cast<HandshakeKind>(header.kind), payload};
  }
};

TEST_CASE("handshake: a proof that was overheard is worth nothing the next time") {
  const std::vector<std::byte> nonce(32, std::byte{7});
  std::vector<std::byte> overheard;
  {
    HandshakePair pair(kSharedKey);
    const Stranger worker{pair};
    worker.send(HandshakeKind::hello, nonce);
    const auto challenge = worker.receive().second;
    Nonce mine{};
    Nonce theirs{};
    std::ranges::copy(nonce, mine.begin());
    std::ranges::copy(challenge, theirs.begin());
    const Proof proof = kSharedKey.prove(End::connecting, {kWorker, kServer}, mine, theirs);
    overheard.assign(proof.begin(), proof.end());
    const auto build = std::as_bytes(std::span(build_name()));
    overheard.insert(overheard.end(), build.begin(), build.end());
    worker.send(HandshakeKind::proof, overheard);
    CHECK(worker.receive().first == HandshakeKind::welcome);
    CHECK(pair.outcome.proved_by == kWorker);
  }
  HandshakePair pair(kSharedKey);
  const Stranger stranger{pair};
  stranger.send(HandshakeKind::hello, nonce);
  CHECK(stranger.receive().first == HandshakeKind::challenge);
  stranger.send(HandshakeKind::proof, overheard);
  CHECK(stranger.receive().first == HandshakeKind::refusal);
  CHECK(pair.outcome.refusal == Refusal::key);
}

TEST_CASE("handshake: the other end's own words are no proof") {
  HandshakePair pair(kSharedKey);
  const Stranger stranger{pair};
  stranger.send(HandshakeKind::hello, std::vector<std::byte>(32));
  const auto challenge = stranger.receive().second;
  stranger.send(HandshakeKind::proof, challenge);
  CHECK(stranger.receive().first == HandshakeKind::refusal);
}

TEST_CASE("handshake: whoever skips the challenge is refused") {
  HandshakePair pair(kSharedKey);
  const Stranger stranger{pair};
  stranger.send(GENERATE(HandshakeKind::proof, HandshakeKind::welcome, HandshakeKind::challenge),
                std::vector<std::byte>(32));
  CHECK(stranger.receive().first == HandshakeKind::refusal);
  CHECK(pair.outcome.refusal == Refusal::key);
}

TEST_CASE("handshake: a stranger's long message is refused before room is made for it") {
  HandshakePair pair(kSharedKey);
  const Stranger stranger{pair};
  stranger.send(HandshakeKind::hello, std::vector<std::byte>(1'000));
  pair.loop.run_for(std::chrono::milliseconds(100));
  CHECK(pair.outcome.refusal == Refusal::left);
  CHECK(pair.outcome.why == "it announced a longer message than there can be");
}

TEST_CASE("handshake: one that leaves is told from one that says nothing") {
  HandshakePair leaving(kSharedKey);
  leaving.left.close();
  leaving.loop.run_for(std::chrono::milliseconds(100));
  CHECK(leaving.outcome.refusal == Refusal::left);
  CHECK(leaving.outcome.why == "it closed the connection");
  HandshakePair silent(kSharedKey, {20'000'000});
  silent.loop.run_for(std::chrono::milliseconds(300));
  CHECK(silent.outcome.refusal == Refusal::silent);
  CHECK(silent.outcome.why == "it did not say who it is within 20 ms");
  CHECK(!silent.outcome.claimed);
}

TEST_CASE("handshake: who said a name and went no further is told from a stranger") {
  HandshakePair pair(kSharedKey, {200'000'000});
  const Stranger slow{pair};
  slow.send(HandshakeKind::hello, std::vector<std::byte>(32));
  CHECK(slow.receive().first == HandshakeKind::challenge);
  pair.loop.run_for(std::chrono::milliseconds(400));
  CHECK(pair.outcome.refusal == Refusal::silent);
  CHECK(pair.outcome.why == "it did not prove the job key within 200 ms");
  CHECK(pair.outcome.claimed == kWorker);
}

TEST_CASE("handshake: a launcher that does not answer is told from one with another key") {
  boost::asio::io_context loop{1};
  tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
  tcp::socket socket(loop);
  socket.connect(acceptor.local_endpoint());  // nobody accepts
  Outcome outcome;
  const auto connection = std::make_shared<Connection>(std::move(socket), kMostBeforeProof);
  Handshake{kSharedKey, {1'000}, {20'000'000}}.begin(connection, {kWorker, kLauncher},
                                                     outcome.on_proved(), outcome.on_refused());
  loop.run_for(std::chrono::milliseconds(300));
  CHECK(outcome.refusal == Refusal::silent);
  CHECK(outcome.why == "it did not answer within 20 ms");
}

TEST_CASE("handshake: afterwards frames may be as long as was agreed") {
  HandshakePair pair(kSharedKey);
  auto connection = std::make_shared<Connection>(std::move(pair.left), kMostBeforeProof);
  std::size_t arrived = 0;
  pair.outcome.then = [&](const std::shared_ptr<Connection>& proved) {
    proved->start(
        [&](const FrameHeader& header, const Payload&) { arrived = header.payload_bytes; },
        [](const std::string&) {});
  };
  Handshake{kSharedKey, {1'000'000}}.begin(
      connection, {kWorker, kServer},
      [&](const std::shared_ptr<Connection>& proved, std::uint32_t) {
        FrameHeader header;
        header.kind = 200;
        header.payload_bytes = 1'000'000;
        proved->send(header, Payload::allocate({1'000'000}));
      },
      [](const Refused& refused) { FAIL(refused.why); });
  pair.loop.run_for(std::chrono::milliseconds(500));
  CHECK(arrived == 1'000'000);
}

}  // namespace
}  // namespace foretrain::exec
