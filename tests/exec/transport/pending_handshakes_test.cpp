// Pending handshakes over real sockets on loopback: waiting, accepted, rejected ones.
#include "exec/transport/pending_handshakes.h"

#include "tests/exec/transport/pair.h"
#include "tests/support/instruments.h"

#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;

constexpr std::size_t kExpected = 2;
constexpr std::size_t kMostWaiting = kMostStrangers + kExpected;

// A lobby with its results.
struct OpenLobby : SocketPair {
  Handshake handshake;
  tcp::acceptor acceptor{loop, {boost::asio::ip::address_v4::loopback(), 0}};
  PendingHandshakes pending;
  std::vector<std::uint32_t> proved;  // ids
  std::vector<std::shared_ptr<Connection>> let_in;
  std::vector<std::pair<std::string, Refused>> refused;  // with their addresses
  std::deque<tcp::socket> strangers;

  explicit OpenLobby(Duration limit = {20'000'000'000}, bool tls = false)
      : handshake{.key = kJobKey,
                  .most_payload = {1'000},
                  .limit = limit,
                  .tls = tls ? Tls::of_key(kJobKey) : nullptr},
        pending(loop, handshake, kEnds.accepting, kExpected) {
    pending.open(
        [this](const std::shared_ptr<Connection>& connection, std::uint32_t from) {
          proved.push_back(from);
          let_in.push_back(connection);
          connection->start([](const FrameHeader&, const Payload&) {}, [](const std::string&) {});
        },
        [this](const std::string& peer, const Refused& why) { refused.emplace_back(peer, why); });
    pending.serve(acceptor);
  }

  void turn(int ms = 20) { loop.run_for(std::chrono::milliseconds(ms)); }
  void until_waiting(std::size_t count) {
    until([&] { return pending.waiting() == count; });
    CHECK(pending.waiting() == count);
  }
  // Connects without sending anything. Returns its address.
  std::string stranger() {
    tcp::socket& socket = strangers.emplace_back(loop);
    socket.connect(acceptor.local_endpoint());
    return to_text(socket.local_endpoint());
  }
  // Connects as a node of the run, which begins to prove the key.
  std::shared_ptr<Connection> node(std::uint32_t id) {
    tcp::socket socket(loop);
    socket.connect(acceptor.local_endpoint());
    auto connection = std::make_shared<Connection>(std::move(socket), kMostBeforeProof);
    handshake.begin(
        connection, {id, kEnds.accepting}, [](const std::shared_ptr<Connection>&, std::uint32_t) {},
        [](const Refused&) {});
    return connection;
  }
  // The first message of a node.
  [[nodiscard]] static std::vector<std::byte> hello(std::uint32_t from) {
    const auto header = encode({.kind = static_cast<std::uint16_t>(HandshakeKind::hello),
                                .from = from,
                                .payload_bytes = sizeof(Nonce)});
    std::vector<std::byte> words(header.begin(), header.end());
    words.resize(sizeof header + sizeof(Nonce));
    return words;
  }
};

// With TLS, strangers send all of a greeting, half of it, or nothing.
TEST_CASE("lobby: nobody waits for the proof of somebody who came before") {
  const bool tls = GENERATE(false, true);
  OpenLobby open({20'000'000'000}, tls);
  HandshakePair greeter;
  greeter.begin(open.handshake);
  std::vector<std::byte> greeting(tls ? greeter.right.available() : 0);
  greeter.right.receive(boost::asio::buffer(greeting));
  for (std::size_t i = 0; i < 50; ++i) {
    open.stranger();
    const std::size_t words = greeting.size() * (i % 3) / 2;
    boost::asio::write(open.strangers.back(), boost::asio::buffer(greeting, words));
  }
  const auto node = open.node(1);
  open.until([&] { return open.proved.size() == 1; });
  open.until_waiting(50);
  CHECK(open.proved == std::vector<std::uint32_t>{1});
  CHECK(open.refused.empty());
}

TEST_CASE("lobby: where too many wait, those who came first leave") {
  OpenLobby open;
  std::vector<std::string> came;
  for (std::size_t i = 0; i < kMostWaiting + 3; ++i) came.push_back(open.stranger());
  open.until([&] { return open.refused.size() == 3; });
  open.until_waiting(kMostWaiting);
  REQUIRE(open.refused.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(open.refused[i].first == came[i]);
    CHECK(open.refused[i].second.refusal == Refusal::crowded);
    CHECK(!open.refused[i].second.claimed);
    CHECK(open.refused[i].second.why == "it did not prove the job key before 65 others came");
  }
}

TEST_CASE("lobby: who has proved the key stays, however many come after") {
  OpenLobby open;
  const auto first = open.node(3);
  open.until([&] { return !open.proved.empty(); });
  REQUIRE(open.proved.size() == 1);
  for (std::size_t i = 0; i < 3 * kMostWaiting; ++i) {
    open.stranger();
    if (i % 10 == 0) open.turn(1);
  }
  const auto second = open.node(4);
  open.until([&] { return open.proved.size() == 2; });
  open.until_waiting(kMostStrangers);  // nobody else is expected
  CHECK(open.proved == std::vector<std::uint32_t>{3, 4});
  CHECK(!open.let_in.front()->closed());
  CHECK(!open.let_in.back()->closed());
  CHECK(!first->closed());
}

TEST_CASE("lobby: room is kept for nodes that are still to come, for no others") {
  OpenLobby open;
  const auto first = open.node(1);
  open.until([&] { return open.let_in.size() == 1; });
  for (std::size_t i = 0; i < kMostWaiting; ++i) open.stranger();
  open.until_waiting(kMostStrangers + kExpected - 1);
  const auto second = open.node(2);
  open.until([&] { return open.let_in.size() == 2; });
  open.until_waiting(kMostStrangers);
  for (std::size_t i = 0; i < kMostWaiting; ++i) open.stranger();
  open.turn(100);
  CHECK(open.pending.waiting() == kMostStrangers);
  CHECK(open.let_in.size() == kExpected);
}

// The strangers send a node's messages slowly; bytes do not renew the limit.
TEST_CASE("lobby: slow strangers leave in time, and keep nobody out") {
  OpenLobby open({200'000'000});
  const auto words = OpenLobby::hello(1);
  for (int i = 0; i < 50; ++i) open.stranger();
  const auto node = open.node(2);
  for (std::size_t byte = 0; byte < 20; ++byte) {
    for (tcp::socket& each : open.strangers) {
      boost::system::error_code gone;
      boost::asio::write(each, boost::asio::buffer(&words[byte], 1), gone);
    }
    open.turn(20);
  }
  CHECK(open.proved == std::vector<std::uint32_t>{2});
  CHECK(open.pending.waiting() == 0);
  REQUIRE(open.refused.size() == 50);
  CHECK(open.refused.front().second.refusal == Refusal::silent);
  CHECK(open.refused.front().second.why == "it did not say who it is within 200 ms");
}

TEST_CASE("lobby: a node that was slow is told from a stranger by the name that it gave") {
  OpenLobby open({100'000'000});
  tcp::socket& slow = open.strangers.emplace_back(open.loop);
  slow.connect(open.acceptor.local_endpoint());
  boost::asio::write(slow, boost::asio::buffer(OpenLobby::hello(5)));
  open.turn(300);
  open.stranger();
  open.turn(300);
  REQUIRE(open.refused.size() == 2);
  CHECK(open.refused[0].second.claimed == 5);
  CHECK(open.refused[0].second.why == "it did not prove the job key within 100 ms");
  CHECK(!open.refused[1].second.claimed);
  CHECK(open.refused[1].second.why == "it did not say who it is within 100 ms");
  CHECK(open.pending.waiting() == 0);
}

TEST_CASE("lobby: one that leaves makes room") {
  OpenLobby open;
  for (std::size_t i = 0; i < kMostWaiting; ++i) open.stranger();
  open.turn(100);
  open.strangers.clear();
  open.turn(100);
  CHECK(open.pending.waiting() == 0);
  CHECK(open.refused.size() == kMostWaiting);
  const auto all_left = std::ranges::all_of(
      open.refused, [](const auto& each) { return each.second.refusal == Refusal::left; });
  CHECK(all_left);
}

// A limit to the open files of this process, until the end of the test.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{most, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE("lobby: where nothing more can be opened the oldest makes room, and others get in") {
  if (testing::kAddressSanitized) {
    // UBSan, which is always built together with it, inspects objects through a pipe.
    WARN("skipped: a sanitizer has to open pipes");
    return;
  }
  OpenLobby open;
  for (int i = 0; i < 40; ++i) open.stranger();
  const auto node = open.node(1);
  {
    // Enough for about half of the connections.
    const int next = ::open("/dev/null", O_RDONLY);
    close(next);
    const FewDescriptors few(static_cast<rlim_t>(next) + 20);
    open.turn(1'000);
  }
  open.turn(100);
  CHECK(open.proved == std::vector<std::uint32_t>{1});
  CHECK(open.refused.size() >= 20);
}

}  // namespace
}  // namespace foretrain::exec
