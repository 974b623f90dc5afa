#include "exec/launch/launcher.h"

#include "exec/launch/memory_need.h"
#include "exec/system/process.h"
#include "reports/record/collector.h"
#include "reports/record/tell_people.h"
#include "scenarios/input_error.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <string_view>
#include <utility>

namespace foretrain::exec {
using boost::asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {
constexpr auto kSuspicion = std::chrono::milliseconds(300);  // a SIGCHLD takes less to come

std::string makes_no_sense(const Member& sender, const std::exception& error) {
  return fmt::format("{}: it sent something that makes no sense ({})", sender.role, error.what());
}

Duration since(Clock::time_point start) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count()};
}

}  // namespace

Launcher::Launcher(const Prepared& prepared, const RunOptions& options, RunRows& rows,
                   Credentials known, const tcp::endpoint& meeting, const Beginning& beginning,
                   std::unique_ptr<Waiting> waiting)
    : options_(options),
      rows_(rows),
      known_(std::move(known)),
      meeting_(meeting),
      dataset_(prepared.dataset),
      training_(prepared.training),
      beginning_(beginning),
      waiting_(std::move(waiting)),
      hosts_(prepared.scenario_case.scenario.cluster, options.emulate),
      door_(loop_, known_, static_cast<std::size_t>(training_->nodes())) {
  record_.scenario_case = prepared.scenario_case;
  record_.restarts = beginning.restarts;
  if (const Resumption* from = beginning.from) {
    record_.evals = from->record.evals;
    record_.resumed = from->record.resumed;
    record_.resumed.push_back(from->manifest.cut);
  }
  checkpoints_.emplace(record_.scenario_case, *training_, options.folder, beginning);
  record_.run = checkpoints_->run();
  const std::vector<int> cores = usable_cores();
  for (const Seat& seat : seats_of(prepared, cores)) {
    Member& member = members_.emplace_back();
    member.rank = static_cast<int>(members_.size()) - 1;
    member.role = seat.role;
    NodeTotals& totals = record_.nodes.emplace_back();
    totals.role = seat.role;
    totals.host = seat.host_name;
    const std::size_t id = members_.size() - 1;
    if (id < beginning_.away.size()) totals.away = beginning_.away[id];
    if (options.elsewhere()) continue;  // who starts it has placed it
    member.host = seat.host;
    member.pauses = make_pauses(members_.size() - 1, beginning_.time);
    if (!prepared.scenario_case.scenario.transport.pin) continue;
    member.cores = seat.cores;
    totals.core = seat.cores.front();
  }
  record_.machine =
      options.task ? "tasks of " + options.task->started_by : hosts_.describe(cores.size());
  if (options.hosts) record_.machine = options.hosts->describe();
  if (known_.tls) record_.machine += ", TLS";
  if (options.emulate) {
    std::vector<std::size_t> hosts;
    for (const Member& member : members_) hosts.push_back(member.host);
    link_faults_.emplace(loop_, record_.scenario_case.scenario, std::move(hosts), hosts_,
                         beginning_.time, [this](const std::string& why) { fail(why); });
  }
  // Of processes that stay it is known that there is enough.
  if (!options.elsewhere() && waiting_->empty()) {
    check_memory(prepared.scenario_case, *training_, prepared.data_memory);
  }
  take_over();
}

Record Launcher::run() {
  launched_ = Clock::now();
  watch_children();
  watch_interruption();
  listen();
  if (stage_ != Stage::ending) {
    watch_return();
    door_.open(
        [this](const std::shared_ptr<Connection>& peer, std::uint32_t id) { on_joined(peer, id); },
        [this](const std::string& peer, const Refused& refused) { on_refused(peer, refused); });
    start_missing();
    loop_.run();
  }
  take_rows();
  return std::move(record_);
}

void Launcher::watch_children() {
  children_.add(SIGCHLD);
  children_.async_wait([this](error_code error, int /*signal*/) {
    if (error) return;
    reap();
    watch_children();
  });
}

// Nodes report ten times a second, so one that does not, and is not paused, is stuck or stopped.
void Launcher::watch_silence() {
  timer_.expires_after(std::chrono::nanoseconds(Silence::interval_of(silence_limit()).ns));
  timer_.async_wait([this](error_code error) {
    if (error || stage_ != Stage::training) return;
    look_for_silence();
    if (stage_ == Stage::training) watch_silence();
  });
}

