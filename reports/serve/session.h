// One client of the door: its requests, one after another.
#pragma once

#include "reports/serve/gate.h"
#include "reports/serve/reply.h"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <vector>

namespace foretrain::serve {

/// Answers it until it leaves (Door says how); returns at once. On the thread of the socket's loop,
/// which outlives it, as do the others. `clients`: how many there are.
void serve_client(boost::asio::ip::tcp::socket socket, const Gate& gate,
                  const std::vector<Route>& routes, std::atomic<int>& clients);

}  // namespace foretrain::serve
