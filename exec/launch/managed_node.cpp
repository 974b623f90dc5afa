#include "exec/launch/managed_node.h"

#include "exec/system/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain::exec {

std::optional<Duration> ManagedNode::had_while_waiting() {
  const auto thread = lives() && !remote ? first_thread_of(process) : std::nullopt;
  if (!thread) return std::nullopt;
  const Duration since = thread->had - std::exchange(had, thread->had);
  if (!thread->wants_core) return std::nullopt;
  return std::max(since, Duration{});  // another process may have its id now
}

std::optional<std::string> ManagedNode::how_ended() {
  if (!remote) return exec::how_ended(process);
  const std::optional<int> status = status_if_ended(process);
  return status ? std::optional(remote->describe(*status, !place.is_null())) : std::nullopt;
}

std::string ManagedNode::described() const {
  if (remote) return fmt::format("{} on {}", role, remote->host());
  if (process > 0) return fmt::format("{} (process {})", role, process);
  return fmt::format("{} (rank {})", role, rank);
}

void send_to_all(const std::vector<ManagedNode>& members, ControlKind kind,
                 const nlohmann::json& json) {
  for (const ManagedNode& member : members) {
    if (!member.connection) continue;
    send_json(*member.connection, kind, NodeId(static_cast<std::uint32_t>(member.rank)), json);
  }
}

}  // namespace foretrain::exec
