// Connections that are encrypted, over real sockets on loopback.
#include "exec/transport/handshake.h"
#include "exec/transport/lobby.h"
#include "tests/support/certificates.h"
#include "tests/support/temp_folder.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;

using SharedTls = std::shared_ptr<const Tls>;

const JobKey kOurKey("0123456789abcdef");
constexpr Ends kOurEnds{1, 2};
constexpr Bytes kLongest{16'000'000};

// What became of one end.
struct EndOutcome {
  std::shared_ptr<Connection> proved;
  std::optional<Refused> refused;

  [[nodiscard]] std::string why() const { return refused ? refused->why : "not refused"; }
  OnProved on_proved() {
    return [this](const std::shared_ptr<Connection>& connection, std::uint32_t /*from*/) {
      proved = connection;
    };
  }
  OnRefused on_refused() {
    return [this](const Refused& why) { refused = why; };
  }
};

// Connected, with a handshake that is over after `meet`.
struct EncryptedPair {
  boost::asio::io_context loop{1};
  tcp::socket left_socket{loop};
  tcp::socket right_socket{loop};
  std::shared_ptr<Connection> left;
  std::shared_ptr<Connection> right;
  EndOutcome connecting;
  EndOutcome accepting;

  EncryptedPair() {
    tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
    left_socket.connect(acceptor.local_endpoint());
    acceptor.accept(right_socket);
  }

  void answer(const SharedTls& tls) {
    right = std::make_shared<Connection>(std::move(right_socket), kMostBeforeProof);
    Handshake{.key = kOurKey, .most_payload = kLongest, .tls = tls}.answer(
        right, kOurEnds.accepting, accepting.on_proved(), accepting.on_refused());
  }
  void begin(const SharedTls& tls, const JobKey& key = kOurKey) {
    left = std::make_shared<Connection>(std::move(left_socket), kMostBeforeProof);
    Handshake{.key = key, .most_payload = kLongest, .tls = tls}.begin(
        left, kOurEnds, connecting.on_proved(), connecting.on_refused());
  }
  void meet(const SharedTls& ours, const SharedTls& theirs) {
    answer(theirs);
    begin(ours);
    turn_until([&] {
      return (connecting.proved || connecting.refused) && (accepting.proved || accepting.refused);
    });
  }
  void turn_until(const std::function<bool()>& done) {
    for (int i = 0; i < 500 && !done(); ++i) loop.run_for(std::chrono::milliseconds(10));
  }
};

SharedTls of_our_key() { return Tls::of_key(kOurKey); }

FrameHeader frame_of(std::size_t size, std::int64_t step) {
  FrameHeader header;
  header.kind = 200;  // no message between nodes: those are whole floats
  header.payload_bytes = size;
  header.step = step;
  return header;
}

Payload noise(std::size_t size, std::size_t seed) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(size)});
  const auto bytes = payload.writable_bytes();
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((seed + i * 7) % 253);
  return payload;
}

TEST_CASE("encrypted: frames of 1 byte to 16 MB cross in both directions at once") {
  EncryptedPair pair;
  pair.meet(of_our_key(), of_our_key());
  REQUIRE(pair.connecting.proved);
  REQUIRE(pair.accepting.proved);
  const std::vector<std::size_t> sizes{1,      0,       63,        4'032,      16'320, 16'384,
                                       20'000, 300'000, 2'000'001, 16'000'000, 5,      70'000};
  std::array<std::size_t, 2> arrived{};
  const auto listen = [&](const std::shared_ptr<Connection>& at, std::size_t& count) {
    at->start(
        [&](const FrameHeader& header, const Payload& got) {
          REQUIRE(header.step == static_cast<std::int64_t>(count));
          REQUIRE(std::ranges::equal(got.bytes(), noise(sizes.at(count), count).bytes()));
          ++count;
        },
        [](const std::string& why) { FAIL(why); });
  };
  listen(pair.left, arrived[0]);
  listen(pair.right, arrived[1]);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (const auto& from : {pair.left, pair.right}) {
      from->send(frame_of(sizes[i], static_cast<std::int64_t>(i)), noise(sizes[i], i));
    }
  }
  pair.turn_until([&] { return arrived[0] == sizes.size() && arrived[1] == sizes.size(); });
  CHECK(arrived[0] == sizes.size());
  CHECK(arrived[1] == sizes.size());
  CHECK(pair.left->drained());
  CHECK(!pair.left->at_odds());
}

