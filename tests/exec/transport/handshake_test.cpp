// Both ends of a handshake over a real socket on loopback.
#include "exec/transport/handshake.h"

#include "tests/exec/transport/pair.h"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <sys/ioctl.h>

#include <span>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {

Handshake of_build(const std::string& build, const JobKey& key = kJobKey) {
  Handshake handshake = handshake_of(key);
  handshake.build = build;
  return handshake;
}

TEST_CASE("handshake: equal builds that know the key know each other") {
  HandshakePair pair;
  const std::string build =
      GENERATE("0.1.0 (aaaaaaaaaaaa, wire 2)", "0.1.0 (aaa-dirty.12, wire 2)");
  pair.meet(of_build(build), of_build(build));
  CHECK(pair.connecting.from == kEnds.connecting);
  CHECK(pair.accepting.from == kEnds.connecting);
  CHECK(!pair.connecting.refused);
  CHECK(!pair.accepting.refused);
}

TEST_CASE("handshake: another key or none is refused and its end is told, but not the build") {
  HandshakePair pair;
  pair.meet(
      of_build("0.1.0 (aaaaaaaaaaaa, wire 2)", GENERATE(JobKey("fedcba9876543210"), JobKey())),
      of_build("0.1.0 (bbbbbbbbbbbb, wire 2)"));
  CHECK(pair.accepting.refusal() == Refusal::key);
  CHECK(pair.accepting.why() == "it does not know the job key");
  CHECK(pair.connecting.refusal() == Refusal::key);
  CHECK(pair.connecting.why() == "it knows another job key");
  CHECK(!pair.connecting.proved);
  CHECK(!pair.accepting.proved);
}

TEST_CASE("handshake: two builds refuse each other, and each end names both") {
  HandshakePair pair;
  pair.meet(of_build("0.1.0 (aaaaaaaaaaaa, wire 2)"), of_build("0.1.0 (bbbbbbbbbbbb, wire 2)"));
  CHECK(!pair.connecting.proved);
  CHECK(!pair.accepting.proved);
  CHECK(pair.connecting.refusal() == Refusal::build);
  CHECK(pair.accepting.refusal() == Refusal::build);
  CHECK(pair.accepting.why() ==
        "it is another build, 0.1.0 (aaaaaaaaaaaa, wire 2), this one is 0.1.0 (bbbbbbbbbbbb, wire "
        "2); build foretrain of the same commit on every host");
  CHECK(pair.connecting.why() ==
        "it is another build, 0.1.0 (bbbbbbbbbbbb, wire 2), this one is 0.1.0 (aaaaaaaaaaaa, wire "
        "2); build foretrain of the same commit on every host");
}

TEST_CASE("handshake: who was looking for somebody else is refused") {
  HandshakePair pair;
  pair.meet(handshake_of(kJobKey), handshake_of(kJobKey), {kEnds.connecting, kEnds.accepting + 1});
  CHECK(pair.accepting.refusal() == Refusal::key);
  CHECK(pair.connecting.refusal() == Refusal::key);
}

