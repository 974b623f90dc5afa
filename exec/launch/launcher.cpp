#include "exec/launch/launcher.h"

#include "exec/launch/process.h"
#include "reports/record/collector.h"
#include "scenarios/read.h"
#include "scenarios/training.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kSuspicion = std::chrono::milliseconds(300);  // a SIGCHLD takes less to come
constexpr auto kLook = std::chrono::milliseconds(250);
constexpr auto kSilence = std::chrono::seconds(3);
constexpr auto kFarewell = std::chrono::seconds(2);  // for a last flush of rows
constexpr Duration kGrace{1'000'000'000};            // from SIGTERM to SIGKILL

Duration since(Clock::time_point start) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count()};
}

}  // namespace

Launcher::Launcher(const Case& scenario_case, const RunOptions& options, JobKey key,
                   const tcp::endpoint& meeting)
    : options_(options),
      key_(std::move(key)),
      meeting_(meeting),
      workers_(worker_count(scenario_case.scenario)) {
  record_.mode = Mode::run;
  record_.scenario_case = scenario_case;
  record_.machine = options.task ? "tasks of " + options.task->started_by : "this machine";
  const int servers = server_count(scenario_case.scenario);
  const std::vector<int> cores = usable_cores();
  std::size_t next = 0;  // round robin; a worker takes a core for each of its threads
  for (int node = 0; node < workers_ + servers; ++node) {
    Member member;
    member.rank = node;
    member.role =
        node < workers_ ? fmt::format("worker{}", node) : fmt::format("server{}", node - workers_);
    const int threads = node < workers_ ? scenario_case.scenario.training.threads : 1;
    for (int thread = 0; thread < threads && !options.task; ++thread) {
      member.cores.push_back(cores[next++ % cores.size()]);
    }
    NodeTotals totals;
    totals.role = member.role;
    totals.host = "localhost";
    if (!member.cores.empty()) totals.core = member.cores.front();
    record_.nodes.push_back(totals);
    members_.push_back(std::move(member));
  }
  const auto shape = dataset_shape(scenario_case);
  steps_in_all_ = make_training(scenario_case.scenario, shape, false, nullptr)->steps * workers_;
}

Launcher::~Launcher() {
  std::vector<pid_t> processes;
  for (const Member& member : members_) {
    if (member.process > 0 && !member.reaped) processes.push_back(member.process);
  }
  end_processes(processes, kGrace);
}

Record Launcher::run() {
  launched_ = Clock::now();
  watch_signals();
  listen();
  if (stage_ != Stage::ending) {
    start_nodes();
    watch_time();
    accept();
    loop_.run();
  }
  sort_rows(record_);
  return std::move(record_);
}

void Launcher::listen() {
  error_code error;
  acceptor_.open(meeting_.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(meeting_, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    const bool elsewhere = error == boost::system::errc::address_not_available;
    fail(fmt::format("launcher: cannot listen on {}: {}; {}", to_text(meeting_), error.message(),
                     !options_.task ? "choose other ports with --port"
                     : elsewhere    ? "set MASTER_ADDR to an address of the machine of rank 0"
                                    : "set MASTER_PORT to another, the same in every task"));
  }
}

// They inherit the key; other users cannot read an environment.
void Launcher::start_nodes() {
  setenv(kKeyVariable, key_.secret().c_str(), 1);
  const tcp::endpoint here = acceptor_.local_endpoint();
  for (std::size_t id = 0; id < (options_.task ? 1 : members_.size()); ++id) {
    members_[id].process =
        start_process({options_.program.string(), "node", "--address", here.address().to_string(),
                       "--port", fmt::format("{}", here.port()), "--id", fmt::format("{}", id)},
                      members_[id].cores);
  }
  unsetenv(kKeyVariable);
}

void Launcher::watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) signals_.add(signal);
  signals_.async_wait([this](error_code error, int signal) {
    if (error) return;
    if (signal == SIGCHLD) {
      reap();
    } else {
      record_.failure = fmt::format("interrupted by signal {}", signal);
      end(Outcome::interrupted);
    }
    watch_signals();
  });
}

void Launcher::watch_time() {
  timer_.expires_after(std::chrono::nanoseconds(options_.join_timeout.ns));
  timer_.async_wait([this](error_code error) {
    if (error) return;
    const bool joining = stage_ == Stage::joining;
    fail(fmt::format("{} did not {} within {}",
                     missing(joining ? &Member::listening : &Member::ready),
                     joining ? "join" : "get ready", to_text(options_.join_timeout)));
  });
}

