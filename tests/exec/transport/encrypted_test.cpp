// Encrypted connections over real sockets on loopback.
#include "tests/exec/transport/pair.h"
#include "tests/support/certificates.h"
#include "tests/support/temp_folder.h"

#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;
using SharedTls = std::shared_ptr<const Tls>;

Handshake by(const SharedTls& tls, const JobKey& key = kJobKey) {
  Handshake handshake = handshake_of(key);
  handshake.tls = tls;
  return handshake;
}
SharedTls of_our_key() { return Tls::of_key(kJobKey); }

TEST_CASE("encrypted: another job key is refused at once, and both ends say so") {
  HandshakePair pair;
  pair.meet(by(Tls::of_key(kOtherJobKey)), by(of_our_key()));
  REQUIRE(pair.connecting.refusal() == Refusal::certificate);
  CHECK(!pair.connecting.refused->worth_another());
  CHECK_THAT(pair.connecting.why(), Catch::StartsWith("its certificate is not of this job key; "
                                                      "give the same key to every task"));
  REQUIRE(pair.accepting.refusal() == Refusal::certificate);
  CHECK_THAT(
      pair.accepting.why(),
      Catch::StartsWith("it does not accept this end's certificate (bad certificate); give"));
  CHECK(!pair.accepting.refused->proved());
}

// A certificate without its private key is not enough; both come from files.
TEST_CASE("encrypted: certificates of one authority are taken, and the key is proved above them") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  const auto one = Tls::of_files(authority.issue(folder / "one"));
  const auto two = Tls::of_files(authority.issue(folder / "two"));
  HandshakePair pair;
  pair.meet(by(one), by(two));
  CHECK(pair.connecting.proved);
  CHECK(pair.accepting.proved);
  HandshakePair other;
  other.meet(by(one, kOtherJobKey), by(two));
  CHECK(other.accepting.refusal() == Refusal::key);
  CHECK(other.connecting.why() == "it knows another job key");
}

TEST_CASE("encrypted: an authority that does not fit is told to both ends") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  const testing::Authority other(folder / "other.pem");
  const auto one = Tls::of_files(authority.issue(folder / "one"));
  HandshakePair pair;
  pair.meet(by(one), by(Tls::of_files(other.issue(folder / "two"))));
  CHECK_THAT(pair.connecting.why(),
             Catch::StartsWith("its certificate is not accepted: self-signed certificate in "
                               "certificate chain (authority: " +
                               authority.path() + "); give --tls-"));
  CHECK_THAT(
      pair.accepting.why(),
      Catch::StartsWith("it does not accept this end's certificate (unknown CA); give --tls-"));
  HandshakePair mixed;
  mixed.meet(by(one), by(of_our_key()));
  CHECK_THAT(mixed.connecting.why(), Catch::Contains("its certificate is not accepted: self"));
  CHECK(mixed.accepting.refused);
}

TEST_CASE("encrypted: where one end alone encrypts, both are told once the key is proved") {
  const bool left_encrypts = GENERATE(true, false);
  HandshakePair pair;
  pair.meet(by(left_encrypts ? of_our_key() : nullptr), by(left_encrypts ? nullptr : of_our_key()));
  CHECK(pair.connecting.refusal() == Refusal::tls);
  REQUIRE(pair.accepting.refusal() == Refusal::tls);
  CHECK(pair.accepting.refused->proved());
  CHECK(pair.accepting.refused->claimed == kEnds.connecting);
  const std::string encrypts =
      "it encrypts, this end does not; give --tls to every task, or to none";
  const std::string does_not =
      "it does not encrypt, this end does; give --tls to every task, or to none";
  CHECK(pair.connecting.why() == (left_encrypts ? does_not : encrypts));
  CHECK(pair.accepting.why() == (left_encrypts ? encrypts : does_not));
}

TEST_CASE("encrypted: who does not encrypt and has no key is refused as ever") {
  const bool left_encrypts = GENERATE(true, false);
  HandshakePair pair;
  pair.meet(by(left_encrypts ? of_our_key() : nullptr, kOtherJobKey),
            by(left_encrypts ? nullptr : of_our_key()));
  REQUIRE(pair.accepting.refusal() == Refusal::key);
  CHECK(!pair.accepting.refused->proved());
  CHECK(pair.connecting.refused);
}

