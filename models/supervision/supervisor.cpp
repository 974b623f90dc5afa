#include "models/supervision/supervisor.h"

#include "models/protocol/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace foretrain::supervision {
namespace {
using namespace literals;

constexpr Duration kTimeToStart = 5_s;  // at least, for a started process
constexpr Duration kTimeToJoin = 1_s;   // at least, for a process that keeps trying to join

}  // namespace

std::string how_many_left(int restarts) {
  return fmt::format("{} {} left", restarts, restarts == 1 ? "restart is" : "restarts are");
}

Supervisor::Supervisor(Rules rules)
    : rules_(std::move(rules)),
      restarts_(rules_.restarts),
      nodes_(static_cast<std::size_t>(rules_.training->nodes())) {}

int Supervisor::lost() const {
  return static_cast<int>(std::ranges::count_if(
      nodes_, [](const Node& each) { return in<Lost>(each.life) || in<Returning>(each.life); }));
}

void Supervisor::emit(Effect effect) { effects_->push_back(std::move(effect)); }

void Supervisor::say(std::string line) { emit(Say{std::move(line)}); }

bool Supervisor::hears(NodeId node) const {
  return !is<Lost>(node) && !leaves_for_kernels(life(node));
}

void Supervisor::begin(Instant now, Effects& effects) {
  now_ = now;
  effects_ = &effects;
  stage_ = Stage::joining;
  began_ = now;
  join_until_ = now + rules_.join_limit;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].incarnation = 1;
    const auto* joining = std::get_if<Joining>(&nodes_[i].life);
    if (joining != nullptr && !joining->again && nodes_[i].connected) {
      emit(Tell{Tell::What::setup, NodeId{i}});
    }
    if (in<Absent>(nodes_[i].life)) start_if_due(NodeId{i});
  }
  watch_joining();
}

void Supervisor::handle(Instant now, const Input& input, Effects& effects) {
  if (stage_ == Stage::over) return;
  now_ = now;
  effects_ = &effects;
  std::visit([this](const auto& each) { on(each); }, input);
}

void Supervisor::arm(Timer timer, Instant at) {
  armed_[timer] = at;
  emit(Arm{timer, at});
}

// A node that is silent or cut off does not receive that it is lost.
void Supervisor::kill(NodeId id) {
  if (node(id).runs) emit(Kill{id});
}

// --- Processes come ---

void Supervisor::start_if_due(NodeId id) {
  Node& node = this->node(id);
  if (!starts(id)) {
    node.life = Joining{};
    return;
  }
  const Instant at = std::get<Absent>(node.life).starts_at;
  if (node.runs || stage_ != Stage::joining) return;
  if (at > now_) return arm({Timer::Kind::start, id}, at);
  node.runs = true;
  node.connected = false;
  node.life = Joining{};
  emit(Start{id});
}

void Supervisor::on(const Joined& input) {
  const NodeId id = input.node;
  Node& node = this->node(id);
  const bool ending = stage_ == Stage::ending;
  if (ending && !ended_.again) return;
  const bool joins = ending || stage_ == Stage::joining;
  if (!joins && !is_lost(id) && !node.connected) return;
  const bool expected = !node.connected || leaves_for_kernels(node.life);
  if (!expected && !in<Leaving>(node.life)) {
    return emit(TurnAway{id});
  }
  if (auto* returning = std::get_if<Returning>(&node.life)) {
    returning->again = false;
  } else if (!in<Lost>(node.life)) {
    node.life = Joining{};
  }
  node.connected = true;
  emit(Admit{id});
  if (std::exchange(node.missing, {})) {
    join_until_ = now_ + rules_.join_limit;
    watch_joining();
  }
  if (ending) return maybe_over();
  emit(Tell{Tell::What::setup, id});
}

// A missing node has `rejoin_limit`; the others get ready meanwhile.
std::optional<Instant> Supervisor::limit_of(const Node& node) const {
  if (!node.missing || node.connected || leaves_for_kernels(node.life)) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(&node - nodes_.data());
  const Duration least = starts(NodeId{index}) ? kTimeToStart : kTimeToJoin;
  return std::max(node.missing->since + rules_.training->return_limit, began_ + least);
}

void Supervisor::watch_joining() {
  std::optional<Instant> first;
  for (const Node& each : nodes_) {
    const std::optional<Instant> limit = limit_of(each);
    if (limit && (!first || *limit < *first)) first = limit;
  }
  arm({Timer::Kind::join}, first.value_or(join_until_));
}

std::string Supervisor::not_back(const std::string& what) const {
  return fmt::format("{}, and did not come back within training.rejoin_limit of {}", what,
                     rules_.text(rules_.training->return_limit));
}

void Supervisor::join_limit_passed() {
  if (stage_ != Stage::joining && stage_ != Stage::preparing) return;
  for (const Node& each : nodes_) {
    const std::optional<Instant> limit = limit_of(each);
    if (limit && *limit <= now_) {
      return fail(not_back(each.missing->what) + rules_.join_advice(), true);
    }
  }
  if (now_ < join_until_) return watch_joining();
  const bool joining = stage_ == Stage::joining;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Life& life = nodes_[i].life;
    const bool there = joining ? in<Listening>(life) : in<Ready>(life);
    if (!there) names.push_back(rules_.named(NodeId{i}));
  }
  fail(fmt::format("{} did not {} within {}{}", fmt::join(names, ", "),
                   joining ? "join" : "get ready", rules_.text(rules_.join_limit),
                   rules_.join_advice()));
}

