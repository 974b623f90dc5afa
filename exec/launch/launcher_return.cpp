// What the launcher does about a worker that is lost: another process may take its place.
#include "exec/launch/launcher.h"
#include "exec/launch/restarts.h"
#include "models/protocol/registry.h"
#include "reports/record/tell_people.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace foretrain::exec {
namespace {

// A worker whose server has died may be heard of first; nobody comes back to that.
constexpr auto kOtherDeath = std::chrono::milliseconds(300);

}  // namespace

bool Launcher::can_lose(const Member& member) const {
  const auto lost = std::ranges::count(members_, true, &Member::lost);
  return stage_ == Stage::training && !member.finished && !member.lost &&
         may_lose(*training_, NodeId(member.rank), static_cast<int>(lost));
}

// The training goes on without it. Those it talked to may not have noticed: of a stopped process,
// or one behind a dead link, the connections stay.
bool Launcher::lose(Member& member, const std::string& why, std::optional<Duration> restart_after) {
  if (!can_lose(member)) return false;
  member.lost = true;
  member.left = now();
  record_.nodes[static_cast<std::size_t>(member.rank)].lost = why;
  tell_people(fmt::format("{} {}; the others go on without it\n", member.described(), why));
  if (member.pauses) member.pauses->end();
  send_to_all(members_, ControlKind::lost, member.rank);
  plan_return(member, restart_after);
  end_if_finished();
  return true;
}

// A fault that says so is no accident: that counts for nothing.
void Launcher::plan_return(Member& member, std::optional<Duration> restart_after) {
  if (options_.task || !may_come_back(*training_, NodeId(member.rank))) return;
  if (!restart_after && beginning_.restarts_left == 0) return;
  member.coming = Member::Return::planned;
  if (member.lives()) kill(member.process, SIGKILL);  // it has given up, or is silent
  std::chrono::nanoseconds wait = kOtherDeath;
  if (restart_after) {
    wait = std::chrono::nanoseconds(restart_after->ns);
    tell_people(fmt::format("{} is started again after {}, as faults: says\n", member.role,
                            to_text(*restart_after)));
  }
  member.return_timer = std::make_unique<boost::asio::steady_timer>(loop_, wait);
  const bool counts = !restart_after;
  member.return_timer->async_wait([this, &member, counts](boost::system::error_code error) {
    if (error || stage_ != Stage::training) return;
    member.return_timer.reset();
    if (counts && !take_restart(member)) return;
    start_again(member);
  });
}

bool Launcher::take_restart(Member& member) {
  if (beginning_.restarts_left == 0) {
    member.coming = Member::Return::none;
    return false;
  }
  --beginning_.restarts_left;
  tell_people(fmt::format("{} is started again; {}\n", member.role,
                          how_many_left(beginning_.restarts_left)));
  return true;
}

void Launcher::start_again(Member& member) {
  if (stage_ != Stage::training || member.return_timer || member.lives()) return;
  if (member.connection) std::exchange(member.connection, nullptr)->close();
  member.listening = member.ready = member.reaped = member.changes_kernels = false;
  ++member.generation;
  member.coming = Member::Return::started;
  start_node(member);
}

// Those it talks to hear of it first: whoever says by then that it is this worker is the old one.
void Launcher::introduce(Member& member) {
  send_to_all(members_, ControlKind::back, {member.rank, member.generation});
  nlohmann::json places;
  for (const Member& each : members_) places.push_back(each.place);
  send_json(*member.connection, ControlKind::peers, NodeId(0), places);
}

void Launcher::welcome_back(Member& member) {
  NodeTotals& totals = record_.nodes[static_cast<std::size_t>(member.rank)];
  const Instant time = now();
  totals.away.push_back({std::exchange(totals.lost, {}), member.left, time});
  member.lost = false;
  member.coming = Member::Return::none;
  member.silence.emplace(silence_limit());
  member.pauses = make_pauses(static_cast<std::size_t>(member.rank), time);
  member.pauses->start();
  tell_people(fmt::format("{} is back\n", member.described()));
  send_json(*member.connection, ControlKind::go, NodeId(0), time.ns);
}

void Launcher::give_up_return(Member& member, const std::string& what) {
  tell_people(fmt::format("{} did not come back: {}\n", member.described(), what));
  member.coming = Member::Return::none;
  if (member.lives()) kill(member.process, SIGKILL);
  send_to_all(members_, ControlKind::lost, member.rank);  // no other process is this one
  plan_return(member, std::nullopt);
}

}  // namespace foretrain::exec
