// A client that connects to a port of this machine.
#pragma once

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <string_view>

namespace foretrain::fuzz {

/// A socket connected to `place`. Each one uses another loopback address, because a used port of an
/// address is blocked for a minute, and a fuzzer uses thousands per second. The fuzzer's periodic
/// alarm may interrupt the connect on a busy machine with several fuzzers.
inline boost::asio::ip::tcp::socket stranger(boost::asio::io_context& loop,
                                             const boost::asio::ip::tcp::endpoint& place) {
  using boost::asio::ip::tcp;
  static std::uint32_t arrivals = 0;
  constexpr std::uint32_t kFirst = 0x7f010001;  // 127.1.0.1
  constexpr std::uint32_t kAddresses = 10'000;
  tcp::socket socket(loop);
  socket.open(tcp::v4());
  socket.bind({boost::asio::ip::address_v4(kFirst + arrivals++ % kAddresses), 0});
  boost::system::error_code error;
  socket.connect(place, error);
  // The connect continues in the background.
  while (error == boost::asio::error::interrupted) socket.wait(tcp::socket::wait_write, error);
  if (error) throw boost::system::system_error(error, "connect");
  return socket;
}

/// Sends all of the text, then closes the sending side.
inline void say(boost::asio::ip::tcp::socket& socket, std::string_view text) {
  boost::system::error_code error;  // the other end may close before all is written
  boost::asio::write(socket, boost::asio::buffer(text), error);
  socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send, error);
}

}  // namespace foretrain::fuzz
