#include "exec/transport/connecting.h"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <fcntl.h>

#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kRetryInterval = std::chrono::milliseconds(100);

// Kept alive by its own callbacks.
class Attempts : public std::enable_shared_from_this<Attempts> {
 public:
  Attempts(asio::io_context& loop, Connecting connecting, OnConnected on_connected,
           OnNotConnected on_not_connected)
      : connecting_(std::move(connecting)),
        on_connected_(std::move(on_connected)),
        on_not_connected_(std::move(on_not_connected)),
        socket_(loop),
        timer_(loop) {}

  void begin() {
    socket_.open(connecting_.there.protocol());
    if (connecting_.tune) connecting_.tune(socket_.native_handle());
    timer_.expires_at(connecting_.deadline);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      error_code ignored;
      if (!error) self->socket_.close(ignored);
    });
    socket_.async_connect(connecting_.there, [self = shared_from_this()](error_code error) {
      self->timer_.cancel();
      if (!error) return self->greet();
      error_code ignored;
      self->socket_.close(ignored);
      self->end(error.message(), {}, self->connecting_.may_come_later);
    });
  }

 private:
  void greet() {
    error_code ignored;
    const auto here = socket_.local_endpoint(ignored).address();
    connecting_.handshake.begin(
        std::make_shared<Connection>(std::move(socket_), kMostBeforeProof), connecting_.ends,
        [self = shared_from_this(), here](const std::shared_ptr<Connection>& proved,
                                          std::uint32_t /*from*/) {
          self->on_connected_(proved, here);
        },
        [self = shared_from_this()](const Refused& refused) {
          self->end(refused.why, refused, refused.worth_another());
        });
  }

  void end(const std::string& why, const std::optional<Refused>& refused, bool again) {
    if (!again || Clock::now() + kRetryInterval >= connecting_.deadline) {
      return on_not_connected_(why, refused);
    }
    timer_.expires_after(kRetryInterval);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->begin();
    });
  }

  Connecting connecting_;
  OnConnected on_connected_;
  OnNotConnected on_not_connected_;
  tcp::socket socket_;
  asio::steady_timer timer_;
};

}  // namespace

std::string listen_at(tcp::acceptor& acceptor, const tcp::endpoint& here, const TuneSocket& tune) {
  error_code error;
  acceptor.open(here.protocol());
  fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  if (tune) tune(acceptor.native_handle());
  acceptor.bind(here, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return {};
  if (error != boost::system::errc::address_not_available) return error.message();
  return fmt::format("{}, which is no address of this machine", error.message());
}

void connect(asio::io_context& loop, Connecting connecting, OnConnected on_connected,
             OnNotConnected on_not_connected) {
  std::make_shared<Attempts>(loop, std::move(connecting), std::move(on_connected),
                             std::move(on_not_connected))
      ->begin();
}

}  // namespace foretrain::exec
