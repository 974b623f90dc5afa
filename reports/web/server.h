// A server of HTTP for those who know its token, or for anybody.
#pragma once

#include "reports/web/gate.h"
#include "reports/web/reply.h"

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
  /// One of its requests had the token.
  [[nodiscard]] virtual bool known() const = 0;
  /// Since when its request is waited for.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point waits_since() const = 0;
  /// Closes its connection.
  virtual void lose() = 0;
};

/// Answers it until it leaves (HttpServer says how); returns at once. All calls on the thread of
/// the socket's loop, which outlives it, as do the others.
std::weak_ptr<HttpClient> serve_client(boost::asio::ip::tcp::socket socket, const Gate& gate,
                                       const std::vector<Route>& routes);

/// At a time; a page has half a dozen connections.
inline constexpr std::size_t kMostClients = 32;

/// Serves routes over HTTP on a thread of its own, from its making to its end. Requests are looked
/// at in this order: may it ask (gate.h; else 401 or 403, whatever the path, and its body is not
/// read), is there such a path (404), such a method of it (405). A client that says nothing for ten
/// seconds, or does not take what it asked for, is left. Of kMostClients the one that has said
/// nothing for longest, and has not shown the token, makes room for the next.
class HttpServer {
 public:
  /// `option`: of the command line, with its value, which errors name. `token`: empty: anybody may
  /// ask. @throws InputError if it cannot listen there
  HttpServer(const boost::asio::ip::tcp::endpoint& place, const std::string& option,
             std::string token, std::vector<Route> routes);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() { close(); }

  /// Nobody is answered any more: its thread ends. Replies may still be let go of.
  void close();

  /// Where it listens, with the port that it has.
  [[nodiscard]] const boost::asio::ip::tcp::endpoint& place() const { return gate_.place; }
  /// `http://127.0.0.1:8080/?token=...`
  [[nodiscard]] std::string address() const;

 private:
  void accept();
  void accept_later();
  /// For one more client. False: all of them have shown the token.
  bool make_room();

  std::vector<Route> routes_;
  std::vector<std::weak_ptr<HttpClient>> clients_;  // in the order in which they came
  Gate gate_;
  boost::asio::io_context loop_{1};  // after what its clients refer to
  boost::asio::ip::tcp::acceptor acceptor_{loop_};
  boost::asio::steady_timer later_{loop_};
  std::thread thread_;  // last: it uses the others
};

}  // namespace foretrain::web
