// Two ends of an encrypted conversation, in memory.
#include "exec/transport/tls_stream.h"

#include <catch2/catch.hpp>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {

using Text = std::vector<std::byte>;

// Bytes that repeat after 251, so that a piece in the wrong place is noticed.
Text text_of_size(std::size_t size) {
  Text text(size);
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<std::byte>(i % 251);
  return text;
}

const JobKey kTlsKey("0123456789abcdef");

struct Talk {
  TlsStream left;
  TlsStream right;
  Text wire;  // all that went from left to right
  Text heard_right;
  Text heard_left;

  explicit Talk(const std::shared_ptr<const Tls>& one = Tls::of_key(kTlsKey),
                const std::shared_ptr<const Tls>& other = Tls::of_key(kTlsKey))
      : left(one, End::connecting), right(other, End::accepting) {}

  // What `from` has for the socket, in portions of a size.
  void carry(TlsStream& from, TlsStream& to, std::size_t portion) {
    Text& heard = &to == &right ? heard_right : heard_left;
    while (!from.sealed().empty()) {
      const auto piece =
          from.sealed().first(std::min({portion, from.sealed().size(), to.room().size()}));
      if (&from == &left) wire.insert(wire.end(), piece.begin(), piece.end());
      std::ranges::copy(piece, to.room().begin());
      const std::size_t count = piece.size();
      from.sent(count);
      to.take(count);
      Text opened(5'000);
      while (const std::size_t got = to.open(opened)) {
        heard.insert(heard.end(), opened.begin(),
                     opened.begin() + static_cast<std::ptrdiff_t>(got));
      }
    }
  }
  void meet(std::size_t portion = 1'460) {
    for (int turn = 0; turn < 4; ++turn) {
      carry(left, right, portion);
      carry(right, left, portion);
    }
  }
  void say(TlsStream& from, TlsStream& to, const Text& text, std::size_t portion) {
    for (std::size_t done = 0; done < text.size();) {
      const boost::asio::const_buffer rest =
          boost::asio::buffer(text.data() + done, text.size() - done);
      const std::size_t sealed = from.seal({&rest, 1});
      REQUIRE(sealed > 0);
      done += sealed;
      carry(from, to, portion);
    }
  }
};

TEST_CASE("tls stream: what one end seals the other opens, in any portions") {
  const std::size_t portion = GENERATE(1, 7, 1'460, 100'000);
  const std::size_t size = GENERATE(1, 64, 16'383, 16'384, 16'385, 300'001);
  if (portion < 1'000 && size > 20'000) return;
  Talk talk;
  talk.meet(portion);
  REQUIRE(talk.left.agreed());
  REQUIRE(talk.right.agreed());
  const Text text = text_of_size(size);
  talk.say(talk.left, talk.right, text, portion);
  talk.say(talk.right, talk.left, text, portion);
  CHECK(talk.heard_right == text);
  CHECK(talk.heard_left == text);
}

TEST_CASE("tls stream: small parts share a record, large ones cost little more than they are") {
  Talk talk;
  talk.meet();
  const Text text = text_of_size(100'000);
  std::vector<boost::asio::const_buffer> parts;
  for (std::size_t i = 0; i < 20; ++i) {
    parts.push_back(boost::asio::buffer(text.data() + 100 * i, 100));
  }
  CHECK(talk.left.seal(parts) == 2'000);
  CHECK(talk.left.sealed().size() < 2'000 + 30);
  talk.carry(talk.left, talk.right, 1'000);
  CHECK(std::ranges::equal(talk.heard_right, std::span(text).first(2'000)));
  const boost::asio::const_buffer large = boost::asio::buffer(text);
  const std::size_t sealed = talk.left.seal({&large, 1});
  CHECK(sealed > 60'000);
  CHECK(talk.left.sealed().size() < sealed + 7 * 30);
}

TEST_CASE("tls stream: a large message is sealed no further ahead than the socket needs") {
  Talk talk;
  talk.meet();
  const Text text = text_of_size(2'000'000);
  const boost::asio::const_buffer all = boost::asio::buffer(text);
  CHECK(talk.left.seal({&all, 1}) == 64 * 1024);
}

TEST_CASE("tls stream: nothing that was said is on the wire") {
  Talk talk;
  talk.meet();
  const Text text = text_of_size(100'000);
  talk.say(talk.left, talk.right, text, 1'460);
  const auto piece = std::span(text).first(16);
  const auto is_in = [&](const auto& bytes) {
    return std::search(bytes.begin(), bytes.end(), piece.begin(), piece.end()) != bytes.end();
  };
  CHECK(is_in(talk.heard_right));
  CHECK(talk.wire.size() > text.size());
  CHECK_FALSE(is_in(talk.wire));
}

TEST_CASE("tls stream: an end with another key goes no further, and both say why") {
  Talk talk(Tls::of_key(kTlsKey), Tls::of_key(JobKey("fedcba9876543210")));
  talk.meet();
  CHECK(!talk.left.agreed());
  CHECK(!talk.right.agreed());
  CHECK_THAT(
      talk.left.wrong(),
      Catch::StartsWith("its certificate is not of this job key; give the same key to every"));
  CHECK_THAT(talk.right.wrong(),
             Catch::StartsWith("it does not take this end's certificate (bad certificate); give"));
}

TEST_CASE("tls stream: nothing is sealed before the ends know each other") {
  Talk talk;
  const Text text = text_of_size(100);
  const boost::asio::const_buffer all = boost::asio::buffer(text);
  const std::size_t greeting = talk.left.sealed().size();
  CHECK(talk.left.seal({&all, 1}) == 0);
  CHECK(talk.right.seal({&all, 1}) == 0);
  CHECK(talk.left.sealed().size() == greeting);
  CHECK(talk.right.sealed().empty());
}

TEST_CASE("tls stream: what was changed on its way is noticed") {
  Talk talk;
  talk.meet();
  const Text text = text_of_size(100);
  const boost::asio::const_buffer all = boost::asio::buffer(text);
  REQUIRE(talk.left.seal({&all, 1}) == 100);
  Text changed(talk.left.sealed().begin(), talk.left.sealed().end());
  changed[50] ^= std::byte{1};
  std::ranges::copy(changed, talk.right.room().begin());
  talk.right.take(changed.size());
  Text opened(1'000);
  CHECK(talk.right.open(opened) == 0);
  CHECK(talk.right.wrong() == "what it sent was changed on its way (TLS)");
}

int renewals = 0;

void count_renewals(int sending, int /*version*/, int kind, const void* bytes, std::size_t size,
                    SSL* /*ends*/, void* /*nothing*/) {
  const bool said = sending == 1 && kind == SSL3_RT_HANDSHAKE && size > 0;
  if (said && *static_cast<const unsigned char*>(bytes) == SSL3_MT_KEY_UPDATE) ++renewals;
}

TEST_CASE("tls stream: a key that has encrypted enough is renewed in the middle of a talk") {
  const auto tls = Tls::of_key(kTlsKey, Bytes{200'000});
  SSL_CTX_set_msg_callback(tls->context(), count_renewals);
  renewals = 0;
  Talk talk(tls, Tls::of_key(kTlsKey));
  talk.meet();
  const Text text = text_of_size(1'000'000);
  talk.say(talk.left, talk.right, text, 1'460);
  talk.say(talk.right, talk.left, text, 1'460);
  CHECK(talk.heard_right == text);
  CHECK(talk.heard_left == text);
  CHECK(renewals >= 3);
}

TEST_CASE("tls stream: a greeting is known, whatever is none is not") {
  const TlsStream connecting(Tls::of_key(kTlsKey), End::connecting);
  const auto greeting = connecting.sealed();
  CHECK(greeting.size() < 1'400);  // one segment
  CHECK(is_tls_greeting(greeting));
  CHECK(!is_tls_greeting(greeting.first(greeting.size() - 1)));
  CHECK(!is_tls_greeting(greeting.first(4)));
  CHECK(!is_tls_greeting({}));
  CHECK(!is_tls_greeting(Text(64, std::byte{'F'})));
}

TEST_CASE("tls stream: who speaks no TLS is told so in an alert") {
  TlsStream accepting(Tls::of_key(kTlsKey), End::accepting);
  const std::string words = "GET / HTTP/1.1\r\n\r\n";
  std::ranges::copy(std::as_bytes(std::span(words)), accepting.room().begin());
  accepting.take(words.size());
  Text opened(100);
  CHECK(accepting.open(opened) == 0);
  CHECK(accepting.wrong() == "it does not speak TLS 1.3 (http request)");
}

}  // namespace
}  // namespace foretrain::exec
