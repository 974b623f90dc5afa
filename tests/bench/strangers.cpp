#include "tests/bench/strangers.h"

#include "exec/transport/frame.h"
#include "exec/transport/handshake.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <deque>

namespace foretrain::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAway = std::chrono::seconds(1);             // until it reconnects
constexpr auto kABitMore = std::chrono::milliseconds(200);  // between two bytes of a slow one

}  // namespace

class Strangers::Stranger {
 public:
  Stranger(asio::io_context& loop, const tcp::endpoint& place, Strangers& all, bool slow)
      : place_(place), all_(all), slow_(slow), socket_(loop), timer_(loop) {
    foretrain::exec::FrameHeader hello;
    hello.kind = static_cast<std::uint16_t>(foretrain::exec::HandshakeKind::hello);
    hello.payload_bytes = 1;
    words_ = foretrain::exec::encode(hello);
  }

  void come() {
    said_ = 0;
    socket_.async_connect(place_, [this](error_code error) {
      if (error) return come_again();
      ++all_.came_;
      listen();
      if (slow_) say_more();
    });
  }

 private:
  void listen() {
    socket_.async_receive(asio::buffer(heard_), [this](error_code error, std::size_t /*count*/) {
      if (!error) return listen();
      if (error != asio::error::operation_aborted) ++all_.turned_away_;
      come_again();
    });
  }
  // Never sends the last byte.
  void say_more() {
    timer_.expires_after(kABitMore);
    timer_.async_wait([this](error_code error) {
      if (error || said_ + 1 >= words_.size()) return;
      socket_.send(asio::buffer(&words_[said_++], 1), 0, error);
      if (!error) say_more();
    });
  }
  void come_again() {
    error_code ignored;
    socket_.close(ignored);
    timer_.expires_after(kAway);  // cancels the wait for the next byte
    timer_.async_wait([this](error_code error) {
      if (!error) come();
    });
  }

  tcp::endpoint place_;
  Strangers& all_;
  bool slow_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  foretrain::exec::HeaderBytes words_{};
  std::size_t said_ = 0;
  std::array<char, 256> heard_{};
};

Strangers::Strangers(int port, std::size_t idle, std::size_t slow)
    : thread_([=, this] { stand_around(port, idle, slow); }) {}

Strangers::~Strangers() {
  over_ = true;
  thread_.join();
}

void Strangers::stand_around(int port, std::size_t idle, std::size_t slow) {
  asio::io_context loop(1);
  const tcp::endpoint place(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
  std::deque<Stranger> all;
  for (std::size_t i = 0; i < idle + slow; ++i) {
    all.emplace_back(loop, place, *this, i >= idle).come();
  }
  while (!over_) loop.run_for(std::chrono::milliseconds(100));
}

}  // namespace foretrain::bench
