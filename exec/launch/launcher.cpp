#include "exec/launch/launcher.h"

#include "exec/launch/memory_need.h"
#include "exec/system/process.h"
#include "exec/usage/interface.h"
#include "reports/record/collector.h"
#include "reports/record/interruption.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {
constexpr Duration kTermToKill{1'000'000'000};

std::string makes_no_sense(const ManagedNode& sender, const std::exception& error) {
  return fmt::format("{}: it sent an invalid message ({})", sender.role, error.what());
}

}  // namespace

Launcher::Launcher(const Prepared& prepared, const RunOptions& options, const Meeting& meeting)
    : prepared_(prepared),
      options_(options),
      training_(*prepared.training),
      meeting_(meeting),
      restarts_(prepared.scenario_case, options),
      supervisor_(rules()),
      hosts_(prepared.scenario_case.scenario.cluster, options.emulate),
      acceptor_(loop_, meeting_.known, static_cast<std::size_t>(training_.nodes())) {
  add_members();
  begin_attempt();
  if (!options.elsewhere()) {
    check_memory(prepared.scenario_case, training_, prepared.data_memory);
  }
}

Launcher::~Launcher() {
  std::vector<pid_t> processes;
  for (const ManagedNode& member : members_) {
    if (member.lives()) processes.push_back(member.process);
  }
  end_processes(processes, kTermToKill);
}

supervision::Rules Launcher::rules() {
  return {.training = prepared_.training,
          .restarts = options_.max_restarts,
          .tasks = !options_.start->starts_all(),
          .join_limit = options_.join_timeout,
          .described = [this](NodeId id) { return member(id).described(); },
          .named = [this](NodeId id) { return member(id).named(); },
          .text = [](Duration time) { return to_text(time); },
          .join_advice =
              [this] {
                return rejected_.summary() +
                       options_.start->join_advice(to_text(acceptor_.place(0)));
              }};
}

void Launcher::add_members() {
  for (const PlacedNode& placed : placed_nodes(prepared_, usable_cores())) {
    ManagedNode& member = members_.emplace_back();
    member.rank = static_cast<int>(members_.size()) - 1;
    member.role = placed.role;
    member.host_name = placed.host_name;
    if (options_.elsewhere()) continue;  // its launcher has placed it
    member.host = placed.host;
    if (prepared_.scenario_case.scenario.transport.pin) member.cores = placed.cores;
  }
}

void Launcher::begin_attempt() {
  rows_ = std::make_unique<RunRows>(options_, training_.steps * training_.workers);
  beginning_ = restarts_.begin(*rows_, supervisor_.restarts_left());
  launched_ = Clock::now();
  trained_.reset();
  rejected_ = RejectedConnections("launcher");
  kernels_before_ = kernels_;
  record_ = {};
  record_.scenario_case = prepared_.scenario_case;
  record_.restarts = beginning_.restarts;
  if (const Resumption* from = beginning_.from) {
    record_.evals = from->record.evals;
    record_.resumed = from->record.resumed;
    record_.resumed.push_back(from->manifest.cut);
  }
  checkpoints_.emplace(record_.scenario_case, training_, options_.folder, beginning_);
  record_.run = checkpoints_->run();
  for (std::size_t id = 0; id < members_.size(); ++id) {
    ManagedNode& member = members_[id];
    NodeTotals& totals = record_.nodes.emplace_back();
    totals.role = member.role;
    totals.host = member.host_name;
    if (id < beginning_.away.size()) totals.away = beginning_.away[id];
    if (!member.cores.empty()) totals.core = member.cores.front();
    member.silence.reset();
    if (!options_.elsewhere()) member.pauses = make_pauses(id, beginning_.time);
  }
  record_.machine = options_.start->machine(hosts_.describe(usable_cores().size()));
  if (meeting_.known.tls) record_.machine += ", TLS";
  if (!options_.emulate) return;
  std::vector<std::size_t> hosts;
  for (const ManagedNode& member : members_) hosts.push_back(member.host);
  link_faults_.emplace(loop_, record_.scenario_case.scenario, std::move(hosts), hosts_,
                       beginning_.time, [this](const std::string& why) { fail(why); });
}

Launcher::Ended Launcher::run() {
  watch_children();
  watch_interruption();
  if (const std::string wrong = listen(); !wrong.empty()) {
    handle(supervision::Failed{wrong});
  } else {
    acceptor_.open(
        [this](const std::shared_ptr<Connection>& peer, std::uint32_t id) { on_joined(peer, id); },
        [this](const std::string& peer, const Refused& refused) { on_refused(peer, refused); });
    supervision::Effects effects;
    supervisor_.begin(Instant{} + since(started_), effects);
    perform(effects);
  }
  loop_.run();
  take_rows();
  return {std::move(record_), std::move(rows_)};
}

