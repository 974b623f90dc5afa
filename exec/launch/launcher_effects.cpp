// How the launcher performs what the supervisor decides.
#include "exec/launch/launcher.h"
#include "reports/record/tell_people.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace foretrain::exec {
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

void Launcher::perform(const supervision::Effects& effects) {
  for (const supervision::Effect& each : effects) {
    std::visit([this](const auto& effect) { perform(effect); }, each);
  }
}

void Launcher::perform(const supervision::Kill& kill) {
  Member& member = this->member(kill.node);
  if (member.lives()) {
    ::kill(member.process, SIGKILL);
  } else if (member.connection) {
    std::exchange(member.connection, nullptr)->close();
    take_next(member);
  }
}

void Launcher::perform(const supervision::Admit& admit) {
  Member& member = this->member(admit.node);
  if (member.connection) member.connection->close();
  member.connection = std::exchange(coming_, nullptr);
  member.connection->start(
      [this, id = index_of(admit.node)](const FrameHeader& header, const Payload& payload) {
        on_frame(id, header, payload);
      },
      [this, id = admit.node](const std::string& why) {
        this->member(id).connection = nullptr;
        handle(supervision::Left{id, why});
        take_next(this->member(id));
      });
}

void Launcher::take_next(Member& member) {
  if (!member.next) return;
  coming_ = std::exchange(member.next, nullptr);
  handle(supervision::Joined{NodeId(member.rank)});
}

// It knows the key, so it is of this job, and whoever started it is told what is wrong.
void Launcher::perform(const supervision::TurnAway& away) {
  const auto connection = std::exchange(coming_, nullptr);
  const std::uint32_t id = index_of(away.node);
  refusals_.add(connection->peer(), fmt::format("node {}", id), "no such node is missing here");
  const Member& member = members_[id];
  send_json(*connection, ControlKind::trouble, away.node,
            {{"why", fmt::format("{} is there already: it came from {}; start one process a node",
                                 member.described(), member.connection->peer())}});
  connection->close_when_drained();
}

void Launcher::perform(const supervision::Tell& tell) {
  using What = supervision::Tell::What;
  Member& about = member(tell.about);
  switch (tell.what) {
    case What::setup:
      return send_json(*member(*tell.to).connection, ControlKind::setup, *tell.to,
                       setup_of(index_of(*tell.to)));
    case What::peers:
      if (tell.to && !has_other_kernels(member(*tell.to))) {
        send_json(*member(*tell.to).connection, ControlKind::peers, NodeId(0), places());
      }
      if (!tell.to && agree()) send_to_all(members_, ControlKind::peers, places());
      return;
    case What::go:
      return tell.to ? welcome_back(member(*tell.to)) : begin_training();
    case What::lost:
      if (about.pauses) about.pauses->end();
      return send_to_all(members_, ControlKind::lost, about.rank);
    case What::back:
      if (about.kernels != kernels_) return;  // it is told so
      return send_to_all(members_, ControlKind::back,
                         {about.rank, supervisor_.incarnation(tell.about)});
  }
}

nlohmann::json Launcher::places() const {
  nlohmann::json places;
  for (const Member& each : members_) places.push_back(each.place);
  return places;
}

void Launcher::begin_training() {
  record_.startup = since(launched_);
  trained_ = Clock::now();
  if (const auto down = supervisor_.down_since()) {
    record_.restarts.down += Instant{} + since(started_) - *down;
  }
  if (!beginning_.told.empty()) tell_people(beginning_.told);
  const std::string wrong = rows_->begin(record_, beginning_.time);
  if (!wrong.empty()) return handle(supervision::Failed{wrong});
  checkpoints_->begin(kernels_);
  for (Member& each : members_) {
    each.silence.emplace(silence_limit());
    each.counted_before = hosts_.counted(each.host);
    if (each.pauses) each.pauses->start();
  }
  if (link_faults_) link_faults_->start();
  watch_silence();
  send_to_all(members_, ControlKind::go, beginning_.time.ns);
}

void Launcher::welcome_back(Member& member) {
  const Instant time = now();
  member.silence.emplace(silence_limit());
  member.pauses = make_pauses(static_cast<std::size_t>(member.rank), time);
  member.pauses->start();
  send_json(*member.connection, ControlKind::go, NodeId(0), time.ns);
}

void Launcher::perform(const supervision::Arm& arm) {
  auto& timer = timers_.try_emplace(arm.timer, loop_).first->second;
  timer.expires_at(started_ + std::chrono::nanoseconds(arm.at.ns));
  timer.async_wait([this, which = arm.timer](error_code error) {
    if (!error) handle(supervision::TimerFired{which});
  });
}

void Launcher::perform(const supervision::Record& record) {
  Member& member = this->member(record.node);
  NodeTotals& totals = record_.nodes[index_of(record.node)];
  if (record.lost.empty()) {
    totals.away.push_back({std::exchange(totals.lost, {}), member.left, now()});
  } else {
    totals.lost = record.lost;
    member.left = now();
  }
}

void Launcher::perform(const supervision::Say& say) { tell_people(say.line); }

void Launcher::perform(const supervision::EndAttempt& end) {
  const bool first = std::exchange(end_, end).again == false;
  record_.outcome = end.outcome == supervision::EndAttempt::Outcome::done ? Outcome::done
                    : end.outcome == supervision::EndAttempt::Outcome::failed
                        ? Outcome::failed
                        : Outcome::interrupted;
  record_.failure = end.failure;
  if (!end.again) door_.close();  // whoever comes now comes for the next case
  if (!first) return;             // nodes were told to join again, and will not be heard
  record_.ended = now();
  record_.refused += refusals_.count();
  if (record_.outcome == Outcome::done) count_interfaces();
  if (link_faults_) link_faults_->end();
  for (const Member& member : members_) {
    if (member.pauses) member.pauses->end();
    if (!member.connection) continue;
    send_text(*member.connection, ControlKind::exit, NodeId(0),
              end.again ? kAgain : name_of(record_.outcome));
  }
  if (end.again) {
    if (rows_->keep(); rows_->broken()) handle(supervision::Failed{record_.failure});
  }
}

// When everybody has finished nothing is under way any more, so the counters have seen all.
void Launcher::count_interfaces() {
  for (std::size_t id = 0; id < members_.size() && !hosts_.interface().empty(); ++id) {
    const InterfaceBytes after = hosts_.counted(members_[id].host);
    record_.nodes[id].nic_tx = after.tx - members_[id].counted_before.tx;
    record_.nodes[id].nic_rx = after.rx - members_[id].counted_before.rx;
  }
}

void Launcher::perform(const supervision::BeginAttempt& /*begin*/) {
  take_rows();
  restarts_.end(record_, std::exchange(end_, {}), trained_.has_value(), *rows_);
  begin_attempt();
  supervision::Effects effects;
  supervisor_.begin(Instant{} + since(started_), effects);
  perform(effects);
}

void Launcher::perform(const supervision::Stop& /*stop*/) { loop_.stop(); }

Instant Launcher::now() const {
  return trained_ ? beginning_.time + since(*trained_) : beginning_.time;
}

}  // namespace foretrain::exec
