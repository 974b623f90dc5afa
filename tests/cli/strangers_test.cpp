// A run with strangers connected to its ports.
#include "tests/cli/sandbox.h"
#include "tests/support/free_port.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>

namespace foretrain {
namespace {

using boost::asio::ip::tcp;
using testing::Called;
using testing::Sandbox;

// Connects to a port as soon as somebody listens there and holds hundreds of connections open; when
// all are open, it replaces one now and then. Every fourth sends one byte at a time, the others
// nothing.
class Crowd {
 public:
  explicit Crowd(int port)
      : place_(boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)),
        thread_([this] { stand_around(); }) {}
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd() {
    over_ = true;
    thread_.join();
  }

  [[nodiscard]] std::int64_t came() const { return came_; }

 private:
  static constexpr std::size_t kMany = 300;

  void stand_around() {
    boost::asio::io_context loop;
    std::deque<tcp::socket> open;
    while (!over_) {
      tcp::socket socket(loop);
      boost::system::error_code error;
      socket.connect(place_, error);
      if (!error) {
        ++came_;
        open.push_back(std::move(socket));
      }
      if (open.size() > kMany) open.pop_front();
      if (!error && open.size() < kMany) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (std::size_t i = 0; i < open.size(); i += 4) {
        open[i].write_some(boost::asio::buffer("F", 1), error);  // as a frame begins
      }
    }
  }

  tcp::endpoint place_;
  std::atomic<bool> over_ = false;
  std::atomic<std::int64_t> came_ = 0;
  std::thread thread_;
};

TEST_CASE("strangers: hundreds that hold every port of a run do not keep its nodes out") {
  Sandbox sandbox;
  const int port = testing::free_port(3);
  Called called;
  std::int64_t came = 0;
  {
    const Crowd at_launcher(port);
    const Crowd at_server(port + 1);
    const Crowd at_other_server(port + 2);
    // The limit on files is lower than the number of strangers at each port.
    called = sandbox.call(
        "run small.yaml --quiet --json --set training.steps=3000 --set "
        "training.servers=2 --set training.bucket_size='8 KB' --port " +
            std::to_string(port),
        "ulimit -n 200");
    for (const Crowd* crowd : {&at_launcher, &at_server, &at_other_server}) {
      CHECK(crowd->came() >= 300);
      came += crowd->came();
    }
  }
  INFO(called.err);
  REQUIRE(called.status == 0);
  const auto answer = nlohmann::json::parse(called.out);
  CHECK(answer.at("outcome") == "done");
  CHECK(answer.at("updates") == 3'000);
  CHECK(answer.at("refused") > 200);
  CHECK(answer.at("refused") <= came);
  CHECK(called.err.find(", a stranger: it ") != std::string::npos);
  CHECK(called.err.find("; more are only counted") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