// --- What nodes tell ---

void Supervisor::on(const Told& input) {
  if (stage_ == Stage::ending || !hears(input.node) || is<Absent>(input.node)) return;
  switch (input.what) {
    case Told::What::listening:
      return listening(input.node);
    case Told::What::ready:
      return ready(input.node);
    case Told::What::finished:
      node(input.node).life = Finished{};
      return maybe_done();
    case Told::What::trouble:
      return trouble(input);
    case Told::What::unread:
      if (stage_ != Stage::joining) return trouble(input);
      node(input.node).life = Listening{input.why, input.older_checkpoint};
      return maybe_prepare();
    case Told::What::kernels:
      return leave_for_kernels(input.node);
  }
}

// Peers are informed of the new process first: a connection that claims to be this worker before
// that is from its old process.
void Supervisor::listening(NodeId id) {
  if (is<Returning>(id)) {
    emit(Tell{Tell::What::back, std::nullopt, id});
    return emit(Tell{Tell::What::peers, id});
  }
  if (stage_ != Stage::joining) return;
  node(id).life = Listening{};
  maybe_prepare();
}

// A node that still reads its data would not receive that it has to join again.
void Supervisor::maybe_prepare() {
  if (!all([](const Node& each) { return in<Listening>(each.life); })) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const auto& answer = std::get<Listening>(nodes_[i].life);
    if (answer.unread.empty()) continue;
    const std::string what = fmt::format("{}: {}", rules_.named(NodeId{i}), answer.unread);
    if (!answer.older_checkpoint)
      return fail(what + "; there is no older complete checkpoint", true);
    return end(
        {.outcome = EndAttempt::Outcome::failed, .failure = what, .again = true, .older = true});
  }
  stage_ = Stage::preparing;
  emit(Tell{Tell::What::peers});
}

void Supervisor::leave_for_kernels(NodeId id) {
  if (auto* returning = std::get_if<Returning>(&node(id).life)) {
    returning->again = true;
    return;
  }
  node(id).life = Joining{.again = true};
  stage_ = Stage::joining;
  join_until_ = now_ + rules_.join_limit;  // it reads its data once more
  watch_joining();
}

void Supervisor::ready(NodeId id) {
  Node& node = this->node(id);
  if (is<Returning>(id)) {
    node.life = Training{};
    emit(Record{id, {}});
    say(fmt::format("{} is back\n", rules_.described(id)));
    return emit(Tell{Tell::What::go, id});
  }
  if (stage_ != Stage::preparing) return;
  node.life = Ready{};
  if (!all([](const Node& each) { return in<Ready>(each.life); })) return;
  stage_ = Stage::training;
  for (Node& each : nodes_) each.life = Training{};
  emit(Tell{Tell::What::go});
}

void Supervisor::trouble(const Told& told) {
  const NodeId id = told.node;
  if (is<Returning>(id)) return give_up_return(id, told.why);
  // The node may be lost instead, unless all hold for its peer.
  const bool holds_for_peer = told.peer && stage_ == Stage::training && holds() &&
                              !may_lose(*rules_.training, *told.peer, lost());
  if (!holds_for_peer && mark_lost(id, "gave up: " + told.why)) return;
  if (!told.peer) return fail(fmt::format("{}: {}", rules_.named(id), told.why));
  const std::string role = rules_.training->role(id);
  if (const auto* lost = std::get_if<Lost>(&life(*told.peer))) {
    return fail(
        fmt::format("{} {}; {}: {}", rules_.described(*told.peer), lost->why, role, told.why));
  }
  const std::string what =
      fmt::format("{}: {} ({} noticed)", rules_.training->role(*told.peer), told.why, role);
  suspect({*told.peer, what, what, id, "gave up: " + told.why});
}

void Supervisor::suspect(Suspicion suspicion) {
  if (suspicion_) return;
  suspicion_ = std::move(suspicion);
  arm({Timer::Kind::suspicion}, now_ + rules_.suspicion);
}

void Supervisor::on(const TimerFired& input) {
  const auto found = armed_.find(input.timer);
  if (found == armed_.end() || found->second > now_) return;
  armed_.erase(found);
  switch (input.timer.kind) {
    case Timer::Kind::join:
      return join_limit_passed();
    case Timer::Kind::farewell:
      return farewell();
    case Timer::Kind::start:
      if (stage_ == Stage::joining && is<Absent>(input.timer.node)) {
        return start_if_due(input.timer.node);
      }
      if (stage_ == Stage::training && is<Lost>(input.timer.node)) {
        return maybe_return(input.timer.node);
      }
      return;
    case Timer::Kind::suspicion:
      break;
  }
  const auto suspicion = std::exchange(suspicion_, {});
  if (!suspicion) return;
  if (suspicion->gives_up && mark_lost(*suspicion->gives_up, suspicion->why)) return;
  if (is_lost(suspicion->node)) return fail(suspicion->failure);
  // Its connection is broken; it is unknown whether its process runs.
  if (!again(suspicion->node, std::nullopt)) return fail(suspicion->failure);
  gone(suspicion->node, suspicion->what, suspicion->failure);
}

}  // namespace foretrain::supervision