// A stranger that writes raw bytes to an accepting end.
struct Stranger : HandshakePair {
  explicit Stranger(Duration limit = {5'000'000'000}, bool share_memory = false) {
    Handshake handshake = handshake_of(kJobKey);
    handshake.limit = limit;
    handshake.share_memory = share_memory;
    answer(handshake);
  }

  void send(HandshakeKind kind, std::span<const std::byte> bytes) {
    const FrameHeader header{.kind = static_cast<std::uint16_t>(kind),
                             .from = kEnds.connecting,
                             .payload_bytes = bytes.size()};
    boost::asio::write(left, boost::asio::buffer(encode(header)));
    boost::asio::write(left, boost::asio::buffer(bytes.data(), bytes.size()));
  }
  // Sends all messages of a node up to the proof of the key. Returns the proof.
  std::vector<std::byte> prove() {
    const Nonce mine{};
    Nonce theirs{};
    send(HandshakeKind::hello, mine);
    std::ranges::copy(receive().second, theirs.begin());
    const Proof proof = kJobKey.prove(End::connecting, kEnds, mine, theirs);
    std::vector<std::byte> words(proof.begin(), proof.end());
    const auto build = std::as_bytes(std::span(build_name()));
    words.insert(words.end(), build.begin(), build.end());
    send(HandshakeKind::proof, words);
    CHECK(receive().first.kind == static_cast<std::uint16_t>(HandshakeKind::welcome));
    return words;
  }
  // The next frame of the other end.
  std::pair<FrameHeader, std::vector<std::byte>> receive() {
    until([&] { return left.available() >= sizeof(HeaderBytes); });
    HeaderBytes bytes;
    boost::asio::read(left, boost::asio::buffer(bytes));
    const FrameHeader header = decode(bytes, kMostBeforeProof).header;
    std::vector<std::byte> payload(header.payload_bytes);
    boost::asio::read(left, boost::asio::buffer(payload));
    return {header, payload};
  }
  HandshakeKind answered() { return static_cast<HandshakeKind>(receive().first.kind); }
};

TEST_CASE("handshake: a proof that was overheard is worth nothing the next time") {
  Stranger worker;
  const std::vector<std::byte> overheard = worker.prove();
  CHECK(worker.accepting.from == kEnds.connecting);
  Stranger stranger;
  stranger.send(HandshakeKind::hello, Nonce{});
  CHECK(stranger.answered() == HandshakeKind::challenge);
  stranger.send(HandshakeKind::proof, overheard);
  CHECK(stranger.answered() == HandshakeKind::refusal);
  CHECK(stranger.accepting.refusal() == Refusal::key);
}

TEST_CASE("handshake: the other end's own words are no proof") {
  Stranger stranger;
  stranger.send(HandshakeKind::hello, std::vector<std::byte>(32));
  const auto challenge = stranger.receive().second;
  stranger.send(HandshakeKind::proof, challenge);
  CHECK(stranger.answered() == HandshakeKind::refusal);
}

TEST_CASE("handshake: whoever skips the challenge is refused") {
  Stranger stranger;
  stranger.send(GENERATE(HandshakeKind::proof, HandshakeKind::welcome, HandshakeKind::challenge,
                         HandshakeKind::memory),
                std::vector<std::byte>(32));
  CHECK(stranger.answered() == HandshakeKind::refusal);
  CHECK(stranger.accepting.refusal() == Refusal::key);
}

TEST_CASE("handshake: a stranger's long message is refused before room is made for it") {
  Stranger stranger;
  stranger.send(HandshakeKind::hello, std::vector<std::byte>(1'000));
  stranger.until([&] { return stranger.accepting.over(); });
  CHECK(stranger.accepting.refusal() == Refusal::left);
  CHECK(stranger.accepting.why() == "it announced a message longer than allowed");
}

TEST_CASE("handshake: one that leaves is told from one that says nothing, or a name alone") {
  Stranger leaving;
  leaving.left.close();
  leaving.until([&] { return leaving.accepting.over(); });
  CHECK(leaving.accepting.refusal() == Refusal::left);
  CHECK(leaving.accepting.why() == "it closed the connection");
  Stranger silent({20'000'000});
  silent.until([&] { return silent.accepting.over(); });
  CHECK(silent.accepting.refusal() == Refusal::silent);
  CHECK(silent.accepting.why() == "it did not say who it is within 20 ms");
  CHECK(!silent.accepting.refused->claimed);
  Stranger slow({200'000'000});
  slow.send(HandshakeKind::hello, std::vector<std::byte>(32));
  slow.until([&] { return slow.accepting.over(); });
  CHECK(slow.accepting.refusal() == Refusal::silent);
  CHECK(slow.accepting.why() == "it did not prove the job key within 200 ms");
  CHECK(slow.accepting.refused->claimed == kEnds.connecting);
}

TEST_CASE("handshake: a launcher that does not answer is told from one with another key") {
  HandshakePair pair;
  Handshake handshake = handshake_of(kJobKey);
  handshake.limit = {20'000'000};
  pair.begin(handshake);
  pair.until([&] { return pair.connecting.over(); });
  CHECK(pair.connecting.refusal() == Refusal::silent);
  CHECK(pair.connecting.why() == "it did not answer within 20 ms");
}

// Sends 1 MB from each end as soon as it is accepted. Returns how many bytes the second end's
// socket has received before any are read.
int bytes_on_the_wire(const Handshake& ours, const Handshake& theirs) {
  HandshakePair pair;
  const int socket = pair.left.native_handle();
  std::size_t arrived = 0;
  int on_the_wire = -1;
  const auto then = [&](const std::shared_ptr<Connection>& proved) {
    proved->start(
        [&](const FrameHeader& header, const Payload&) { arrived += header.payload_bytes; },
        [](const std::string& why) { FAIL(why); });
  };
  pair.connecting.then = then;
  pair.accepting.then = then;
  pair.meet(ours, theirs);
  REQUIRE(pair.connecting.proved);
  REQUIRE(pair.accepting.proved);
  pair.connected->send(frame_of(1'000'000, 1), noise(1'000'000, 1));
  pair.accepted->send(frame_of(1'000'000, 1), noise(1'000'000, 1));
  CHECK(ioctl(socket, FIONREAD, &on_the_wire) == 0);
  pair.until([&] { return arrived == 2'000'000; });
  CHECK(arrived == 2'000'000);
  return on_the_wire;
}

TEST_CASE("handshake: afterwards frames may be as long as was agreed, and go through memory") {
  Handshake shares = handshake_of(kJobKey);
  CHECK(bytes_on_the_wire(shares, shares) > 10'000);
  shares.share_memory = true;
  const int nudges = bytes_on_the_wire(shares, shares);
  CHECK(nudges > 0);
  CHECK(nudges < 20);
  Handshake encrypts = shares;
  encrypts.tls = Tls::of_key(kJobKey);
  CHECK(bytes_on_the_wire(encrypts, encrypts) > 10'000);
}

// As on another host or in a container: the memory cannot be found.
TEST_CASE("handshake: memory that cannot be opened is done without") {
  Stranger node({5'000'000'000}, true);
  node.prove();
  CHECK(!node.accepting.over());
  const MemoryOffer offer{.process = 1, .descriptor = 3, .bytes = 1'000};
  node.send(HandshakeKind::memory, GENERATE(true, false) ? std::as_bytes(std::span(&offer, 1))
                                                         : std::span<const std::byte>());
  const FrameHeader answer = node.receive().first;
  CHECK(answer.kind == static_cast<std::uint16_t>(HandshakeKind::memory));
  CHECK(answer.step == 0);
  CHECK(node.accepting.proved);
}

}  // namespace
}  // namespace foretrain::exec