void Launcher::look_for_silence() {
  const Instant now = Instant{} + since(launched_);
  for (Member& member : members_) {
    if (member.finished || member.lost) continue;
    const std::uint64_t bytes = member.connection ? member.connection->received() : 0;
    const auto had = member.silence->is_news(bytes) ? std::nullopt : member.had_while_waiting();
    if (!member.silence->look(now, bytes, had)) continue;
    const std::string what = silent_for(silence_limit());
    if (!lose(member, what) && !wait_for(member, member.described() + " " + what)) {
      fail(fmt::format("{} {}; a longer training.silence_limit waits longer", member.described(),
                       what));
    }
    if (member.process > 0) kill(member.process, SIGKILL);  // it would not hear a polite word
  }
}

Duration Launcher::silence_limit() const { return silence_of(record_.scenario_case.scenario); }

void Launcher::on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t id) {
  if (stage_ == Stage::ending && joins_again()) {
    send_text(*connection, ControlKind::exit, NodeId(id), kAgain);
    return connection->close_when_drained();
  }
  if (stage_ == Stage::ending) return connection->close();
  if (id < members_.size() && std::exchange(members_[id].changes_kernels, false)) {
    if (const auto before = std::exchange(members_[id].connection, nullptr)) before->close();
  }
  if (id >= members_.size() || members_[id].connection) return turn_away(connection, id);
  Member& member = members_[id];
  member.connection = connection;
  connection->start([this, id](const FrameHeader& header,
                               const Payload& payload) { on_frame(id, header, payload); },
                    [this, id](const std::string& why) { on_left(members_[id], why); });
  send_json(*connection, ControlKind::setup, NodeId(id), setup_of(id));
  if (is_lost(member)) watch_return();
}

// It knows the key, so it is of this job, and whoever started it is told what is wrong.
void Launcher::turn_away(const std::shared_ptr<Connection>& connection, std::uint32_t id) {
  refusals_.add(connection->peer(), fmt::format("node {}", id), "no such node is missing here");
  const std::string why =
      id < members_.size()
          ? fmt::format("{} is there already: it came from {}; start one process a node",
                        members_[id].described(), members_[id].connection->peer())
          : fmt::format("this training has {} nodes, and no node {}", members_.size(), id);
  send_json(*connection, ControlKind::trouble, NodeId(id), {{"why", why}});
  connection->close_when_drained();
}

// A training without a record is for nobody.
void Launcher::take_rows() {
  if (const std::string wrong = rows_.take(record_); !wrong.empty()) fail(wrong);
}

void Launcher::on_kept(std::size_t id, const nlohmann::json& json) {
  const auto keep_rows = [this] {
    if (const std::string wrong = rows_.keep(); !wrong.empty()) fail(wrong);
  };
  const std::int64_t outdated = checkpoints_->take(NodeId(members_[id].rank), written_part_of(json),
                                                   {json.at("now_ns")}, keep_rows);
  record_.checkpoints = checkpoints_->totals();
  if (outdated > 0) send_to_all(members_, ControlKind::outdated, outdated);
}

// What became of a process of ours is told when it is reaped.
void Launcher::on_left(Member& member, const std::string& why) {
  member.connection = nullptr;
  if (stage_ == Stage::ending) return stop_when_empty();
  if (member.changes_kernels) return;
  if (member.lost) return;
  if (can_lose(member) && (member.process > 0 || lose(member, "left: " + why))) return;
  const std::string what = fmt::format("{} left: {}", member.described(), why);
  if (member.process == 0 && wait_for(member, what)) return;
  suspect(member.named() + ": " + why, [this, &member, what] { return wait_for(member, what); });
}