void Launcher::handle(supervision::Input input) {
  inputs_.push_back(std::move(input));
  if (std::exchange(handling_, true)) return;
  while (!inputs_.empty()) {
    const supervision::Input next = std::move(inputs_.front());
    inputs_.pop_front();
    supervision::Effects effects;
    supervisor_.handle(Instant{} + since(started_), next, effects);
    perform(effects);
  }
  handling_ = false;
}

void Launcher::fail(const std::string& why) {
  handle(supervision::Failed{.why = why, .for_good = false});
}

void Launcher::watch_children() {
  children_.add(SIGCHLD);
  children_.async_wait([this](error_code error, int /*signal*/) {
    if (error) return;
    reap();
    watch_children();
  });
}

void Launcher::reap() {
  for (ManagedNode& member : members_) {
    if (!member.lives()) continue;
    const std::optional<std::string> how = member.how_ended();
    if (!how) continue;
    member.reaped = true;
    handle(supervision::Exited{NodeId(member.rank), *how});
  }
}

// Nodes report ten times a second, so one that does not, and is not paused, is stuck or stopped.
void Launcher::watch_silence() {
  look_.expires_after(std::chrono::nanoseconds(FailureDetector::interval_of(silence_limit()).ns));
  look_.async_wait([this](error_code error) {
    if (error || supervisor_.stage() != supervision::Supervisor::Stage::training) return;
    look_for_silence();
    watch_silence();
  });
}

void Launcher::look_for_silence() {
  const Instant now = Instant{} + since(launched_);
  for (ManagedNode& member : members_) {
    if (!supervisor_.is<supervision::Training>(NodeId(member.rank))) continue;
    const std::uint64_t bytes = member.connection ? member.connection->received() : 0;
    const auto had = member.silence->is_news(bytes) ? std::nullopt : member.had_while_waiting();
    if (!member.silence->look(now, bytes, had)) continue;
    handle(supervision::Silent{NodeId(member.rank), silent_for(silence_limit()),
                               "; a longer training.silence_limit waits longer"});
  }
}

Duration Launcher::silence_limit() const { return silence_of(record_.scenario_case.scenario); }

void Launcher::on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t id) {
  if (id < members_.size()) {
    const bool leaves = supervisor_.is<supervision::Leaving>(NodeId(id));
    if (leaves && members_[id].connection) return void(members_[id].next = connection);
    coming_ = connection;
    handle(supervision::Joined{NodeId(id)});
    if (const auto refused = std::exchange(coming_, nullptr)) refused->close();
    return;
  }
  rejected_.add(connection->peer(), fmt::format("node {}", id), "this node is not expected here");
  send_json(
      *connection, ControlKind::trouble, NodeId(id),
      {{"why", fmt::format("this training has {} nodes, and no node {}", members_.size(), id)}});
  connection->close_when_drained();
}

void Launcher::on_frame(std::size_t id, const FrameHeader& header, const Payload& payload) {
  // Ignores a node that returns too late, or that does not know yet that it has to begin again.
  if (!supervisor_.hears(NodeId(static_cast<std::uint32_t>(id)))) return;
  const auto kind = static_cast<ControlKind>(header.kind);
  try {
    if (add_rows(record_, id, kind, payload)) return take_rows();
    switch (kind) {
      case ControlKind::listening:
        return on_listening(id, json_of(payload));
      case ControlKind::ready:
        return handle(supervision::Told{NodeId(static_cast<std::uint32_t>(id)),
                                        supervision::Told::What::ready});
      case ControlKind::finished:
        return on_finished(id, json_of(payload));
      case ControlKind::kept:
        return on_kept(id, json_of(payload));
      case ControlKind::trouble:
        return on_trouble(id, json_of(payload));
      default:
        return;
    }
  } catch (const nlohmann::json::exception& error) {
    fail(makes_no_sense(members_[id], error));
  } catch (const BadValue& error) {
    fail(makes_no_sense(members_[id], error));
  }
}

// A training whose record cannot be written fails.
void Launcher::take_rows() {
  if (const std::string wrong = rows_->take(record_); !wrong.empty()) {
    handle(supervision::Failed{wrong});
  }
}

void Launcher::on_kept(std::size_t id, const nlohmann::json& json) {
  const auto keep_rows = [this] {
    if (const std::string wrong = rows_->keep(); !wrong.empty()) {
      handle(supervision::Failed{wrong});
    }
  };
  const std::int64_t outdated = checkpoints_->take(NodeId(members_[id].rank), written_part_of(json),
                                                   {json.at("now_ns")}, keep_rows);
  record_.checkpoints = checkpoints_->totals();
  if (outdated > 0) send_to_all(members_, ControlKind::outdated, outdated);
}

