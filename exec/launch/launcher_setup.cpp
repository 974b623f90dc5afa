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
    const std::string why = death_at(death.at);
    if (lose(members_[node], why, death.restart_after)) return;
    const std::string whose = fmt::format("{} {}", members_[node].role, why);
    if (!wait_for(members_[node], whose, death.restart_after)) fail(whose);
  };
  return std::make_unique<Pauses>(loop_, record_.scenario_case.scenario, static_cast<int>(node),
                                  now, send_signal, died);
}

void Launcher::listen() {
  if (waiting_->door >= 0) {
    return door_.listen_on(std::exchange(waiting_->door, -1), meeting_.protocol());
  }
  const bool own = !options_.emulate && !options_.hosts;
  if (const std::string down = loopback_trouble(); own && !down.empty()) return fail(down);
  const std::string wrong = door_.listen(hosts_, meeting_);
  if (wrong.empty()) return;
  const char* advice = "choose other ports with --port";
  if (options_.task) {
    advice =
        "set MASTER_ADDR to an address of the machine of rank 0, MASTER_PORT to a free port, the "
        "same in every task";
  }
  if (options_.hosts) advice = "name another address of this machine, --address, or port, --port";
  fail(fmt::format("launcher: cannot listen on {}: {}; {}", to_text(meeting_), wrong, advice));
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
  interruption_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this](error_code error) {
                             if (error) return;
                             if (waits_) return loop_.stop();  // for nobody any more
                             if (stage_ == Stage::ending) return;
                             record_.failure = interrupted_by(Interruption::signal());
                             end(Outcome::interrupted);
                           });
}

void Launcher::watch_time() {
  timer_.expires_after(std::chrono::nanoseconds(options_.join_timeout.ns));
  timer_.async_wait([this](error_code error) {
    if (error) return;
    const bool joining = stage_ == Stage::joining;
    fail(fmt::format("{} did not {} within {}{}{}",
                     missing(members_, joining ? &Member::listening : &Member::ready),
                     joining ? "join" : "get ready", to_text(options_.join_timeout),
                     refusals_.summary(), how_to_reach()));
  });
}

// It inherits the key; other users cannot read an environment.
void Launcher::start_node(Member& member) {
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
  if (stage_ == Stage::ending) return;
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

void Launcher::on_listening(std::size_t id, const nlohmann::json& json) {
  Member& member = members_[id];
  member.kernels = json.at("kernels");
  member.other_kernels = json.at("other_kernels").get<std::vector<std::string>>();
  member.place = json;
  member.listening = true;
  if (options_.elsewhere()) record_.nodes[id].host = json.at("host");
  if (member.coming == Member::Return::started) {
    return has_other_kernels(member) ? void() : introduce(member);
  }
  maybe_go_back();
  if (stage_ != Stage::joining || !std::ranges::all_of(members_, &Member::listening)) return;
  if (!agree()) return;
  stage_ = Stage::preparing;
  nlohmann::json places;
  for (const Member& each : members_) places.push_back(each.place);
  send_to_all(members_, ControlKind::peers, places);
}

bool Launcher::on_no_part(Member& member, const std::string& why) {
  if (stage_ != Stage::joining || beginning_.from == nullptr) return false;
  member.no_part = true;
  if (no_part_.empty()) no_part_ = fmt::format("{}: {}", member.named(), why);
  maybe_go_back();
  return true;
}

// Who still reads its data would not hear that it is to join again.
void Launcher::maybe_go_back() {
  const auto answered = [](const Member& each) { return each.listening || each.no_part; };
  if (no_part_.empty() || stage_ != Stage::joining) return;
  if (!std::ranges::all_of(members_, answered)) return;
  const Resumption& from = *beginning_.from;
  goes_back_ =
      newest_checkpoint(from.folder, !options_.elsewhere(), from.manifest.cut).manifest.has_value();
  fail(goes_back_ ? no_part_ : no_part_ + "; there is no older checkpoint that is whole");
}

nlohmann::json Launcher::setup_of(std::size_t id) const {
  // Where there are servers, nobody else listens.
  const int listener = static_cast<int>(id) - (training_->servers > 0 ? training_->workers : 0);
  const int port = options_.port > 0 && listener >= 0 ? options_.port + 1 + listener : 0;
  const Member& member = members_[id];
  NodePart part = checkpoints_->part_of(NodeId(member.rank));
  if (member.generation > 1) part.from.clear();  // the training has gone on since
  nlohmann::json setup{{"scenario", to_yaml(record_.scenario_case.scenario)},
                       {"places", record_.scenario_case.places},
                       {"dataset", to_json(dataset_)},
                       {"port", port},
                       {"interface", hosts_.interface()},
                       {"job_times", options_.job_times},
                       {"save", options_.save.empty() ? "" : absolute(options_.save).string()},
                       {"checkpoint", to_json(part)},
                       {"generation", member.generation},
                       {"max_delay_ns", options_.max_delay.ns}};
  if (options_.emulate) setup["address"] = hosts_.address(member.host);
  return setup;
}

}  // namespace foretrain::exec
