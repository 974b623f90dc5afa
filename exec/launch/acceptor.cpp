#include "exec/launch/acceptor.h"

#include "exec/launch/control.h"
#include "exec/transport/connecting.h"

#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Acceptor::Acceptor(asio::io_context& loop, const Credentials& known, std::size_t nodes)
    : loop_(loop),
      pending_(loop, {.key = known.key, .most_payload = kMostControl, .tls = known.tls}, kLauncher,
               nodes) {}

std::string Acceptor::listen(Hosts& hosts, const tcp::endpoint& place) {
  std::string wrong;
  for (std::size_t host = 0; host < hosts.count() && wrong.empty(); ++host) {
    hosts.enter(host, [&] { wrong = listen_at(acceptors_.emplace_back(loop_), place); });
  }
  return wrong;
}

void Acceptor::open(OnProved on_joined, PendingHandshakes::OnTurnedAway on_refused) {
  pending_.open(std::move(on_joined), std::move(on_refused));
  for (tcp::acceptor& acceptor : acceptors_) pending_.serve(acceptor);
}

void Acceptor::close() {
  error_code ignored;
  for (tcp::acceptor& acceptor : acceptors_) acceptor.close(ignored);
}

tcp::endpoint Acceptor::place(std::size_t host) const { return acceptors_[host].local_endpoint(); }

}  // namespace foretrain::exec