TEST_CASE("encrypted: what waits can still be overtaken") {
  EncryptedPair pair;
  pair.meet(of_our_key(), of_our_key());
  REQUIRE(pair.accepting.proved);
  std::vector<std::uint32_t> buckets;
  pair.right->start(
      [&](const FrameHeader& header, const Payload&) { buckets.push_back(header.bucket); },
      [](const std::string& why) { FAIL(why); });
  for (const std::uint32_t bucket : {9, 5, 3, 7}) {
    FrameHeader header = frame_of(kLongest.value, 0);
    header.bucket = bucket;
    pair.left->send(header, noise(kLongest.value, bucket));
  }
  REQUIRE(!pair.left->drained());
  pair.turn_until([&] { return buckets.size() == 4; });
  CHECK(buckets == std::vector<std::uint32_t>{9, 3, 5, 7});
}

TEST_CASE("encrypted: another job key is refused at once, and both ends say so") {
  EncryptedPair pair;
  pair.meet(Tls::of_key(JobKey("fedcba9876543210")), of_our_key());
  REQUIRE(pair.connecting.refused);
  REQUIRE(pair.accepting.refused);
  CHECK(pair.connecting.refused->refusal == Refusal::certificate);
  CHECK(!pair.connecting.refused->worth_another());
  CHECK_THAT(pair.connecting.why(), Catch::StartsWith("its certificate is not of this job key; "
                                                      "give the same key to every task"));
  CHECK(pair.accepting.refused->refusal == Refusal::certificate);
  CHECK_THAT(pair.accepting.why(), Catch::StartsWith("it does not take this end's certificate"));
  CHECK(!pair.accepting.refused->proved());
}

// Who has the certificate, but not the key: by files.
TEST_CASE("encrypted: certificates of one authority are taken, and the key is proved above them") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  const auto one = Tls::of_files(authority.issue(folder / "one"));
  const auto two = Tls::of_files(authority.issue(folder / "two"));
  EncryptedPair pair;
  pair.meet(one, two);
  CHECK(pair.connecting.proved);
  CHECK(pair.accepting.proved);
  EncryptedPair other;
  other.answer(two);
  other.begin(one, JobKey("fedcba9876543210"));
  other.turn_until([&] { return other.connecting.refused && other.accepting.refused; });
  REQUIRE(other.accepting.refused);
  CHECK(other.accepting.refused->refusal == Refusal::key);
  CHECK(other.connecting.why() == "it knows another job key");
}

TEST_CASE("encrypted: an authority that does not fit is told to both ends") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  const testing::Authority other(folder / "other.pem");
  EncryptedPair pair;
  pair.meet(Tls::of_files(authority.issue(folder / "one")),
            Tls::of_files(other.issue(folder / "two")));
  CHECK_THAT(
      pair.connecting.why(),
      Catch::StartsWith("its certificate is not taken: self-signed certificate in certificate "
                        "chain (authority: " +
                        authority.path() + "); give --tls-"));
  CHECK_THAT(
      pair.accepting.why(),
      Catch::StartsWith("it does not take this end's certificate (unknown CA); give --tls-"));
  EncryptedPair mixed;
  mixed.meet(Tls::of_files(authority.issue(folder / "one")), of_our_key());
  CHECK_THAT(mixed.connecting.why(), Catch::Contains("its certificate is not taken: self"));
  CHECK(mixed.accepting.refused);
}

TEST_CASE("encrypted: where one end alone encrypts, both are told once the key is proved") {
  const bool left_encrypts = GENERATE(true, false);
  EncryptedPair pair;
  pair.meet(left_encrypts ? of_our_key() : nullptr, left_encrypts ? nullptr : of_our_key());
  REQUIRE(pair.connecting.refused);
  REQUIRE(pair.accepting.refused);
  CHECK(pair.connecting.refused->refusal == Refusal::tls);
  CHECK(pair.accepting.refused->refusal == Refusal::tls);
  CHECK(pair.accepting.refused->proved());
  CHECK(pair.accepting.refused->claimed == kOurEnds.connecting);
  const std::string encrypts =
      "it encrypts, this end does not; give --tls to every task, or to none";
  const std::string does_not =
      "it does not encrypt, this end does; give --tls to every task, or to none";
  CHECK(pair.connecting.why() == (left_encrypts ? does_not : encrypts));
  CHECK(pair.accepting.why() == (left_encrypts ? encrypts : does_not));
}

