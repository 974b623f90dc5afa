#include "exec/transport/pending_handshakes.h"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr auto kRest = std::chrono::milliseconds(20);  // pause if no descriptor can be opened
}  // namespace

PendingHandshakes::PendingHandshakes(asio::io_context& loop, Handshake handshake,
                                     std::uint32_t self, std::size_t expected)
    : loop_(loop), handshake_(std::move(handshake)), self_(self), expected_(expected) {}

void PendingHandshakes::open(OnProved on_proved, OnTurnedAway on_turned_away) {
  on_proved_ = std::move(on_proved);
  on_turned_away_ = std::move(on_turned_away);
}

void PendingHandshakes::serve(tcp::acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;  // it is closed
    if (error) return serve_later(acceptor);
    enter(std::move(socket));
    serve(acceptor);
  });
}

// Too many open files, or a peer that left at once; new connections wait in the kernel.
void PendingHandshakes::serve_later(tcp::acceptor& acceptor) {
  if (!waiting_.empty()) turn_away_first();
  auto rest = std::make_shared<asio::steady_timer>(loop_, kRest);
  rest->async_wait([this, &acceptor, rest](error_code error) {
    if (!error && acceptor.is_open()) serve(acceptor);
  });
}

void PendingHandshakes::enter(tcp::socket socket) {
  if (waiting_.size() >= kMostStrangers + expected_) turn_away_first();
  const auto connection = std::make_shared<Connection>(std::move(socket), kMostBeforeProof);
  const std::uint64_t arrival = arrivals_++;
  waiting_[arrival] = handshake_.answer(
      connection, self_,
      [this, arrival](const std::shared_ptr<Connection>& peer, std::uint32_t from) {
        waiting_.erase(arrival);
        if (expected_ > 0) --expected_;
        on_proved_(peer, from);
      },
      [this, arrival, peer = connection->peer()](const Refused& refused) {
        waiting_.erase(arrival);
        on_turned_away_(peer, refused);
      });
}

void PendingHandshakes::turn_away_first() {
  const auto first = waiting_.begin()->second.lock();
  const std::size_t others = waiting_.size() - 1;
  waiting_.erase(waiting_.begin());
  if (!first) return;
  first->refuse(Refusal::crowded,
                fmt::format("it did not prove the job key before {} others came", others));
}

}  // namespace foretrain::exec
