// The reaction of the supervisor to a lost node.
#include "models/protocol/registry.h"
#include "models/supervision/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain::supervision {
namespace {
using namespace literals;

constexpr Duration kOtherDeath = 300_ms;  // the server of a lost worker may have died as well

}  // namespace

// Exited reports the end of a process on this host.
void Supervisor::on(const Left& input) {
  const NodeId id = input.node;
  Node& node = this->node(id);
  node.connected = false;
  if (stage_ == Stage::ending) {
    if (in<Leaving>(node.life)) node.life = Joining{};
    return maybe_over();
  }
  if (is_lost(id) || is<Absent>(id) || leaves_for_kernels(node.life)) return;
  const bool can_lose =
      stage_ == Stage::training && is<Training>(id) && may_lose(*rules_.training, id, lost());
  if (can_lose && node.runs) return;
  if (mark_lost(id, "left: " + input.why)) return;
  const std::string what = fmt::format("{} left: {}", rules_.described(id), input.why);
  if (!node.runs && holds()) return gone(id, what, what);
  suspect({id, what, fmt::format("{}: {}", rules_.named(id), input.why)});
}

void Supervisor::on(const Exited& input) {
  const NodeId id = input.node;
  node(id).runs = false;
  if (stage_ == Stage::ending) {
    if (ended_.again && !is<Absent>(id)) node(id).life = Absent{};  // others join, it will too
    return maybe_over();
  }
  if (is<Absent>(id)) return start_if_due(id);
  if (is<Lost>(id)) return maybe_return(id);
  if (is<Returning>(id)) return give_up_return(id, input.how);
  if (mark_lost(id, input.how)) return;
  const std::string what = fmt::format("{} {}", rules_.described(id), input.how);
  gone(id, what, what);
}

void Supervisor::on(const Silent& input) {
  const NodeId id = input.node;
  if (stage_ != Stage::training || mark_lost(id, input.how)) return;
  const std::string what = fmt::format("{} {}", rules_.described(id), input.how);
  gone(id, what, what + input.advice);
  if (!ended_.again) kill(id);  // it would not react to a message
}

void Supervisor::on(const FaultDue& input) {
  if (stage_ != Stage::training) return;
  std::optional<Back> back;
  if (input.restart_after) back = Back{*input.restart_after, input.host};
  std::vector<NodeId> there;
  for (const NodeId id : input.nodes) {
    auto* lost = std::get_if<Lost>(&node(id).life);
    if (input.host && lost != nullptr && lost->returns_at) {
      lost->returns_at = std::max(*lost->returns_at, now_ + back->after);
      arm({Timer::Kind::start, id}, *lost->returns_at);
    }
    if (is<Training>(id) || input.together) there.push_back(id);
  }
  if (there.empty()) return;
  const NodeId first = there.front();
  const bool alone = !input.together && all_may_be_lost(there);
  for (const NodeId id : there) {
    if (alone) {
      mark_lost(id, input.how, back);
    } else if (id != first) {
      kill(id);
    }
  }
  const std::string what = fmt::format("{} {}", rules_.training->role(first), input.how);
  if (alone) return;
  gone(first, what, what, back);
  if (!ended_.again) kill(first);
}

bool Supervisor::all_may_be_lost(const std::vector<NodeId>& ids) const {
  int gone = lost();
  return std::ranges::all_of(ids,
                             [&](NodeId id) { return may_lose(*rules_.training, id, gone++); });
}

bool Supervisor::mark_lost(NodeId id, const std::string& why, std::optional<Back> back) {
  if (stage_ != Stage::training || !is<Training>(id)) return false;
  if (!may_lose(*rules_.training, id, lost())) return false;
  kill(id);
  node(id).life = Lost{why};
  emit(Record{id, why});
  say(fmt::format("{} {}; the others continue without it\n", rules_.described(id), why));
  emit(Tell{Tell::What::lost, std::nullopt, id});
  plan_return(id, back);
  maybe_done();
  return true;
}

