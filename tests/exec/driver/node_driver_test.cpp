// A driver whose peer on loopback is lost, then comes back.
#include "exec/driver/node_driver.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
using boost::asio::ip::tcp;

/// A node that records its inputs.
class Listener : public Node {
 public:
  explicit Listener(std::vector<std::string>& told) : told_(told) {}

  void handle(Instant /*now*/, Input input, Effects& /*effects*/) override {
    if (const auto* received = std::get_if<Received>(&input)) {
      told_.push_back("step " + std::to_string(received->message.step.value));
    } else if (const auto* back = std::get_if<PeerBack>(&input)) {
      told_.push_back("back as " + std::to_string(back->incarnation));
    } else if (std::holds_alternative<PeerLost>(input)) {
      told_.emplace_back("lost");
    }
  }

 private:
  std::vector<std::string>& told_;
};

/// A started driver of node 1, which gets messages from worker 0.
struct Driven {
  boost::asio::io_context loop{1};
  std::vector<std::string> told;
  NodeDriver driver{loop, NodeId(1), std::make_unique<Listener>(told), hooks()};

  Driven() { driver.start(); }

  static DriverHooks hooks() {
    return {.report = [](const Report&) {},
            .keep = [](const SaveState&) {},
            .input = {},
            .finished = [](const Finished&) {},
            .fault = [](const Fault& fault) { FAIL(fault.why); }};
  }

  /// Both ends of a new connection: the worker's, then this node's.
  std::pair<std::shared_ptr<Connection>, std::shared_ptr<Connection>> connect() {
    tcp::socket theirs{loop};
    tcp::socket ours{loop};
    tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
    theirs.connect(acceptor.local_endpoint());
    acceptor.accept(ours);
    const auto end = [](tcp::socket& socket) {
      return std::make_shared<Connection>(std::move(socket), Bytes{1'000});
    };
    const auto worker = end(theirs);
    worker->start([](const FrameHeader&, const Payload&) {}, [](const std::string&) {});
    return {worker, end(ours)};
  }

  /// Sends a message from the worker and waits for its arrival.
  void say(Connection& worker, const Connection& here, std::int64_t step) {
    const std::uint64_t before = here.received();
    const Message message{.kind = MessageKind::push, .step = {step}};
    worker.send(header_of(message, NodeId(0)), {});
    while (here.received() < before + static_cast<std::uint64_t>(wire_size(message).value)) {
      loop.run_one();
    }
  }
};

TEST_CASE("node driver: what a peer that is back has said early is heard once it is taken back") {
  Driven driven;
  const auto [old, ours] = driven.connect();
  driven.driver.add_peer(NodeId(0), ours);
  driven.say(*old, *ours, 1);
  const auto [worker, again] = driven.connect();
  driven.driver.meet_again(NodeId(0), again);
  driven.say(*worker, *again, 7);
  driven.say(*worker, *again, 8);
  CHECK(driven.told == std::vector<std::string>{"step 1"});
  driven.driver.take_back(NodeId(0), 2);
  driven.say(*worker, *again, 9);
  CHECK(driven.told ==
        std::vector<std::string>{"step 1", "lost", "back as 2", "step 7", "step 8", "step 9"});
}

TEST_CASE("node driver: of two processes that say they are a lost peer the last is heard") {
  Driven driven;
  const auto [old, ours] = driven.connect();
  driven.driver.add_peer(NodeId(0), ours);
  driven.driver.mark_lost(NodeId(0));
  const auto [one, first] = driven.connect();
  driven.driver.meet_again(NodeId(0), first);
  driven.say(*one, *first, 1);
  const auto [other, second] = driven.connect();
  driven.driver.meet_again(NodeId(0), second);
  driven.say(*other, *second, 2);
  driven.driver.take_back(NodeId(0), 3);
  CHECK(driven.told == std::vector<std::string>{"lost", "back as 3", "step 2"});
}

}  // namespace
}  // namespace foretrain::exec
