// Execution of the supervisor's decisions by the launcher.
#include "exec/launch/kernel_agreement.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/launcher.h"
#include "exec/launch/task.h"
#include "models/networks/registry.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace foretrain::exec {
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

void Launcher::perform(const supervision::Effects& effects) {
  for (const supervision::Effect& each : effects) {
    std::visit([this](const auto& effect) { perform(effect); }, each);
  }
}

void Launcher::perform(const supervision::Start& start) {
  ManagedNode& member = this->member(start.node);
  if (member.connection) std::exchange(member.connection, nullptr)->close();
  member.place = nullptr;
  member.reaped = false;
  const auto here = acceptor_.place(member.host);
  NodeCommand command{loop_,
                      options_.program,
                      {"node", "--address", here.address().to_string(), "--port",
                       fmt::format("{}", here.port()), "--id", fmt::format("{}", member.rank)},
                      meeting_.known.key};
  hosts_.enter(member.host, [&] { options_.start->start(member, command); });
}

void Launcher::perform(const supervision::Kill& kill) {
  ManagedNode& member = this->member(kill.node);
  if (member.lives()) {
    ::kill(member.process, SIGKILL);
  } else if (member.connection) {
    std::exchange(member.connection, nullptr)->close();
    take_next(member);
  }
}

void Launcher::perform(const supervision::Admit& admit) {
  ManagedNode& member = this->member(admit.node);
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

void Launcher::take_next(ManagedNode& member) {
  if (!member.next) return;
  coming_ = std::exchange(member.next, nullptr);
  handle(supervision::Joined{NodeId(member.rank)});
}

// It knows the key, so it belongs to this job, and its user should learn the reason.
void Launcher::perform(const supervision::TurnAway& away) {
  const auto connection = std::exchange(coming_, nullptr);
  const std::uint32_t id = index_of(away.node);
  rejected_.add(connection->peer(), fmt::format("node {}", id), "this node is not expected here");
  const ManagedNode& member = members_[id];
  send_json(*connection, ControlKind::trouble, away.node,
            {{"why", fmt::format("{} has joined already, from {}; start one process per node",
                                 member.described(), member.connection->peer())}});
  connection->close_when_drained();
}

void Launcher::perform(const supervision::Tell& tell) {
  using What = supervision::Tell::What;
  ManagedNode& about = member(tell.about);
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
      if (about.kernels != kernels_) return;  // it is refused or begins again
      return send_to_all(members_, ControlKind::back,
                         {about.rank, supervisor_.incarnation(tell.about)});
  }
}

nlohmann::json Launcher::places() const {
  nlohmann::json places;
  for (const ManagedNode& each : members_) places.push_back(each.place);
  return places;
}

std::unique_ptr<Pauses> Launcher::make_pauses(std::size_t node, Instant now) {
  const auto send_signal = [this, node](int signal) {
    if (members_[node].lives()) kill(members_[node].process, signal);
  };
  const auto died = [this, node](const FaultSchedule::Death& death) {
    handle(supervision::FaultDue{
        {NodeId(members_[node].rank)}, death_at(death.at), death.restart_after});
  };
  return std::make_unique<Pauses>(loop_, record_.scenario_case.scenario, static_cast<int>(node),
                                  now, send_signal, died);
}

void Launcher::begin_training() {
  record_.startup = since(launched_);
  trained_ = Clock::now();
  if (const auto down = supervisor_.down_since()) {
    record_.restarts.down += Instant{} + since(started_) - *down;
  }
  if (!beginning_.told.empty()) stderr_note(beginning_.told);
  const std::string wrong = rows_->begin(record_, beginning_.time);
  if (!wrong.empty()) return handle(supervision::Failed{wrong});
  checkpoints_->begin(kernels_);
  for (ManagedNode& each : members_) {
    each.silence.emplace(silence_limit());
    each.counted_before = hosts_.counted(each.host);
    if (each.pauses) each.pauses->start();
  }
  if (link_faults_) link_faults_->start();
  watch_silence();
  send_to_all(members_, ControlKind::go, beginning_.time.ns);
}

void Launcher::welcome_back(ManagedNode& member) {
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
  ManagedNode& member = this->member(record.node);
  NodeTotals& totals = record_.nodes[index_of(record.node)];
  if (record.lost.empty()) {
    totals.away.push_back({std::exchange(totals.lost, {}), member.left, now()});
  } else {
    totals.lost = record.lost;
    member.left = now();
  }
}