// If a fault brings the node back, no restart is used.
void Supervisor::plan_return(NodeId id, std::optional<Back> back) {
  if (rules_.tasks || !may_come_back(*rules_.training, id)) return;
  if (!back && restarts_ == 0) return;
  auto& lost = std::get<Lost>(node(id).life);
  lost.returns_at = now_ + (back ? back->after : kOtherDeath);
  lost.takes_restart = !back;
  if (back) say_when(id, *back);
  arm({Timer::Kind::start, id}, *lost.returns_at);
}

// Starts the process when it is due, and its previous process has ended.
void Supervisor::maybe_return(NodeId id) {
  Node& node = this->node(id);
  auto& lost = std::get<Lost>(node.life);
  if (!lost.returns_at || *lost.returns_at > now_ || node.runs) return;
  if (lost.takes_restart && restarts_ == 0) {
    lost.returns_at.reset();
    return;
  }
  if (lost.takes_restart) {
    --restarts_;
    say(fmt::format("{} is started again; {}\n", rules_.training->role(id),
                    how_many_left(restarts_)));
  }
  ++node.incarnation;
  node.runs = true;
  node.connected = false;
  node.life = Returning{.why = std::move(lost.why)};
  emit(Start{id});
}

void Supervisor::give_up_return(NodeId id, const std::string& what) {
  say(fmt::format("{} did not come back: {}\n", rules_.described(id), what));
  kill(id);
  node(id).life = Lost{std::get<Returning>(node(id).life).why};
  emit(Tell{Tell::What::lost, std::nullopt, id});
  plan_return(id, {});
}

// Before the first training a failure means that the training cannot begin.
bool Supervisor::holds() const {
  return rules_.training->begins_again() && (stage_ == Stage::training || down_since_);
}

void Supervisor::say_when(NodeId id, const Back& back) {
  say(fmt::format("{} is started again after {}, as faults: says\n", rules_.training->role(id),
                  rules_.text(back.after)));
}

std::optional<Supervisor::Again> Supervisor::again(NodeId id, std::optional<Back> back) const {
  const bool own_task = rules_.tasks && starts(id);
  if (own_task) return std::nullopt;
  if (back && (holds() || back->host)) return Again{now_ + back->after};
  if (holds() && rules_.tasks) return Again{now_};
  if (restarts_ == 0) return std::nullopt;
  return Again{now_, true};
}

void Supervisor::gone(NodeId id, const std::string& what, const std::string& failure,
                      std::optional<Back> back) {
  suspicion_.reset();
  const Duration limit = rules_.training->return_limit;
  const std::optional<Again> how = again(id, back);
  const bool waits = holds() && !(back && back->host);
  if (waits && back && back->after >= limit) return fail(not_back(what), true);
  if (!how) {
    const std::string_view with_it = rules_.training->gone_with(id);
    if (with_it.empty()) return fail(failure);
    return fail(
        fmt::format("{}; {} is lost with it, so the training cannot continue", failure, with_it));
  }
  if (how->restart) --restarts_;
  if (waits) {
    say(fmt::format("{}; the others wait for it, {} at most\n", what, rules_.text(limit)));
    node(id).missing = Missing{what, now_};
  }
  if (waits && back) say_when(id, *back);
  if (node(id).runs || std::exchange(node(id).connected, false)) emit(Kill{id});
  node(id).life = Absent{how->at};
  if (stage_ != Stage::joining) {
    return end({.outcome = EndAttempt::Outcome::failed,
                .failure = waits ? what : failure,
                .again = true,
                .waits = waits});
  }
  // No other node was informed of it: only this node is replaced.
  if (!waits) {
    say(fmt::format("{}; it is started again, {}\n", what, how_many_left(restarts_)));
  }
  start_if_due(id);
  watch_joining();
}

}  // namespace foretrain::supervision
