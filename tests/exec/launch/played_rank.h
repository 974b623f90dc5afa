// A rank that a test imitates for a launcher.
#pragma once

#include "exec/transport/handshake.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace foretrain::testing {

/// Starts a conversation with the launcher; the result goes into `answer`.
using Talk =
    std::function<void(boost::asio::io_context& loop,
                       const std::shared_ptr<exec::Connection>& connection, std::string& answer)>;

/// Connects to the launcher at `port` repeatedly until there is an answer, which it returns. Each
/// attempt takes up to `most`.
inline std::string talk_to_launcher(int port, std::chrono::seconds most, const Talk& talk) {
  std::string answer;
  for (int i = 0; i < 200 && answer.empty(); ++i) {
    boost::asio::io_context loop(1);
    boost::asio::ip::tcp::socket socket(loop);
    boost::system::error_code error;
    socket.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)},
                   error);
    if (error) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    const auto connection =
        std::make_shared<exec::Connection>(std::move(socket), exec::kMostBeforeProof);
    talk(loop, connection, answer);
    loop.run_for(most);
    connection->close();
  }
  return answer;
}

}  // namespace foretrain::testing
