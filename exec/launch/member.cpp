#include "exec/launch/member.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace foretrain::exec {

std::string Member::described() const {
  if (process > 0) return fmt::format("{} (process {})", role, process);
  return fmt::format("{} (rank {})", role, rank);
}

std::string missing(const std::vector<Member>& members, bool Member::*done) {
  std::vector<std::string> names;
  for (const Member& member : members) {
    if (!(member.*done)) names.push_back(member.named());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void send_to_all(const std::vector<Member>& members, ControlKind kind, const nlohmann::json& json) {
  for (const Member& member : members) {
    if (!member.connection) continue;
    send_json(*member.connection, kind, NodeId(static_cast<std::uint32_t>(member.rank)), json);
  }
}

}  // namespace foretrain::exec
