#include "exec/launch/join_settings.h"

#include "exec/launch/control.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

namespace foretrain::exec {

void join(boost::asio::io_context& loop, const JoinSettings& joining, OnConnected on_joined,
          std::function<void(const std::string& why)> on_failed) {
  const auto failed = [launcher = to_text(joining.launcher), limit = joining.limit,
                       on_failed = std::move(on_failed)](const std::string& why,
                                                         const std::optional<Refused>& refused) {
    if (refused && !refused->worth_another()) {
      const bool key = refused->refusal == Refusal::key;
      return on_failed(fmt::format("at the launcher ({}): {}{}", launcher, why,
                                   key ? "; give the same key to every task" : ""));
    }
    on_failed(fmt::format(
        "could not join the launcher (rank 0) at {} within {}: {}; check that rank 0 runs, and "
        "that MASTER_ADDR and MASTER_PORT, if set, are right in every task",
        launcher, to_text(limit), why));
  };
  const std::chrono::nanoseconds limit(joining.limit.ns);
  connect(loop,
          {.there = joining.launcher,
           .ends = {index_of(joining.id), kLauncher},
           .handshake = {.key = joining.known.key,
                         .most_payload = kMostControl,
                         .tls = joining.known.tls},
           .deadline = std::chrono::steady_clock::now() + limit,
           .may_come_later = true},
          std::move(on_joined), failed);
}

}  // namespace foretrain::exec
