// How the launcher has its nodes begin.
#include "exec/launch/kernel_program.h"
#include "exec/launch/launcher.h"
#include "exec/system/process.h"
#include "exec/usage/interface.h"
#include "reports/record/interruption.h"
#include "scenarios/read.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
using boost::asio::ip::tcp;
using boost::system::error_code;

std::unique_ptr<Pauses> Launcher::make_pauses(std::size_t node, Instant now) {
  const auto send_signal = [this, node](int signal) {
    if (members_[node].lives()) kill(members_[node].process, signal);
  };
  const auto died = [this, node](const Life::Death& death) {
    handle(supervision::FaultDue{
        {NodeId(members_[node].rank)}, death_at(death.at), death.restart_after});
  };
  return std::make_unique<Pauses>(loop_, record_.scenario_case.scenario, static_cast<int>(node),
                                  now, send_signal, died);
}

std::string Launcher::listen() {
  const bool own = !options_.emulate && !options_.hosts;
  if (const std::string down = loopback_trouble(); own && !down.empty()) return down;
  const std::string wrong = door_.listen(hosts_, meeting_);
  if (wrong.empty()) return {};
  const char* advice = "choose other ports with --port";
  if (options_.task) {
    advice =
        "set MASTER_ADDR to an address of the machine of rank 0, MASTER_PORT to a free port, the "
        "same in every task";
  }
  if (options_.hosts) advice = "name another address of this machine, --address, or port, --port";
  return fmt::format("launcher: cannot listen on {}: {}; {}", to_text(meeting_), wrong, advice);
}

std::string Launcher::how_to_reach() const {
  if (!options_.hosts) return {};
  return fmt::format(
      "; see that hosts reach this machine at {}, and each other; --address names "
      "another address of it, --port the first of fixed ports",
      to_text(door_.place(0)));
}

// A signal that came before, between two attempts say, is heard as well.
void Launcher::watch_interruption() {
  interruption_.assign(fcntl(Interruption::descriptor(), F_DUPFD_CLOEXEC, 0));
  interruption_.async_wait(
      boost::asio::posix::stream_descriptor::wait_read, [this](error_code error) {
        if (error) return;
        handle(supervision::Interrupted{interrupted_by(Interruption::signal())});
      });
}

// It inherits the key; other users cannot read an environment.
void Launcher::perform(const supervision::Start& start) {
  Member& member = this->member(start.node);
  if (member.connection) std::exchange(member.connection, nullptr)->close();
  member.place = nullptr;
  member.reaped = false;
  if (options_.hosts) return start_remote(member);
  setenv(kKeyVariable, known_.key.secret().c_str(), 1);
  const std::vector<std::string> words = words_for(member, options_.program.string());
  hosts_.enter(member.host, [&] { member.process = start_process(words, member.cores); });
  unsetenv(kKeyVariable);
}

// Who logs in begins at home: relative paths of a scenario are of this folder.
void Launcher::start_remote(Member& member) {
  std::vector<std::string> words =
      words_for(member, called_program(std::filesystem::canonical(options_.program)).string());
  words.insert(words.end(),
               {"--folder", std::filesystem::current_path().string(), "--key", "stdin"});
  const std::string& host = options_.hosts->slots.at(static_cast<std::size_t>(member.rank));
  member.remote =
      std::make_unique<RemoteNode>(loop_, *options_.hosts, host, words, known_.key.secret());
  member.process = member.remote->process();
}

std::vector<std::string> Launcher::words_for(const Member& member,
                                             const std::string& program) const {
  const tcp::endpoint here = door_.place(member.host);
  std::vector<std::string> words{program,     "node",
                                 "--address", here.address().to_string(),
                                 "--port",    fmt::format("{}", here.port()),
                                 "--id",      fmt::format("{}", member.rank)};
  std::ranges::copy(tls_arguments(options_.tls), std::back_inserter(words));
  return words;
}

// What comes to the door before all have joined may be a node of ours, or anybody.
void Launcher::on_refused(const std::string& peer, const Refused& refused) {
  if (supervisor_.stage() == supervision::Supervisor::Stage::ending) return;
  // It is one of ours, and will be no other however long we wait.
  if (refused.proved()) {
    const bool ours = options_.hosts && refused.claimed && *refused.claimed < members_.size();
    const std::string who = ours ? members_[*refused.claimed].described() : "a node at " + peer;
    return fail(fmt::format("{}: {}", who, refused.why));
  }
  const Member* slow = refused.refusal == Refusal::silent ? owner_of(peer) : nullptr;
  if (slow != nullptr) return refusals_.add_slow(slow->described(), refused.why);
  const bool node = refused.claimed && *refused.claimed < members_.size();
  refusals_.add(peer, node ? members_[*refused.claimed].role : "", refused.why);
}

// Which of the processes that are still to come holds the other end.
const Member* Launcher::owner_of(const std::string& peer) const {
  int port = -1;
  const char* digits = peer.data() + peer.rfind(':') + 1;
  std::from_chars(digits, peer.data() + peer.size(), port);
  const auto owner = std::ranges::find_if(members_, [&](const Member& member) {
    return member.lives() && !member.connection && holds_port(member.process, port);
  });
  return owner == members_.end() ? nullptr : &*owner;
}

nlohmann::json Launcher::setup_of(std::size_t id) const {
  // Where there are servers, nobody else listens.
  const int listener = static_cast<int>(id) - (training_.servers > 0 ? training_.workers : 0);
  const int port = options_.port > 0 && listener >= 0 ? options_.port + 1 + listener : 0;
  const Member& member = members_[id];
  const std::int64_t incarnation = supervisor_.incarnation(NodeId(member.rank));
  NodePart part = checkpoints_->part_of(NodeId(member.rank));
  if (incarnation > 1) part.from.clear();  // the training has gone on since
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