// Bytes that arrive at a socket within 20 ms of the loop.
std::vector<std::byte> heard(SocketPair& pair, tcp::socket& socket) {
  pair.loop.run_for(std::chrono::milliseconds(20));
  socket.non_blocking(true);
  std::vector<std::byte> all(10'000);
  boost::system::error_code error;
  all.resize(socket.read_some(boost::asio::buffer(all), error));
  return all;
}

// This end answers a greeting in plain text and welcomes everybody.
TEST_CASE("encrypted: an end that was talked out of it lets nobody in") {
  HandshakePair pair;
  pair.begin(by(of_our_key()));
  const auto say = [&](FrameHeader header, std::span<const std::byte> bytes) {
    header.payload_bytes = bytes.size();
    boost::asio::write(pair.right, boost::asio::buffer(encode(header)));
    boost::asio::write(pair.right, boost::asio::buffer(bytes.data(), bytes.size()));
  };
  const auto greeting = heard(pair, pair.right);
  CHECK(greeting.size() > 100);
  CHECK(greeting.size() < 1'400);  // one segment
  say({.kind = kInPlain}, {});
  const auto hello = heard(pair, pair.right);
  REQUIRE(hello.size() == sizeof(HeaderBytes) + sizeof(Nonce));
  Nonce theirs{};
  std::ranges::copy(std::span(hello).last(sizeof(Nonce)), theirs.begin());
  const Nonce mine{};
  say({.kind = static_cast<std::uint16_t>(HandshakeKind::challenge)}, mine);
  pair.loop.run_for(std::chrono::milliseconds(20));
  // Even an attacker with the key cannot make it continue in plain text.
  const Proof proof = kJobKey.prove(End::accepting, kEnds, theirs, mine);
  say({.kind = static_cast<std::uint16_t>(HandshakeKind::welcome)}, proof);
  pair.until([&] { return pair.connecting.over(); });
  CHECK(!pair.connecting.proved);
  CHECK(pair.connecting.refusal() == Refusal::tls);
}

// A proxy between two ends that forwards and stores the bytes; from `changed` on, it flips a bit.
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
  [[nodiscard]] bool heard(std::span<const std::byte> piece) const {
    return std::search(heard_.begin(), heard_.end(), piece.begin(), piece.end()) != heard_.end();
  }
  void change() { change_ = true; }

 private:
  void pass(tcp::socket& from, tcp::socket& to, std::size_t way) {
    auto& piece = pieces_.at(way);
    from.async_receive(boost::asio::buffer(piece),
                       [=, this, &from, &to](boost::system::error_code error, std::size_t count) {
                         if (error) return;
                         auto& bytes = pieces_.at(way);
                         if (change_) bytes[count / 2] ^= std::byte{1};
                         heard_.insert(heard_.end(), bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(count));
                         boost::asio::write(to, boost::asio::buffer(bytes, count), error);
                         pass(from, to, way);
                       });
  }

  tcp::acceptor acceptor_;
  tcp::socket near_;
  tcp::socket far_;
  bool change_ = false;
  std::array<std::array<std::byte, 3'000>, 2> pieces_{};
  std::vector<std::byte> heard_;
};

TEST_CASE(
    "encrypted: who is on the way sees parameters without TLS, with it none, and changes none") {
  const bool encrypts = GENERATE(true, false);
  HandshakePair pair;
  tcp::acceptor acceptor(pair.loop, {boost::asio::ip::address_v4::loopback(), 0});
  Recorder recorder(pair.loop, acceptor.local_endpoint());
  pair.left = tcp::socket(pair.loop);
  pair.right = tcp::socket(pair.loop);
  pair.left.connect(recorder.place());
  acceptor.accept(pair.right);
  const SharedTls tls = encrypts ? of_our_key() : nullptr;
  pair.meet(by(tls), by(tls));
  REQUIRE(pair.connecting.proved);
  REQUIRE(pair.accepting.proved);
  const Payload parameters = noise(100'000, 3);
  bool arrived = false;
  std::string why;
  pair.accepted->start(
      [&](const FrameHeader&, const Payload& got) {
        arrived = std::ranges::equal(got.bytes(), parameters.bytes());
      },
      [&](const std::string& closed) { why = closed; });
  pair.connected->send(frame_of(100'000, 1), parameters);
  pair.until([&] { return arrived; });
  CHECK(arrived);
  CHECK(recorder.heard(parameters.bytes().subspan(50'000, 16)) == !encrypts);
  CHECK(recorder.heard(std::as_bytes(std::span("FTRN", 4))) == !encrypts);
  if (!encrypts) return;
  recorder.change();
  pair.connected->send(frame_of(1'000, 2), noise(1'000, 3));
  pair.until([&] { return !why.empty(); });
  CHECK(why == "its data was changed on the way (TLS)");
}

TEST_CASE("encrypted: who speaks neither TLS nor this protocol is refused") {
  HandshakePair pair;
  pair.answer(by(of_our_key()));
  boost::asio::write(pair.left, boost::asio::buffer(std::string_view("GET / HTTP/1.1\r\n\r\n")));
  pair.until([&] { return pair.accepting.over(); });
  CHECK(pair.accepting.why() == "it does not speak TLS 1.3 (http request)");
  CHECK(pair.accepting.refusal() == Refusal::certificate);
}

int renewals = 0;

void count_renewals(int sending, int /*version*/, int kind, const void* bytes, std::size_t size,
                    SSL* /*ends*/, void* /*nothing*/) {
  const bool said = sending == 1 && kind == SSL3_RT_HANDSHAKE && size > 0;
  if (said && *static_cast<const unsigned char*>(bytes) == SSL3_MT_KEY_UPDATE) ++renewals;
}

TEST_CASE("encrypted: a key that has encrypted enough is renewed in the middle of a talk") {
  const auto tls = Tls::of_key(kJobKey, Bytes{200'000});
  SSL_CTX_set_msg_callback(tls->context(), count_renewals);
  renewals = 0;
  ConnectionPair pair(Carrier::tls, {1'000'000}, tls);
  int arrived = 0;
  const auto listen = [&](const std::shared_ptr<Connection>& at) {
    at->start(
        [&](const FrameHeader&, const Payload& got) {
          CHECK(std::ranges::equal(got.bytes(), noise(1'000'000, 1).bytes()));
          ++arrived;
        },
        [](const std::string& why) { FAIL(why); });
  };
  listen(pair.one);
  listen(pair.other);
  for (const auto& from : {pair.one, pair.other}) {
    from->send(frame_of(1'000'000, 1), noise(1'000'000, 1));
  }
  pair.until([&] { return arrived == 2; });
  CHECK(arrived == 2);
  CHECK(renewals >= 6);
}

}  // namespace
}  // namespace foretrain::exec
