// Where a browser reaches the program: HTTP for those who know the token.
#pragma once

#include "reports/serve/gate.h"
#include "reports/serve/reply.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>
#include <thread>
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

/// At a time; a page has half a dozen connections.
inline constexpr std::size_t kMostClients = 200;

/// `127.0.0.1`, `::1`, `0.0.0.0`, with a port; 0 is any that is free.
/// @throws InputError where `address` is none
boost::asio::ip::tcp::endpoint read_place(const std::string& address, int port);

/// Serves routes over HTTP on a thread of its own, from its making to its end. Requests are looked
/// at in this order: may it ask (gate.h; else 401 or 403, whatever the path, and its body is not
/// read), is there such a path (404), such a method of it (405). A client that says nothing for ten
/// seconds, or does not take what it asked for, is left. Of kMostClients the one that came first
/// and has not shown the token makes room for the next.
class Door {
 public:
  /// @throws InputError where it cannot listen there
  Door(const boost::asio::ip::tcp::endpoint& place, std::string token, std::vector<Route> routes);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door() { close(); }

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

}  // namespace foretrain::serve
