// Frames over a real socket on loopback.
#include "exec/transport/connection.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;

struct Pair {
  boost::asio::io_context loop{1};
  tcp::socket left{loop};
  tcp::socket right{loop};

  Pair() {
    tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
    left.connect(acceptor.local_endpoint());
    acceptor.accept(right);
  }
};

FrameHeader push_of(Bytes size) {
  Message message;
  message.payload = Payload::sized(size);
  return header_of(message, NodeId(1));
}

TEST_CASE("connection: large frames cross in both directions at once") {
  Pair pair;
  const Bytes size{8'000'000};  // far more than the sockets hold: both must read while they write
  auto left = std::make_shared<Connection>(std::move(pair.left), size);
  auto right = std::make_shared<Connection>(std::move(pair.right), size);
  Payload payload = Payload::allocate(size);
  const auto numbers = payload.writable_floats();
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1000);
  int arrived = 0;
  const auto check = [&](const FrameHeader& header, const Payload& got) {
    CHECK(header.from == 1);
    CHECK(std::ranges::equal(got.floats(), payload.floats()));
    if (++arrived == 6) pair.loop.stop();
  };
  const auto closed = [](const std::string& why) { FAIL(why); };
  left->start(check, closed);
  right->start(check, closed);
  for (int i = 0; i < 3; ++i) {
    left->send(push_of(size), payload);
    right->send(push_of(size), payload);
  }
  pair.loop.run();
  CHECK(arrived == 6);
}

/// An address of this machine by which others reach it.
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
    tcp::acceptor acceptor(loop, {*address, 0});
    tcp::socket socket(loop);
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

