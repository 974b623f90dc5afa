#include "exec/launch/door.h"

#include "exec/launch/control.h"
#include "exec/transport/connecting.h"

#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Door::Door(asio::io_context& loop, const Credentials& known, std::size_t nodes)
    : loop_(loop),
      lobby_(loop, {.key = known.key, .most_payload = kMostControl, .tls = known.tls}, kLauncher,
             nodes) {}

std::string Door::listen(Hosts& hosts, const tcp::endpoint& place) {
  std::string wrong;
  for (std::size_t host = 0; host < hosts.count() && wrong.empty(); ++host) {
    hosts.enter(host, [&] { wrong = listen_at(acceptors_.emplace_back(loop_), place); });
  }
  return wrong;
}

void Door::open(OnProved on_joined, Lobby::OnTurnedAway on_refused) {
  lobby_.open(std::move(on_joined), std::move(on_refused));
  for (tcp::acceptor& acceptor : acceptors_) lobby_.serve(acceptor);
}

void Door::close() {
  error_code ignored;
  for (tcp::acceptor& acceptor : acceptors_) acceptor.close(ignored);
}

tcp::endpoint Door::place(std::size_t host) const { return acceptors_[host].local_endpoint(); }

}  // namespace foretrain::exec