// Nodes report ten times a second, so one that does not is stuck or stopped.
void Launcher::watch_silence() {
  timer_.expires_after(kLook);
  timer_.async_wait([this](error_code error) {
    if (error || stage_ != Stage::training) return;
    for (const Member& member : members_) {
      if (!member.finished && Clock::now() - member.heard > kSilence) {
        fail(fmt::format("{}: silent for {} s", described(member), kSilence.count()));
        if (member.process > 0) kill(member.process, SIGKILL);  // it would not hear a polite word
        return;
      }
    }
    watch_silence();
  });
}

void Launcher::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error) return;
    const auto connection = std::make_shared<Connection>(std::move(socket), kMostBeforeProof);
    Handshake{key_, kMostControl}.answer(
        connection, kLauncher,
        [this](const std::shared_ptr<Connection>& peer, std::uint32_t id) { on_joined(peer, id); },
        [this, peer = connection->peer()](Refusal /*refusal*/, const std::string& why) {
          if (stage_ != Stage::ending) refusals_.add(peer, why);
        });
    accept();
  });
}

void Launcher::on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t id) {
  if (stage_ == Stage::ending) return connection->close();
  if (id >= members_.size() || members_[id].connection) {
    refusals_.add(connection->peer(), fmt::format("no node {} is missing here", id));
    return connection->close();
  }
  Member& member = members_[id];
  member.connection = connection;
  connection->start([this, id](const FrameHeader& header,
                               const Payload& payload) { on_frame(id, header, payload); },
                    [this, id](const std::string& why) {
                      members_[id].connection = nullptr;
                      if (stage_ == Stage::ending) return stop_when_empty();
                      suspect(named(members_[id]) + ": " + why);
                    });
  // Where there are servers, nobody else listens.
  const int first = server_count(record_.scenario_case.scenario) > 0 ? workers_ : 0;
  const int listener = static_cast<int>(id) - first;
  const int port = options_.port > 0 && listener >= 0 ? options_.port + 1 + listener : 0;
  send_json(*connection, ControlKind::setup, NodeId(id),
            {{"scenario", to_yaml(record_.scenario_case.scenario)},
             {"places", record_.scenario_case.places},
             {"port", port},
             {"max_delay_ns", options_.max_delay.ns}});
}

void Launcher::on_frame(std::size_t id, const FrameHeader& header, const Payload& payload) {
  members_[id].heard = Clock::now();
  try {
    switch (static_cast<ControlKind>(header.kind)) {
      case ControlKind::listening:
        return on_listening(id, json_of(payload));
      case ControlKind::ready:
        return on_ready(members_[id]);
      case ControlKind::steps:
        return on_steps(id, payload);
      case ControlKind::evals:
        for (const auto& row : rows_of<EvalReport>(payload)) record_.evals.push_back(row);
        return;
      case ControlKind::usage:
        for (const auto& row : rows_of<UsageRow>(payload)) record_.usage.push_back(row);
        return;
      case ControlKind::inputs:
        for (const auto& row : rows_of<InputRow>(payload)) record_.inputs.push_back(row);
        return;
      case ControlKind::finished:
        return on_finished(id, json_of(payload));
      case ControlKind::trouble:
        return on_trouble(id, json_of(payload));
      default:
        return;
    }
  } catch (const nlohmann::json::exception& error) {
    fail(fmt::format("{}: it sent something that makes no sense ({})", members_[id].role,
                     error.what()));
  }
}

void Launcher::on_listening(std::size_t id, const nlohmann::json& json) {
  members_[id].place = json;
  members_[id].listening = true;
  if (options_.task) record_.nodes[id].host = json.at("host");
  if (stage_ != Stage::joining || !std::ranges::all_of(members_, &Member::listening)) return;
  stage_ = Stage::preparing;
  nlohmann::json places;
  for (const Member& each : members_) places.push_back(each.place);
  send_to_all(ControlKind::peers, places);
}

void Launcher::on_ready(Member& member) {
  member.ready = true;
  if (stage_ != Stage::preparing || !std::ranges::all_of(members_, &Member::ready)) return;
  stage_ = Stage::training;
  timer_.cancel();
  record_.startup = since(launched_);
  went_ = Clock::now();
  for (Member& each : members_) each.heard = went_;
  watch_silence();
  for (const Member& each : members_) {
    if (each.connection) send_signal(*each.connection, ControlKind::go, NodeId(0));
  }
}

