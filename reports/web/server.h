// An HTTP server for clients that know its token, or for any client.
#pragma once

#include "reports/web/reply.h"
#include "reports/web/request_authorization.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::web {

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// Whether one of its requests had the token.
  [[nodiscard]] virtual bool known() const = 0;
  /// Start of the wait for its current request.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point waits_since() const = 0;
  /// Closes its connection.
  virtual void disconnect() = 0;
};

/// Serves the client until it disconnects (as HttpServer describes); returns at once. All calls
/// must be on the thread of the socket's event loop. The loop, `gate`, `routes` must outlive the
/// client.
std::weak_ptr<HttpClient> serve_client(boost::asio::ip::tcp::socket socket,
                                       const RequestAuthorization& gate,
                                       const std::vector<Route>& routes);

/// Maximum of simultaneous connections; a page uses half a dozen.
inline constexpr std::size_t kMostClients = 32;

/// An HTTP server with its own thread, which runs until close() or destruction. Each request is
/// checked in this order: authorization (request_authorization.h; else 401 or 403 for any path,
/// without reading the body), path (404), method (405). A client is disconnected if it sends
/// nothing for ten seconds, or does not read the response. With kMostClients connections a new one
/// replaces the unauthorized one that has been silent for longest.
class HttpServer {
 public:
  /// `option`: the command-line option with its value, for errors. `token`: if empty, requests are
  /// not checked. @throws InputError if it cannot listen at `place`
  HttpServer(const boost::asio::ip::tcp::endpoint& place, const std::string& option,
             std::string token, std::vector<Route> routes);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() { close(); }

  /// Stops the thread: no request is answered any more. Replies may be destroyed later.
  void close();

  /// The address at which it listens, with the actual port.
  [[nodiscard]] const boost::asio::ip::tcp::endpoint& place() const { return authorization_.place; }
  /// `http://127.0.0.1:8080/?token=...`
  [[nodiscard]] std::string address() const;

 private:
  void accept();
  void accept_later();
  /// Makes room for a client; false if all clients are authorized.
  bool make_room();

  std::vector<Route> routes_;
  std::vector<std::weak_ptr<HttpClient>> clients_;  // in order of arrival
  RequestAuthorization authorization_;
  boost::asio::io_context loop_{1};  // declared after the members that its handlers use
  boost::asio::ip::tcp::acceptor acceptor_{loop_};
  boost::asio::steady_timer later_{loop_};
  std::thread thread_;  // last: it uses the other members
};

}  // namespace foretrain::web