void Launcher::on_finished(std::size_t id, const nlohmann::json& json) {
  add_finished(record_, id, json);
  NodeTotals& totals = record_.nodes[id];
  if (!totals.away.empty()) {  // its rows cover all of its processes
    totals.cpu_s = 0;
    totals.rss = Bytes{};
  }
  if (members_[id].pauses) members_[id].pauses->end();
  handle(supervision::Told{NodeId(members_[id].rank), supervision::Told::What::finished});
}

void Launcher::on_trouble(std::size_t id, const nlohmann::json& json) {
  if (json.contains("not_kept")) {  // the requested weights
    const std::string why = json.at("why");
    return handle(supervision::Failed{fmt::format("{}: {}", members_[id].named(), why)});
  }
  supervision::Told told{NodeId(members_[id].rank), supervision::Told::What::trouble,
                         json.at("why")};
  if (json.contains("peer")) {
    const auto peer = json.at("peer").get<std::size_t>();
    if (peer >= members_.size()) throw BadValue(fmt::format("node {}", peer));
    told.peer = NodeId(members_[peer].rank);
  }
  if (const Resumption* from = beginning_.from; from != nullptr && json.contains("no_part")) {
    told.what = supervision::Told::What::unread;
    told.older_checkpoint =
        newest_checkpoint(from->folder, !options_.elsewhere(), from->manifest.cut)
            .manifest.has_value();
  }
  handle(std::move(told));
}

std::string Launcher::listen() {
  const Start& start = *options_.start;
  const bool own = !options_.emulate && !start.through_ssh();
  if (const std::string down = loopback_trouble(); own && !down.empty()) return down;
  const std::string wrong = acceptor_.listen(hosts_, meeting_.place);
  if (wrong.empty()) return {};
  return fmt::format("launcher: cannot listen on {}: {}; {}", to_text(meeting_.place), wrong,
                     start.listen_advice());
}

// Also receives a signal that came earlier, for example between two attempts.
void Launcher::watch_interruption() {
  interruption_.assign(fcntl(Interruption::descriptor(), F_DUPFD_CLOEXEC, 0));
  interruption_.async_wait(
      boost::asio::posix::stream_descriptor::wait_read, [this](error_code error) {
        if (error) return;
        handle(supervision::Interrupted{interrupted_by(Interruption::signal())});
      });
}

// A connection that arrives before all nodes have joined can come from a node or from a stranger.
void Launcher::on_refused(const std::string& peer, const Refused& refused) {
  if (supervisor_.stage() == supervision::Supervisor::Stage::ending) return;
  // It is a node of this run, and waiting longer does not help.
  if (refused.proved()) {
    const bool ours =
        options_.start->through_ssh() && refused.claimed && *refused.claimed < members_.size();
    const std::string who = ours ? members_[*refused.claimed].described() : "a node at " + peer;
    return fail(fmt::format("{}: {}", who, refused.why));
  }
  const ManagedNode* slow = refused.refusal == Refusal::silent ? owner_of(peer) : nullptr;
  if (slow != nullptr) return rejected_.add_slow(slow->described(), refused.why);
  const bool node = refused.claimed && *refused.claimed < members_.size();
  rejected_.add(peer, node ? members_[*refused.claimed].role : "", refused.why);
}

// The process, not joined yet, that has the other end of this connection.
const ManagedNode* Launcher::owner_of(const std::string& peer) const {
  int port = -1;
  const char* digits = peer.data() + peer.rfind(':') + 1;
  std::from_chars(digits, peer.data() + peer.size(), port);
  const auto owner = std::ranges::find_if(members_, [&](const ManagedNode& member) {
    return member.lives() && !member.connection && holds_port(member.process, port);
  });
  return owner == members_.end() ? nullptr : &*owner;
}

nlohmann::json Launcher::setup_of(std::size_t id) const {
  // Only servers listen; if there are none, all workers do.
  const int listener = static_cast<int>(id) - (training_.servers > 0 ? training_.workers : 0);
  const int port = options_.port > 0 && listener >= 0 ? options_.port + 1 + listener : 0;
  const ManagedNode& member = members_[id];
  const std::int64_t incarnation = supervisor_.incarnation(NodeId(member.rank));
  NodePart part = checkpoints_->part_of(NodeId(member.rank));
  if (incarnation > 1) part.from.clear();  // the training has continued meanwhile
  nlohmann::json setup{{"scenario", to_yaml(record_.scenario_case.scenario)},
                       {"places", record_.scenario_case.places},
                       {"dataset", to_json(prepared_.dataset)},
                       {"port", port},
                       {"interface", hosts_.interface()},
                       {"job_times", options_.job_times},
                       {"save", options_.save.empty() ? "" : absolute(options_.save).string()},
                       {"checkpoint", to_json(part)},
                       {"generation", incarnation},
                       {"max_delay_ns", options_.max_delay.ns}};
  if (options_.emulate) setup["address"] = hosts_.address(member.host);
  return setup;
}

}  // namespace foretrain::exec