void Launcher::on_frame(std::size_t id, const FrameHeader& header, const Payload& payload) {
  // It may be back, but the others have gone on; or it has not heard yet that it is to begin again.
  if (members_[id].is_gone() || members_[id].changes_kernels) return;
  const auto kind = static_cast<ControlKind>(header.kind);
  try {
    if (add_rows(record_, id, kind, payload)) return take_rows();
    switch (kind) {
      case ControlKind::listening:
        return on_listening(id, json_of(payload));
      case ControlKind::ready:
        return on_ready(members_[id]);
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

void Launcher::on_ready(Member& member) {
  member.ready = true;
  if (member.coming == Member::Return::started) return welcome_back(member);
  if (stage_ != Stage::preparing || !std::ranges::all_of(members_, &Member::ready)) return;
  stage_ = Stage::training;
  timer_.cancel();
  record_.startup = since(launched_);
  trained_ = Clock::now();
  if (beginning_.down_since) record_.restarts.down += since(*beginning_.down_since);
  if (!beginning_.told.empty()) tell_people(beginning_.told);
  const std::string wrong = rows_.begin(record_, beginning_.time);
  if (!wrong.empty()) return fail(wrong);
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

// When everybody has finished nothing is under way any more, so the counters have seen all.
void Launcher::count_interfaces() {
  for (std::size_t id = 0; id < members_.size() && !hosts_.interface().empty(); ++id) {
    const InterfaceBytes after = hosts_.counted(members_[id].host);
    record_.nodes[id].nic_tx = after.tx - members_[id].counted_before.tx;
    record_.nodes[id].nic_rx = after.rx - members_[id].counted_before.rx;
  }
}

void Launcher::on_finished(std::size_t id, const nlohmann::json& json) {
  add_finished(record_, id, json);
  NodeTotals& totals = record_.nodes[id];
  if (!totals.away.empty()) {  // of all its processes rows tell
    totals.cpu_s = 0;
    totals.rss = {};
  }
  members_[id].finished = true;
  if (members_[id].pauses) members_[id].pauses->end();
  end_if_finished();
}

void Launcher::end_if_finished() {
  const auto through = [](const Member& member) { return member.finished || member.lost; };
  if (!std::ranges::all_of(members_, through)) return;
  count_interfaces();
  end(Outcome::done);
}

void Launcher::on_trouble(std::size_t id, const nlohmann::json& json) {
  const std::string why = json.at("why");
  if (json.contains("no_part") && on_no_part(members_[id], why)) return;
  if (json.contains("not_kept")) {  // the weights that it was asked for
    fail(fmt::format("{}: {}", members_[id].named(), why));
    return down_since_.reset();  // another attempt would end alike
  }
  if (members_[id].coming == Member::Return::started) return give_up_return(members_[id], why);
  // Whatever cut it off, unless all wait for that.
  if (!blames_lost(json) && lose(members_[id], "gave up: " + why)) return;
  if (!json.contains("peer")) return fail(fmt::format("{}: {}", members_[id].named(), why));
  const std::size_t peer = json.at("peer");
  if (members_.at(peer).lost) {
    return fail(fmt::format("{} {}; {}: {}", members_[peer].described(), record_.nodes[peer].lost,
                            members_[id].role, why));
  }
  // That a peer broke is the peer's story, if it can still tell it.
  const std::string told =
      fmt::format("{}: {} ({} noticed)", members_.at(peer).role, why, members_[id].role);
  suspect(told, [this, id, peer, why, told] {
    return lose(members_[id], "gave up: " + why) || wait_for(members_[peer], told);
  });
}

void Launcher::reap() {
  for (Member& member : members_) {
    if (member.process <= 0 || member.reaped) continue;
    const std::optional<std::string> what = member.how_ended();
    if (!what) continue;
    member.reaped = true;
    if (stage_ == Stage::ending) continue;
    if (member.coming == Member::Return::planned) start_again(member);
    if (member.coming == Member::Return::started && !member.lives()) give_up_return(member, *what);
    if (member.lost) continue;
    const std::string whose = fmt::format("{} {}", member.described(), *what);
    if (!lose(member, *what) && !wait_for(member, whose)) fail(whose);
  }
  if (stage_ == Stage::ending) stop_when_empty();
}

void Launcher::suspect(const std::string& why, std::function<bool()> mends) {
  if (stage_ == Stage::ending || suspicion_.expiry() > Clock::now()) return;
  suspicion_.expires_after(kSuspicion);
  suspicion_.async_wait([this, why, mends = std::move(mends)](error_code error) {
    if (!error && (!mends || !mends())) fail(why);
  });
}

Instant Launcher::now() const { return beginning_.time + since(trained_); }

void Launcher::fail(const std::string& why) {
  if (stage_ == Stage::ending) return;
  record_.failure = why;
  // One of a later attempt has begun before, so what keeps it from beginning may pass.
  down_since_ = stage_ == Stage::training ? Clock::now() : beginning_.down_since;
  end(Outcome::failed);
}

void Launcher::end(Outcome outcome) {
  if (stage_ == Stage::ending) return;
  const bool trained = stage_ == Stage::training;
  record_.ended = trained ? now() : beginning_.time;
  stage_ = Stage::ending;
  record_.outcome = outcome;
  record_.refused += refusals_.count();
  const std::string_view said = joins_again() ? kAgain : name_of(outcome);
  if (joins_again() && !options_.emulate) {
    waiting_->door = door_.release();
  } else {
    door_.close();  // whoever comes now comes for the next case
  }
  suspicion_.cancel();
  if (link_faults_) link_faults_->end();
  for (const Member& member : members_) {
    if (member.pauses) member.pauses->end();
    // One that gets ready has nothing to tell.
    if (member.coming == Member::Return::started && member.lives()) kill(member.process, SIGKILL);
    if (member.connection) {
      send_text(*member.connection, ControlKind::exit, NodeId(0), said);
    }
  }
  timer_.expires_after(time_to_end());
  timer_.async_wait([this](error_code error) {
    if (!error) loop_.stop();  // the destructor ends who is left
  });
  reap();
}

}  // namespace foretrain::exec
