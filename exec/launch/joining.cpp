#include "exec/launch/joining.h"

#include "exec/launch/control.h"
#include "scenarios/units.h"

#include <fmt/format.h>

#include <utility>

namespace foretrain::exec {
using boost::asio::ip::tcp;
using boost::system::error_code;

Join::Join(boost::asio::io_context& loop, const Joining& joining, OnJoined on_joined,
           OnFailed on_failed)
    : loop_(loop),
      joining_(joining),
      on_joined_(std::move(on_joined)),
      on_failed_(std::move(on_failed)),
      timer_(loop),
      deadline_(std::chrono::steady_clock::now() + std::chrono::nanoseconds(joining.limit.ns)) {
  join();
}

void Join::join() {
  auto socket = std::make_shared<tcp::socket>(loop_);
  timer_.expires_at(deadline_);
  timer_.async_wait([socket](error_code error) {
    error_code ignored;
    if (!error) socket->close(ignored);
  });
  socket->async_connect(joining_.launcher, [this, socket](error_code error) {
    timer_.cancel();
    if (error) return join_later(error.message());
    greet(std::move(*socket));
  });
}

void Join::greet(tcp::socket socket) {
  error_code ignored;
  const auto here = socket.local_endpoint(ignored).address();
  const auto launcher = std::make_shared<Connection>(std::move(socket), kMostBeforeProof);
  launcher->give_up_after(joining_.limit);
  Handshake{.key = joining_.known.key, .most_payload = kMostControl, .tls = joining_.known.tls}
      .begin(
          launcher, {index_of(joining_.id), kLauncher},
          [this, here](const std::shared_ptr<Connection>& proved, std::uint32_t /*from*/) {
            on_joined_(proved, here);
          },
          [this](const Refused& refused) {
            if (refused.worth_another()) return join_later(refused.why);
            const bool key = refused.refusal == Refusal::key;
            on_failed_(fmt::format("at the launcher ({}): {}{}", to_text(joining_.launcher),
                                   refused.why, key ? "; give the same key to every task" : ""));
          });
}

void Join::join_later(const std::string& why) {
  if (std::chrono::steady_clock::now() + kRetryInterval >= deadline_) {
    return on_failed_(fmt::format(
        "could not join the launcher (rank 0) at {} within {}: {}; see that rank 0 runs, and "
        "that MASTER_ADDR and MASTER_PORT, where set, are right in every task",
        to_text(joining_.launcher), to_text(joining_.limit), why));
  }
  timer_.expires_after(kRetryInterval);
  timer_.async_wait([this](error_code error) {
    if (!error) join();
  });
}

}  // namespace foretrain::exec