TEST_CASE("connection: frames of any size cross in order, many in one write") {
  Pair pair;
  const Bytes most{400'000};
  auto left = std::make_shared<Connection>(std::move(pair.left), most);
  auto right = std::make_shared<Connection>(std::move(pair.right), most);
  const auto closed = [](const std::string& why) { FAIL(why); };
  left->start([](const FrameHeader&, const Payload&) {}, closed);
  // Around what a reader holds aside, and what a socket takes at once.
  const std::vector<std::int64_t> sizes{0, 4, 60, 4'028, 4'032, 4'036, 8'128, 100'000, 400'000};
  constexpr int kFrames = 200;
  int arrived = 0;
  right->start(
      [&](const FrameHeader& header, const Payload& got) {
        REQUIRE(header.step == arrived);
        REQUIRE(got.size().value == sizes[static_cast<std::size_t>(arrived) % sizes.size()]);
        const auto numbers = got.floats();
        REQUIRE(std::ranges::count(numbers, static_cast<float>(arrived)) == std::ssize(numbers));
        if (++arrived == kFrames) pair.loop.stop();
      },
      closed);
  for (int i = 0; i < kFrames; ++i) {
    const Bytes size{sizes[static_cast<std::size_t>(i) % sizes.size()]};
    Payload payload = Payload::allocate(size);
    std::ranges::fill(payload.writable_floats(), static_cast<float>(i));
    FrameHeader header = push_of(size);
    header.step = i;
    left->send(header, std::move(payload));
  }
  pair.loop.run();
  CHECK(arrived == kFrames);
  CHECK(left->drained());
}

TEST_CASE("connection: payloads arrive aligned to 64 bytes") {
  Pair pair;
  auto left = std::make_shared<Connection>(std::move(pair.left), Bytes{1'000});
  auto right = std::make_shared<Connection>(std::move(pair.right), Bytes{1'000});
  const auto closed = [](const std::string& why) { FAIL(why); };
  left->start([](const FrameHeader&, const Payload&) {}, closed);
  right->start(
      [&](const FrameHeader&, const Payload& got) {
        CHECK(reinterpret_cast<std::uintptr_t>(got.bytes().data()) % 64 == 0);
        pair.loop.stop();
      },
      closed);
  left->send(push_of({100}), Payload::allocate({100}));
  pair.loop.run();
}

std::string complaint_about(const std::string& bytes, bool close) {
  Pair pair;
  auto right = std::make_shared<Connection>(std::move(pair.right), Bytes{1'000});
  std::string complaint;
  right->start([](const FrameHeader&, const Payload&) { FAIL("no frame was sent"); },
               [&](const std::string& why) { complaint = why; });
  boost::asio::write(pair.left, boost::asio::buffer(bytes));
  if (close) pair.left.close();
  pair.loop.run();
  return complaint;
}

TEST_CASE("connection: a peer that sends garbage is cut off") {
  CHECK(complaint_about(std::string(64, 'x'), false) == "it does not speak this protocol");
}

TEST_CASE("connection: a peer that announces 2^60 bytes is cut off before room is made") {
  FrameHeader header = push_of({100});
  header.payload_bytes = std::uint64_t{1} << 60;
  const HeaderBytes bytes = encode(header);
  const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(complaint_about(raw, false) == "it announced a longer message than there can be");
}

TEST_CASE("connection: a peer that leaves is told from one that leaves within a message") {
  CHECK(complaint_about("", true) == "it closed the connection");
  const HeaderBytes bytes = encode(push_of({100}));
  const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK(complaint_about(raw + "abc", true) == "the connection ended within a message");
}

TEST_CASE("connection: what waits leaves by its bucket, and what is of one bucket in order") {
  Pair pair;
  const Bytes size{40'000'000};  // the first fills the socket, so the others wait
  auto left = std::make_shared<Connection>(std::move(pair.left), size);
  auto right = std::make_shared<Connection>(std::move(pair.right), size);
  const auto closed = [](const std::string& why) { FAIL(why); };
  left->start([](const FrameHeader&, const Payload&) {}, closed);
  std::vector<std::pair<std::uint32_t, std::int64_t>> arrived;
  right->start(
      [&](const FrameHeader& header, const Payload&) {
        arrived.emplace_back(header.bucket, header.step);
        if (arrived.size() == 7) pair.loop.stop();
      },
      closed);
  const auto send = [&](std::uint32_t bucket, std::int64_t step, Bytes bytes) {
    FrameHeader header = push_of(bytes);
    header.bucket = bucket;
    header.step = step;
    left->send(header, Payload::allocate(bytes));
  };
  send(9, 1, size);
  REQUIRE_FALSE(left->drained());
  for (const std::uint32_t bucket : {5, 3, 7, 3, 0}) send(bucket, 1, {400});
  send(5, 2, {400});
  pair.loop.run();
  const std::vector<std::pair<std::uint32_t, std::int64_t>> expected{{9, 1}, {0, 1}, {3, 1}, {3, 1},
                                                                     {5, 1}, {5, 2}, {7, 1}};
  CHECK(arrived == expected);
}

// Memory of both ends -----------------------------------------------------------------------------

TEST_CASE("connection: through memory of both ends frames of any size cross in order") {
  Pair pair;
  const Bytes most{9'000'000};  // more than the ring holds
  auto left = std::make_shared<Connection>(std::move(pair.left), most);
  auto right = std::make_shared<Connection>(std::move(pair.right), most);
  const auto closed = [](const std::string& why) { FAIL(why); };
  const std::vector<std::int64_t> sizes{0,         4,         3'996,   4'000, 250'000,
                                        1'000'000, 9'000'000, 400'000, 60};
  constexpr int kFrames = 100;
  int on_the_left = 0;
  int on_the_right = 0;
  const auto check_into = [&](int& arrived) {
    return [&](const FrameHeader& header, const Payload& got) {
      REQUIRE(header.step == arrived);
      REQUIRE(got.size().value == sizes[static_cast<std::size_t>(arrived) % sizes.size()]);
      const auto numbers = got.floats();
      REQUIRE(std::ranges::count(numbers, static_cast<float>(arrived)) == std::ssize(numbers));
      ++arrived;
      if (on_the_left + on_the_right == 2 * kFrames) pair.loop.stop();
    };
  };
  left->start(check_into(on_the_left), closed);
  right->start(check_into(on_the_right), closed);
  left->share_memory();
  right->share_memory();
  CHECK_FALSE(left->shares_memory());  // the other end has not opened it
  const auto send = [&](Connection& from, int i) {
    const Bytes size{sizes[static_cast<std::size_t>(i) % sizes.size()]};
    Payload payload = Payload::allocate(size);
    std::ranges::fill(payload.writable_floats(), static_cast<float>(i));
    FrameHeader header = push_of(size);
    header.step = i;
    from.send(header, std::move(payload));
  };
  for (int i = 0; i < kFrames; ++i) {
    send(*left, i);
    send(*right, i);
    // At first by the socket, then the one way or the other.
    while (i == 10 && !(left->shares_memory() && right->shares_memory())) pair.loop.run_one();
    if (i % 7 == 0) pair.loop.poll();
  }
  pair.loop.run();
  CHECK(on_the_left == kFrames);
  CHECK(on_the_right == kFrames);
}

TEST_CASE("connection: a payload in memory of both ends takes a header of the socket") {
  Pair pair;
  const Bytes size{300'000};
  auto left = std::make_shared<Connection>(std::move(pair.left), size);
  auto right = std::make_shared<Connection>(std::move(pair.right), size);
  const auto closed = [](const std::string& why) { FAIL(why); };
  int arrived = 0;
  left->start([](const FrameHeader&, const Payload&) {}, closed);
  right->start([&](const FrameHeader&, const Payload&) { ++arrived; }, closed);
  left->share_memory();
  right->share_memory();
  while (!left->shares_memory() || !right->shares_memory()) pair.loop.run_one();
  const std::uint64_t before = right->received();
  for (int i = 0; i < 3; ++i) left->send(push_of(size), Payload::allocate(size));
  CHECK(left->drained());
  while (arrived < 3) pair.loop.run_one();
  CHECK(right->received() - before == 3U * static_cast<unsigned>(kHeaderSize.value));
}

TEST_CASE("connection: where memory is full, what waits leaves by its bucket") {
  Pair pair;
  const Bytes most{40'000'000};
  auto left = std::make_shared<Connection>(std::move(pair.left), most);
  auto right = std::make_shared<Connection>(std::move(pair.right), most);
  const auto closed = [](const std::string& why) { FAIL(why); };
  std::vector<std::uint32_t> arrived;
  left->start([](const FrameHeader&, const Payload&) {}, closed);
  right->start([&](const FrameHeader& header, const Payload&) { arrived.push_back(header.bucket); },
               closed);
  left->share_memory();
  right->share_memory();
  while (!left->shares_memory()) pair.loop.run_one();
  // The first fills the memory, the second the socket.
  for (const std::uint32_t bucket : {9, 8, 5, 6, 3, 7}) {
    const Bytes size = bucket == 8 ? most : Bytes{800'000};
    FrameHeader header = push_of(size);
    header.bucket = bucket;
    left->send(header, Payload::allocate(size));
  }
  while (arrived.size() < 6) pair.loop.run_one();
  CHECK(arrived == std::vector<std::uint32_t>{9, 8, 3, 5, 6, 7});
}

TEST_CASE("connection: an end that shares no memory takes none, and is sent none") {
  Pair pair;
  auto left = std::make_shared<Connection>(std::move(pair.left), Bytes{1'000});
  auto right = std::make_shared<Connection>(std::move(pair.right), Bytes{1'000});
  std::vector<std::uint16_t> kinds;
  std::string complaint;
  left->start([](const FrameHeader&, const Payload&) {}, [](const std::string&) {});
  right->start([&](const FrameHeader& header, const Payload&) { kinds.push_back(header.kind); },
               [&](const std::string& why) { complaint = why; });
  left->share_memory();
  while (kinds.empty()) pair.loop.run_one();
  CHECK_FALSE(is_message(kinds.front()));  // for who listens to refuse
  FrameHeader header = push_of({400});
  header.in_ring = true;
  left->send(header, {});
  while (complaint.empty()) pair.loop.run_one();
  CHECK(complaint == "it announced a payload in memory that it does not share");
}

}  // namespace
}  // namespace foretrain::exec