void Launcher::perform(const supervision::Say& say) { stderr_note(say.line); }

void Launcher::perform(const supervision::EndAttempt& end) {
  const bool first = std::exchange(end_, end).again == false;
  record_.outcome = end.outcome == supervision::EndAttempt::Outcome::done ? Outcome::done
                    : end.outcome == supervision::EndAttempt::Outcome::failed
                        ? Outcome::failed
                        : Outcome::interrupted;
  record_.failure = end.failure;
  if (!end.again) acceptor_.close();  // later connections are for the next case
  if (!first) return;                 // nodes were told to join again; their messages are ignored
  record_.ended = now();
  record_.refused += rejected_.count();
  if (record_.outcome == Outcome::done) count_interfaces();
  if (link_faults_) link_faults_->end();
  for (const ManagedNode& member : members_) {
    if (member.pauses) member.pauses->end();
    if (!member.connection) continue;
    send_text(*member.connection, ControlKind::exit, NodeId(0),
              end.again ? kAgain : name_of(record_.outcome));
  }
  if (end.again) {
    if (rows_->keep(); rows_->broken()) handle(supervision::Failed{record_.failure});
  }
}

// When all have finished no message is in transit, so the counters are complete.
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

// All nodes compute with the same kernels ------------------------------------------------------

// The user's choice, else the kernels of the previous training, else those of the checkpoint, whose
// bits then continue.
std::string Launcher::preferred_kernels() const {
  if (const auto asked = process_environment(kKernelsVariable)) return *asked;
  if (!options_.start->kernels().empty()) return options_.start->kernels();
  return beginning_.from != nullptr ? beginning_.from->manifest.kernel_set : std::string();
}

void Launcher::on_listening(std::size_t id, const nlohmann::json& json) {
  ManagedNode& member = members_[id];
  member.kernels = json.at("kernels");
  member.other_kernels = json.at("other_kernels").get<std::vector<std::string>>();
  member.place = json;
  if (options_.elsewhere()) record_.nodes[id].host = json.at("host");
  handle(supervision::Told{NodeId(member.rank), supervision::Told::What::listening});
}

bool Launcher::agree() {
  std::vector<NodeKernels> nodes;
  for (const ManagedNode& each : members_) {
    nodes.push_back({each.described(), each.kernels, each.other_kernels});
  }
  KernelAgreement agreed = kernels_before_.empty() ? agree_on_kernels(nodes, preferred_kernels())
                                                   : keep_kernels(nodes, kernels_before_);
  if (!agreed.wrong.empty()) {
    handle(supervision::Failed{agreed.wrong});
    return false;
  }
  kernels_ = std::move(agreed.kernels);
  std::string others;
  for (ManagedNode& each : members_) {
    if (each.kernels == kernels_) continue;
    others += (others.empty() ? "" : ", ") + each.role;
    have_begin_again(each);
  }
  if (!others.empty()) {
    stderr_note(
        fmt::format("all nodes compute with {} kernels, which every host has; restarted, since "
                    "they had others: {}\n",
                    kernels_, others));
    return false;
  }
  tell_change_of_kernels();
  // The nodes of a sweep's next training begin with these kernels.
  if (kernels_ != kernel_set()) options_.start->begin_with(kernels_);
  return true;
}

void Launcher::have_begin_again(ManagedNode& member) {
  if (!member.connection) return;  // its loss is handled already
  send_text(*member.connection, ControlKind::kernels, NodeId(0), kernels_);
  handle(supervision::Told{NodeId(member.rank), supervision::Told::What::kernels});
}

// For a node that returns to a training.
bool Launcher::has_other_kernels(ManagedNode& member) {
  if (member.kernels == kernels_) return false;
  const auto& others = member.other_kernels;
  if (std::ranges::find(others, kernels_) != others.end()) {
    have_begin_again(member);
    return true;
  }
  handle(supervision::Told{
      NodeId(member.rank), supervision::Told::What::trouble,
      fmt::format("it computes with {} kernels, the others with {}", member.kernels, kernels_)});
  return true;
}

void Launcher::tell_change_of_kernels() const {
  if (beginning_.from == nullptr) return;
  const std::string& before = beginning_.from->manifest.kernel_set;
  if (before == kernels_) return;
  stderr_note(fmt::format(
      "steps so far were computed with {} kernels, later ones with {}: the weights will differ in "
      "the last bits from a training with one of them\n",
      before, kernels_));
}

}  // namespace foretrain::exec
