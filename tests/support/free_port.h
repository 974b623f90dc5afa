// Free ports for tests, for benchmarks.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace foretrain::testing {

/// The first of `count` consecutive free ports on loopback, below the kernel's ephemeral ports.
inline int free_port(int count = 2) {
  using boost::asio::ip::tcp;
  boost::asio::io_context loop;
  for (int port = 20'000 + getpid() % 5'000 * 2; port < 32'000; port += count) {
    bool free = true;
    for (int each = port; each < port + count; ++each) {
      tcp::acceptor probe(loop, tcp::v4());
      boost::system::error_code error;
      probe.bind({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(each)},
                 error);
      free = free && !error;
    }
    if (free) return port;
  }
  throw std::runtime_error("no free ports in a row");
}

}  // namespace foretrain::testing
