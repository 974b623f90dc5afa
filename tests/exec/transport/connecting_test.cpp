// Connecting to a process that may not have started yet.
#include "exec/transport/connecting.h"

#include "exec/transport/pending_handshakes.h"
#include "tests/exec/transport/pair.h"
#include "tests/support/free_port.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;
using Clock = std::chrono::steady_clock;

// A client that connects to a port of loopback, with the result.
struct Visitor {
  boost::asio::io_context loop{1};
  tcp::endpoint there{boost::asio::ip::address_v4::loopback(),
                      static_cast<std::uint16_t>(testing::free_port())};
  std::shared_ptr<Connection> connection;
  std::optional<std::string> why;
  std::optional<Refused> refused;

  void visit(std::chrono::milliseconds limit, bool may_come_later, const JobKey& key = kJobKey) {
    connect(
        loop,
        {.there = there,
         .ends = kEnds,
         .handshake = {.key = key, .most_payload = {1'000}},
         .deadline = Clock::now() + limit,
         .may_come_later = may_come_later},
        [this](const std::shared_ptr<Connection>& made, const auto& /*here*/) {
          connection = made;
          loop.stop();
        },
        [this](const std::string& reason, const std::optional<Refused>& by) {
          why = reason;
          refused = by;
          loop.stop();
        });
  }
};

TEST_CASE("connecting: who may come later is tried again until it listens") {
  Visitor visitor;
  visitor.visit(std::chrono::seconds(60), true);
  visitor.loop.run_for(std::chrono::milliseconds(50));
  REQUIRE(!visitor.why);
  tcp::acceptor acceptor(visitor.loop);
  PendingHandshakes pending(visitor.loop, {.key = kJobKey, .most_payload = {1'000}},
                            kEnds.accepting, 1);
  REQUIRE(listen_at(acceptor, visitor.there).empty());
  pending.open([](const auto& /*peer*/, std::uint32_t /*from*/) {},
               [](const std::string& /*peer*/, const Refused& /*refused*/) {});
  pending.serve(acceptor);
  visitor.loop.run_for(std::chrono::seconds(60));
  CHECK(visitor.connection != nullptr);
}

TEST_CASE("connecting: without a listener the last error is told, at once or at the deadline") {
  const bool may_come_later = GENERATE(false, true);
  Visitor visitor;
  visitor.visit(may_come_later ? std::chrono::milliseconds(250) : std::chrono::minutes(1),
                may_come_later);
  visitor.loop.run_for(std::chrono::seconds(30));
  CHECK(visitor.why == "Connection refused");
  CHECK(!visitor.refused);
}

TEST_CASE("connecting: another key is not tried again") {
  Visitor visitor;
  tcp::acceptor acceptor(visitor.loop);
  PendingHandshakes pending(visitor.loop, {.key = kJobKey, .most_payload = {1'000}},
                            kEnds.accepting, 1);
  REQUIRE(listen_at(acceptor, visitor.there).empty());
  pending.open([](const auto& /*peer*/, std::uint32_t /*from*/) {},
               [](const std::string& /*peer*/, const Refused& /*refused*/) {});
  pending.serve(acceptor);
  visitor.visit(std::chrono::seconds(60), true, JobKey("another-key-than-it"));
  visitor.loop.run_for(std::chrono::seconds(30));
  REQUIRE(visitor.refused);
  CHECK(visitor.refused->refusal == Refusal::key);
}

TEST_CASE("connecting: a port that is taken, an address of another machine are told") {
  boost::asio::io_context loop;
  tcp::acceptor first(loop);
  REQUIRE(listen_at(first, {boost::asio::ip::address_v4::loopback(), 0}).empty());
  tcp::acceptor second(loop);
  CHECK(listen_at(second, first.local_endpoint()) == "Address already in use");
  tcp::acceptor elsewhere(loop);
  CHECK(listen_at(elsewhere, {boost::asio::ip::make_address("192.0.2.1"), 0})
            .ends_with(", which is no address of this machine"));
}

}  // namespace
}  // namespace foretrain::exec