TEST_CASE("encrypted: who does not encrypt and has no key is refused as ever") {
  const bool left_encrypts = GENERATE(true, false);
  EncryptedPair pair;
  pair.answer(left_encrypts ? nullptr : of_our_key());
  pair.begin(left_encrypts ? of_our_key() : nullptr, JobKey("fedcba9876543210"));
  pair.turn_until([&] { return pair.connecting.refused && pair.accepting.refused; });
  REQUIRE(pair.accepting.refused);
  CHECK(pair.accepting.refused->refusal == Refusal::key);
  CHECK(!pair.accepting.refused->proved());
}

// It answers a greeting in plain, and says welcome to all.
TEST_CASE("encrypted: an end that was talked out of it lets nobody in") {
  EncryptedPair pair;
  pair.begin(of_our_key());
  pair.loop.run_for(std::chrono::milliseconds(20));
  pair.right_socket.non_blocking(true);
  pair.right_socket.set_option(tcp::no_delay(true));
  const auto say = [&](FrameHeader header, std::span<const std::byte> bytes) {
    header.payload_bytes = bytes.size();
    boost::asio::write(pair.right_socket, boost::asio::buffer(encode(header)));
    boost::asio::write(pair.right_socket, boost::asio::buffer(bytes.data(), bytes.size()));
    pair.loop.run_for(std::chrono::milliseconds(20));
  };
  // What it heard last, less the frame's header; a nonce of the left end, or its proof.
  const auto heard = [&] {
    std::vector<std::byte> all(10'000);
    boost::system::error_code error;
    all.resize(pair.right_socket.read_some(boost::asio::buffer(all), error));
    return all;
  };
  heard();  // the greeting
  say({.kind = kInPlain}, {});
  const auto hello = heard();
  REQUIRE(hello.size() == sizeof(HeaderBytes) + sizeof(Nonce));
  Nonce theirs{};
  std::ranges::copy(std::span(hello).last(sizeof(Nonce)), theirs.begin());
  const Nonce mine{};
  say({.kind = static_cast<std::uint16_t>(HandshakeKind::challenge)}, mine);
  // Even one that knows the key cannot make it go on in plain.
  const Proof proof = kOurKey.prove(End::accepting, kOurEnds, theirs, mine);
  say({.kind = static_cast<std::uint16_t>(HandshakeKind::welcome)}, proof);
  CHECK(!pair.connecting.proved);
  REQUIRE(pair.connecting.refused);
  CHECK(pair.connecting.refused->refusal == Refusal::tls);
}

TEST_CASE("encrypted: strangers that greet and then say nothing are bounded as any other") {
  boost::asio::io_context loop{1};
  tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
  const SharedTls tls = of_our_key();
  const Handshake handshake{
      .key = kOurKey, .most_payload = {1'000}, .limit = {2'000'000'000}, .tls = tls};
  Lobby lobby(loop, handshake, kOurEnds.accepting, 1);
  std::vector<std::shared_ptr<Connection>> proved;
  std::vector<Refused> refused;
  lobby.open([&](const auto& connection, std::uint32_t) { proved.push_back(connection); },
             [&](const std::string&, const Refused& why) { refused.push_back(why); });
  lobby.serve(acceptor);
  std::deque<tcp::socket> strangers;
  for (std::size_t i = 0; i < kMostStrangers + 11; ++i) {
    tcp::socket& socket = strangers.emplace_back(loop);
    socket.connect(acceptor.local_endpoint());
    // All of a greeting, a half of it, nothing.
    const TlsStream greeting(tls, End::connecting);
    const auto words = greeting.sealed().first(greeting.sealed().size() * (i % 3) / 2);
    boost::asio::write(socket, boost::asio::buffer(words.data(), words.size()));
    loop.run_for(std::chrono::milliseconds(1));
  }
  loop.run_for(std::chrono::milliseconds(50));
  CHECK(lobby.waiting() == kMostStrangers + 1);
  CHECK(refused.size() == 10);
  CHECK(refused.front().refusal == Refusal::crowded);
  tcp::socket socket(loop);
  socket.connect(acceptor.local_endpoint());
  EndOutcome outcome;
  const auto node = std::make_shared<Connection>(std::move(socket), kMostBeforeProof);
  handshake.begin(node, kOurEnds, outcome.on_proved(), outcome.on_refused());
  loop.run_for(std::chrono::milliseconds(100));
  CHECK(outcome.proved);
  CHECK(proved.size() == 1);
  loop.run_for(std::chrono::milliseconds(2'500));
  CHECK(lobby.waiting() == 0);
  CHECK(refused.back().refusal == Refusal::silent);
  CHECK(!proved.front()->closed());
}

// Stands between two ends, passes on what comes, and remembers it.
class Recorder {
 public:
  Recorder(boost::asio::io_context& loop, const tcp::endpoint& there)
      : acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}), near_(loop), far_(loop) {
    far_.connect(there);
    acceptor_.async_accept(near_, [this](boost::system::error_code) {
      pass(near_, far_, 0);
      pass(far_, near_, 1);
    });
  }
  [[nodiscard]] tcp::endpoint place() const { return acceptor_.local_endpoint(); }
  [[nodiscard]] const std::vector<std::byte>& heard() const { return heard_; }

 private:
  void pass(tcp::socket& from, tcp::socket& to, std::size_t way) {
    auto& piece = pieces_.at(way);
    from.async_receive(boost::asio::buffer(piece),
                       [=, this, &from, &to](boost::system::error_code error, std::size_t count) {
                         if (error) return;
                         const auto& bytes = pieces_.at(way);
                         heard_.insert(heard_.end(), bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(count));
                         boost::asio::write(to, boost::asio::buffer(bytes, count), error);
                         pass(from, to, way);
                       });
  }

  tcp::acceptor acceptor_;
  tcp::socket near_;
  tcp::socket far_;
  std::array<std::array<std::byte, 3'000>, 2> pieces_{};
  std::vector<std::byte> heard_;
};

TEST_CASE("encrypted: who listens on the way sees parameters without TLS, with it none") {
  const bool encrypts = GENERATE(true, false);
  const SharedTls tls = encrypts ? of_our_key() : nullptr;
  boost::asio::io_context loop{1};
  tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
  Recorder recorder(loop, acceptor.local_endpoint());
  tcp::socket left(loop);
  tcp::socket right(loop);
  left.connect(recorder.place());
  acceptor.accept(right);
  EndOutcome one;
  EndOutcome other;
  const auto accepted = std::make_shared<Connection>(std::move(right), kMostBeforeProof);
  const auto connected = std::make_shared<Connection>(std::move(left), kMostBeforeProof);
  const Handshake handshake{.key = kOurKey, .most_payload = kLongest, .tls = tls};
  handshake.answer(accepted, kOurEnds.accepting, other.on_proved(), other.on_refused());
  handshake.begin(connected, kOurEnds, one.on_proved(), one.on_refused());
  const auto turn_until = [&](const std::function<bool()>& done) {
    for (int i = 0; i < 300 && !done(); ++i) loop.run_for(std::chrono::milliseconds(10));
  };
  turn_until([&] { return one.proved && other.proved; });
  REQUIRE(one.proved);
  REQUIRE(other.proved);
  Payload parameters = Payload::allocate({100'000});
  const auto numbers = parameters.writable_floats();
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.001F * static_cast<float>(i);
  bool arrived = false;
  accepted->start(
      [&](const FrameHeader&, const Payload& got) {
        arrived = std::ranges::equal(got.bytes(), parameters.bytes());
      },
      [](const std::string&) {});
  connected->send(frame_of(100'000, 1), parameters);
  turn_until([&] { return arrived; });
  CHECK(arrived);
  const auto is_seen = [&](std::span<const std::byte> piece) {
    const auto& heard = recorder.heard();
    return std::search(heard.begin(), heard.end(), piece.begin(), piece.end()) != heard.end();
  };
  CHECK(recorder.heard().size() > 100'000);
  CHECK(is_seen(parameters.bytes().subspan(50'000, 16)) == !encrypts);
  CHECK(is_seen(std::as_bytes(std::span("FTRN", 4))) == !encrypts);
}

}  // namespace
}  // namespace foretrain::exec