void Launcher::on_steps(std::size_t id, const Payload& payload) {
  for (const auto& row : rows_of<StepReport>(payload)) {
    record_.steps.push_back({static_cast<int>(id), row});
  }
  if (!options_.progress) return;
  options_.progress(static_cast<std::int64_t>(record_.steps.size()), steps_in_all_, since(went_));
}

void Launcher::on_finished(std::size_t id, const nlohmann::json& json) {
  NodeEnd end_of_node;
  end_of_node.updates = json.at("updates");
  end_of_node.gradients = json.at("gradients");
  end_of_node.dropped = json.at("dropped");
  end_of_node.most_lead = json.at("most_lead");
  end_of_node.last_update = {json.at("last_update_ns")};
  end_of_node.weights_sha256 = json.at("weights_sha256");
  add_end(record_, end_of_node);
  record_.kernel_set = json.at("kernel_set");
  record_.congestion_control = json.at("congestion_control");
  NodeTotals& totals = record_.nodes[id];
  totals.cpu_s = json.at("cpu_s");
  totals.rss = {json.at("rss_bytes")};
  totals.tx = {json.at("tx_bytes")};
  totals.rx = {json.at("rx_bytes")};
  totals.messages_sent = json.at("messages_sent");
  record_.refused += json.at("refused").get<std::int64_t>();
  members_[id].finished = true;
  if (std::ranges::all_of(members_, &Member::finished)) end(Outcome::done);
}

void Launcher::on_trouble(std::size_t id, const nlohmann::json& json) {
  const std::string why = json.at("why");
  if (!json.contains("peer")) return fail(fmt::format("{}: {}", named(members_[id]), why));
  const std::size_t peer = json.at("peer");
  // That a peer broke is the peer's story, if it can still tell it.
  suspect(fmt::format("{}: {} ({} noticed)", members_.at(peer).role, why, members_[id].role));
}

void Launcher::reap() {
  for (Member& member : members_) {
    int status = 0;
    if (member.process <= 0 || member.reaped) continue;
    if (waitpid(member.process, &status, WNOHANG) != member.process) continue;
    member.reaped = true;
    if (stage_ != Stage::ending) {
      fail(fmt::format("{} {}", described(member), describe_status(status)));
    }
  }
  if (stage_ == Stage::ending) stop_when_empty();
}

// All processes are gone, and so are their connections: nothing of theirs is left unread.
void Launcher::stop_when_empty() {
  const auto gone = [](const Member& member) {
    return (member.process <= 0 || member.reaped) && member.connection == nullptr;
  };
  if (std::ranges::all_of(members_, gone)) loop_.stop();
}

void Launcher::send_to_all(ControlKind kind, const nlohmann::json& json) {
  for (std::size_t id = 0; id < members_.size(); ++id) {
    if (!members_[id].connection) continue;  // it is being mourned already
    send_json(*members_[id].connection, kind, NodeId(static_cast<std::uint32_t>(id)), json);
  }
}

void Launcher::suspect(const std::string& why) {
  if (stage_ == Stage::ending || suspicion_.expiry() > Clock::now()) return;
  suspicion_.expires_after(kSuspicion);
  suspicion_.async_wait([this, why](error_code error) {
    if (!error) fail(why);
  });
}

void Launcher::fail(const std::string& why) {
  if (stage_ == Stage::ending) return;
  record_.failure = why;
  end(Outcome::failed);
}

void Launcher::end(Outcome outcome) {
  if (stage_ == Stage::ending) return;
  stage_ = Stage::ending;
  record_.outcome = outcome;
  record_.refused += refusals_.count();
  error_code ignored;
  acceptor_.close(ignored);  // whoever comes now comes for the next case
  suspicion_.cancel();
  for (const Member& member : members_) {
    if (member.connection) {
      send_text(*member.connection, ControlKind::exit, NodeId(0), name_of(outcome));
    }
  }
  timer_.expires_after(kFarewell);
  timer_.async_wait([this](error_code error) {
    if (!error) loop_.stop();  // the destructor ends who is left
  });
  reap();
}

std::string Launcher::described(const Member& member) const {
  if (member.process > 0) return fmt::format("{} (process {})", member.role, member.process);
  return fmt::format("{} (rank {})", member.role, member.rank);
}

std::string Launcher::named(const Member& member) const {
  return options_.task ? described(member) : member.role;
}

std::string Launcher::missing(bool Member::*done) const {
  std::vector<std::string> roles;
  for (const Member& member : members_) {
    if (!(member.*done)) roles.push_back(named(member));
  }
  return fmt::format("{}", fmt::join(roles, ", "));
}

}  // namespace foretrain::exec
