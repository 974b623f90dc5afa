// What the launcher does about a node without which nobody can go on: the others wait for it.
#include "exec/launch/launcher.h"
#include "exec/system/process.h"
#include "models/protocol/registry.h"
#include "reports/record/tell_people.h"
#include "scenarios/faults.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kFarewell = std::chrono::seconds(2);  // for a last flush of rows
// A gradient under way is not cut short; others try to join for longer than that.
constexpr auto kMostToLetGo = std::chrono::seconds(30);
// At least, where letting the training go took the others longer than they wait for who is lost.
constexpr auto kTimeToStart = std::chrono::seconds(5);
constexpr auto kTimeToJoin = std::chrono::seconds(1);  // of who tries it all the time

}  // namespace

Launcher::~Launcher() {
  std::vector<pid_t> processes;
  for (const Member& member : members_) {
    if (member.lives()) processes.push_back(member.process);
  }
  end_processes(processes, kTermToKill);
}

bool Launcher::begins_again_without(const Member& member) const {
  const auto lost = std::ranges::count(members_, true, &Member::lost);
  if (stage_ == Stage::training) {
    return begins_again(*training_, NodeId(member.rank), static_cast<int>(lost));
  }
  // While all wait for one to begin, they wait for each.
  return stage_ != Stage::ending && beginning_.down_since && training_->begins_again();
}

bool Launcher::is_lost(const Member& member) const {
  return std::ranges::find(waiting_->lost, member.rank, &Awaited::rank) != waiting_->lost.end();
}

bool Launcher::blames_lost(const nlohmann::json& trouble) const {
  return trouble.contains("peer") &&
         begins_again_without(members_.at(trouble.at("peer").get<std::size_t>()));
}

// Who was waited for before, and is there, is one of those who wait.
bool Launcher::wait_for(Member& member, const std::string& what,
                        std::optional<Duration> restart_after) {
  const bool own_of_rank_0 = options_.task && member.process > 0;
  if (own_of_rank_0 || !begins_again_without(member)) return false;
  Awaited awaited{member.rank, what, Clock::now()};
  if (restart_after) {
    awaited.starts_at = awaited.since + std::chrono::nanoseconds(restart_after->ns);
  } else if (!options_.task) {
    if (beginning_.restarts_left == 0) return false;
    --beginning_.restarts_left;
    awaited.starts_at = awaited.since;
  }
  std::erase_if(waiting_->lost, [&](const Awaited& each) {
    const Member& before = members_[static_cast<std::size_t>(each.rank)];
    return each.rank == member.rank || before.connection || before.lives() ||
           before.changes_kernels;
  });
  waiting_->lost.push_back(std::move(awaited));
  tell_people(fmt::format("{}; the others wait for it, {} at most\n", what,
                          to_text(training_->return_limit)));
  if (restart_after) {
    tell_people(fmt::format("{} is started again after {}, as faults: says\n", member.role,
                            to_text(*restart_after)));
  }
  if (member.lives()) kill(member.process, SIGKILL);  // it is silent, or cut off
  waits_ = true;
  fail(what);
  return true;
}

// Nodes of emulated hosts are none of them: their networks are made anew with each attempt.
std::unique_ptr<Waiting> Launcher::hand_over() {
  auto next = std::make_unique<Waiting>();
  next->kernels = kernels_.empty() ? waiting_->kernels : kernels_;
  if (!joins_again()) return next;
  if (waits_) next->lost = waiting_->lost;
  if (options_.emulate) return next;
  next->door = std::exchange(waiting_->door, -1);
  for (Member& member : members_) {
    const bool lost = waits_ && is_lost(member);
    if (!member.lives() || member.connection || lost) continue;
    next->keep({member.rank, std::exchange(member.process, 0), std::move(member.remote)});
  }
  return next;
}

void Launcher::take_over() {
  for (Survivor& each : waiting_->take()) {
    Member& member = members_[static_cast<std::size_t>(each.rank)];
    member.process = each.process;
    member.remote = std::move(each.remote);
    if (member.remote) member.remote->move_to(loop_);
  }
}

// Who is lost is started when that is due. Who has ended meanwhile told nobody.
void Launcher::start_missing() {
  for (std::size_t id = 0; id < (options_.task ? 1 : members_.size()); ++id) {
    Member& member = members_[id];
    if (member.process > 0) continue;
    const auto found = std::ranges::find(waiting_->lost, member.rank, &Awaited::rank);
    const auto at = found == waiting_->lost.end() ? std::nullopt : found->starts_at;
    if (!at || *at <= launched_) {
      start_node(member);
      continue;
    }
    member.return_timer = std::make_unique<boost::asio::steady_timer>(loop_, *at);
    member.return_timer->async_wait([this, &member](error_code error) {
      if (error || stage_ == Stage::ending) return;
      member.return_timer.reset();
      start_node(member);
    });
  }
  reap();
}

// The others get ready meanwhile, for as long as that takes.
void Launcher::watch_return() {
  if (stage_ != Stage::joining) return;
  const auto is_missing = [this](const Awaited& each) {
    const Member& member = members_[static_cast<std::size_t>(each.rank)];
    return !member.connection && !member.changes_kernels;  // who changes its kernels is there
  };
  const auto first = std::ranges::find_if(waiting_->lost, is_missing);
  if (first == waiting_->lost.end()) return watch_time();
  timer_.expires_at(deadline_of(*first));
  timer_.async_wait([this, awaited = *first, is_missing](error_code error) {
    if (error || stage_ != Stage::joining) return;
    if (!is_missing(awaited)) return watch_return();
    fail(not_back_within(awaited.what, training_->return_limit) + refusals_.summary());
    down_since_.reset();  // another attempt would be another wait
  });
}

Clock::time_point Launcher::deadline_of(const Awaited& awaited) const {
  const auto limit = awaited.since + std::chrono::nanoseconds(training_->return_limit.ns);
  const bool too_late = awaited.starts_at && *awaited.starts_at >= limit;
  if (too_late) return limit;
  return std::max(limit, launched_ + (awaited.starts_at ? kTimeToStart : kTimeToJoin));
}

Clock::duration Launcher::time_to_end() const {
  if (!waits_) return kFarewell;
  const std::chrono::nanoseconds limit(training_->return_limit.ns);
  return std::clamp<Clock::duration>(limit, kFarewell, kMostToLetGo);
}

// All processes are gone, and so are their connections: nothing of theirs is left unread. Where
// they join again it is enough that those who stay have let go.
void Launcher::stop_when_empty() {
  const auto gone = [this](const Member& member) {
    const bool ended = member.process <= 0 || member.reaped;
    if (!joins_again()) return ended && member.connection == nullptr;
    return waits_ && is_lost(member) ? ended : member.connection == nullptr;
  };
  if (std::ranges::all_of(members_, gone)) loop_.stop();
}

}  // namespace foretrain::exec
