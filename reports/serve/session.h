// One client of the door: its requests, one after another.
#pragma once

#include "reports/serve/gate.h"
#include "reports/serve/reply.h"

#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <vector>

namespace foretrain::serve {

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// One of its requests had the token.
  [[nodiscard]] virtual bool known() const = 0;
  /// Closes its connection.
  virtual void lose() = 0;
};

/// Answers it until it leaves (Door says how); returns at once. All calls on the thread of the
/// socket's loop, which outlives it, as do the others.
std::weak_ptr<HttpClient> serve_client(boost::asio::ip::tcp::socket socket, const Gate& gate,
                                       const std::vector<Route>& routes);

}  // namespace foretrain::serve
