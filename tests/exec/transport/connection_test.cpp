// Frames over each kind of stream: a socket on loopback, TLS, shared memory.
#include "exec/transport/connection.h"

#include "tests/exec/transport/pair.h"

#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {

void ignore(const FrameHeader& /*header*/, const Payload& /*payload*/) {}
void fail(const std::string& why) { FAIL(why); }

TEST_CASE("connection: frames of 0 bytes to 16 MB cross in both directions at once, in order") {
  const Carrier carrier = GENERATE(Carrier::socket, Carrier::tls, Carrier::memory);
  CAPTURE(carrier);
  ConnectionPair pair(carrier, {16'000'000});
  // Sizes around the limits of the reader's buffer, a TLS record, a ring, a socket.
  const std::vector<std::size_t> sizes{
      1, 0, 63, 4'028, 4'032, 4'036, 16'320, 16'384, 100'000, 300'000, 1'048'512, 2'000'001, 5, 60};
  const auto size_of = [&](std::size_t i) {
    return i == 40 ? 16'000'000 : sizes[i % sizes.size()];
  };
  constexpr std::size_t kFrames = 100;
  std::array<std::size_t, 2> arrived{};
  const auto listen = [&](const std::shared_ptr<Connection>& at, std::size_t& count) {
    at->start(
        [&](const FrameHeader& header, const Payload& got) {
          REQUIRE(header.step == static_cast<std::int64_t>(count));
          REQUIRE(std::ranges::equal(got.bytes(), noise(size_of(count), count).bytes()));
          REQUIRE(reinterpret_cast<std::uintptr_t>(got.bytes().data()) % 64 == 0);
          ++count;
        },
        fail);
  };
  listen(pair.one, arrived[0]);
  listen(pair.other, arrived[1]);
  for (std::size_t i = 0; i < kFrames; ++i) {
    for (const auto& from : {pair.one, pair.other}) {
      from->send(frame_of(size_of(i), static_cast<std::int64_t>(i)), noise(size_of(i), i));
    }
    if (i % 7 == 0) pair.loop.poll();
  }
  pair.until([&] { return arrived[0] == kFrames && arrived[1] == kFrames; });
  CHECK(arrived == std::array{kFrames, kFrames});
  CHECK(pair.one->drained());
  CHECK(pair.one->stream().encrypts() == (carrier == Carrier::tls));
}

TEST_CASE("connection: what waits leaves by its bucket, and what is of one bucket in order") {
  ConnectionPair pair(GENERATE(Carrier::socket, Carrier::tls, Carrier::memory), {40'000'000});
  std::vector<std::pair<std::uint32_t, std::int64_t>> arrived;
  bool ready = false;
  pair.one->start(ignore, fail);
  pair.other->start(
      [&](const FrameHeader& header, const Payload&) {
        if (!std::exchange(ready, true)) return;
        arrived.emplace_back(header.bucket, header.step);
      },
      fail);
  pair.one->send(frame_of(0, 0), {});  // the TLS handshake is complete when it arrives
  pair.until([&] { return ready; });
  const auto send = [&](std::uint32_t bucket, std::int64_t step, std::size_t size) {
    pair.one->send(frame_of(size, step, bucket), noise(size, bucket));
  };
  send(9, 1, 40'000'000);  // the others wait for it
  REQUIRE_FALSE(pair.one->drained());
  for (const std::uint32_t bucket : {5, 3, 7, 3, 0}) send(bucket, 1, 400);
  send(5, 2, 400);
  pair.until([&] { return arrived.size() == 7; });
  const std::vector<std::pair<std::uint32_t, std::int64_t>> expected{{9, 1}, {0, 1}, {3, 1}, {3, 1},
                                                                     {5, 1}, {5, 2}, {7, 1}};
  CHECK(arrived == expected);
}

std::string complaint_about(const std::string& bytes, bool close) {
  SocketPair pair;
  auto right = std::make_shared<Connection>(std::move(pair.right), Bytes{1'000});
  std::string complaint;
  right->start([](const FrameHeader&, const Payload&) { FAIL("no frame was sent"); },
               [&](const std::string& why) { complaint = why; });
  boost::asio::write(pair.left, boost::asio::buffer(bytes));
  if (close) pair.left.close();
  pair.loop.run();
  return complaint;
}

TEST_CASE("connection: a peer that sends garbage, or announces 2^60 bytes, is cut off") {
  CHECK(complaint_about(std::string(64, 'x'), false) == "it does not use this protocol");
  const HeaderBytes bytes = encode(frame_of(std::size_t{1} << 60, 0));
  const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(complaint_about(raw, false) == "it announced a message longer than allowed");
}

TEST_CASE("connection: a peer that leaves is told from one that leaves within a message") {
  CHECK(complaint_about("", true) == "it closed the connection");
  const HeaderBytes bytes = encode(frame_of(100, 0));
  const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(complaint_about(raw + "abc", true) == "the connection ended within a message");
}

TEST_CASE("connection: last words arrive before the end of the stream") {
  ConnectionPair pair(GENERATE(Carrier::socket, Carrier::memory), {30'000});
  std::size_t arrived = 0;
  std::string why;
  for (int i = 0; i < 3; ++i) pair.one->send(frame_of(30'000, i), noise(30'000, 1));
  pair.one->close();
  pair.other->start(
      [&](const FrameHeader& header, const Payload&) { arrived += header.payload_bytes; },
      [&](const std::string& closed) { why = closed; });
  pair.until([&] { return !why.empty(); });
  CHECK(arrived == 90'000);
  CHECK(why == "it closed the connection");
}

// Shared memory -----------------------------------------------------------------------------------

TEST_CASE("connection: payloads in memory of both ends take next to nothing of the socket") {
  ConnectionPair pair(Carrier::memory, {300'000});
  int arrived = 0;
  pair.one->start(ignore, fail);
  pair.other->start([&](const FrameHeader&, const Payload&) { ++arrived; }, fail);
  for (int i = 0; i < 3; ++i) pair.one->send(frame_of(300'000, i), noise(300'000, 1));
  CHECK(pair.one->drained());
  int on_the_wire = 0;
  REQUIRE(ioctl(pair.other_socket, FIONREAD, &on_the_wire) == 0);
  CHECK(on_the_wire > 0);
  CHECK(on_the_wire < 20);
  pair.until([&] { return arrived == 3; });
  CHECK(arrived == 3);
}

// Too many to send a byte each over the socket.
TEST_CASE(
    "connection: a burst of small frames through memory arrives whole, and wakes its reader") {
  ConnectionPair pair(Carrier::memory, {1'000});
  constexpr int kFrames = 60'000;
  int arrived = 0;
  pair.one->start(ignore, fail);
  pair.other->start(
      [&](const FrameHeader& header, const Payload&) {
        REQUIRE(header.step == arrived);
        ++arrived;
      },
      fail);
  for (int i = 0; i < kFrames; ++i) pair.one->send(frame_of(0, i), {});
  CHECK_FALSE(pair.one->drained());  // exceeds the shared memory
  pair.until([&] { return arrived == kFrames; });
  CHECK(arrived == kFrames);
  pair.one->send(frame_of(8, kFrames), noise(8, 1));
  pair.until([&] { return arrived == kFrames + 1; });
  CHECK(arrived == kFrames + 1);
}

/// An address of this machine that is reachable from other machines.
std::optional<boost::asio::ip::address> address_for_others() {
  ifaddrs* all = nullptr;
  std::optional<boost::asio::ip::address> found;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* each = all; each != nullptr && !found; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    const auto* place = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
    const boost::asio::ip::address_v4 address(ntohl(place->sin_addr.s_addr));
    if (!address.is_loopback()) found = address;
  }
  freeifaddrs(all);
  return found;
}

TEST_CASE("connection: another machine that answers nothing counts as gone, this one's never") {
  const auto others = address_for_others();
  if (!others) WARN("skipped: this machine has no address but loopback's");
  for (const auto& address :
       {std::optional<boost::asio::ip::address>(boost::asio::ip::address_v4::loopback()), others}) {
    if (!address) continue;
    boost::asio::io_context loop(1);
    boost::asio::ip::tcp::acceptor acceptor(loop, {*address, 0});
    boost::asio::ip::tcp::socket socket(loop);
    socket.connect(acceptor.local_endpoint());
    const int native = socket.native_handle();
    const auto connection = std::make_shared<Connection>(std::move(socket), Bytes{1'000});
    connection->give_up_after({3'000'000'000});
    int limit_ms = -1;
    socklen_t size = sizeof limit_ms;
    REQUIRE(getsockopt(native, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, &size) == 0);
    CHECK(limit_ms == (address->is_loopback() ? 0 : 3'000));
  }
}

}  // namespace
}  // namespace foretrain::exec
