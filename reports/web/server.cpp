#include "reports/web/server.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <utility>

namespace foretrain::web {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using SilentSince = std::chrono::steady_clock::time_point;

constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

/// Prevents child processes, such as runs, from inheriting the socket.
template <class Socket>
void keep_from_children(Socket& socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

}  // namespace

HttpServer::HttpServer(const tcp::endpoint& place, const std::string& option, std::string token,
                       std::vector<Route> routes)
    : routes_(std::move(routes)), authorization_{std::move(token), place} {
  error_code error;
  acceptor_.open(place.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(place, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw InputError(
        fmt::format("{}: cannot listen there: {}; name another port, 0 for any free one", option,
                    error.message()));
  }
  keep_from_children(acceptor_);
  authorization_.place = acceptor_.local_endpoint();
  accept();
  thread_ = std::thread([this] { loop_.run(); });
}

void HttpServer::close() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

std::string HttpServer::address() const {
  tcp::endpoint reached = authorization_.place;
  if (reached.address().is_unspecified()) {
    reached.address(reached.address().is_v6()
                        ? asio::ip::address(asio::ip::address_v6::loopback())
                        : asio::ip::address(asio::ip::address_v4::loopback()));
  }
  std::ostringstream text;
  text << reached;
  return fmt::format("http://{}/?token={}", text.str(), authorization_.token);
}

void HttpServer::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error) return accept_later();
    keep_from_children(socket);
    if (make_room()) clients_.push_back(serve_client(std::move(socket), authorization_, routes_));
    accept();
  });
}

bool HttpServer::make_room() {
  std::erase_if(clients_, [](const std::weak_ptr<HttpClient>& each) { return each.expired(); });
  if (clients_.size() < kMostClients) return true;
  const auto rank = [](const std::weak_ptr<HttpClient>& each) {
    const auto client = each.lock();
    return client ? std::pair(client->known(), client->waits_since())
                  : std::pair(false, SilentSince());
  };
  const auto stranger = std::ranges::min_element(clients_, {}, rank);
  if (rank(*stranger).first) return false;
  if (const auto client = stranger->lock()) client->disconnect();
  clients_.erase(stranger);
  return true;
}

// Accepts again after a delay, since an error such as too many descriptors would repeat at once.
void HttpServer::accept_later() {
  later_.expires_after(kAcceptRetry);
  later_.async_wait([this](error_code error) {
    if (!error) accept();
  });
}

}  // namespace foretrain::web
