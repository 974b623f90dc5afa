#include "exec/launch/node_process.h"

#include "exec/driver/event_loop.h"
#include "exec/launch/control.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/this_program.h"
#include "models/networks/registry.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace asio = boost::asio;

NodeProcess::NodeProcess(asio::io_context& loop, const JoinSettings& joining)
    : loop_(loop), joining_(joining) {
  join(
      loop, joining_,
      [this](const std::shared_ptr<Connection>& launcher, const asio::ip::address& here) {
        on_joined(launcher, here);
      },
      [this](const std::string& why) { end_alone(why); });
}

void NodeProcess::on_joined(const std::shared_ptr<Connection>& launcher,
                            const asio::ip::address& here) {
  address_ = here;
  launcher_ = launcher;
  launcher->give_up_after(joining_.limit);
  launcher->start(
      [this](const FrameHeader& header, const Payload& payload) { on_control(header, payload); },
      // A node cannot train without the launcher.
      [this](const std::string& why) { end_alone("lost the launcher: " + why); });
}

// There is no launcher to tell: only standard error is left.
void NodeProcess::end_alone(const std::string& why) {
  if (loop_.stopped()) return;
  if (joining_.is_task) {
    stderr_note(fmt::format("error: rank {}: {}\n", index_of(joining_.id), why));
  }
  ended_.status = 1;
  loop_.stop();
}

NodeEnded NodeProcess::run() {
  const auto computing = [this] { return training_ && training_->computing(); };
  while (!loop_.stopped()) {
    try {
      run_polling(loop_, poll_, computing);
    } catch (const std::bad_alloc&) {
      give_up(out_of_memory());  // and wait for the exit message
    } catch (const std::exception& error) {
      give_up(reason_of(error));
    }
  }
  ended_.trained = training_.has_value();
  return ended_;
}

void NodeProcess::on_control(const FrameHeader& header, const Payload& payload) {
  try {
    obey(static_cast<ControlKind>(header.kind), payload);
  } catch (const std::bad_alloc&) {
    give_up(out_of_memory());
  } catch (const std::exception& error) {
    give_up(reason_of(error));
  }
}

void NodeProcess::obey(ControlKind kind, const Payload& payload) {
  switch (kind) {
    case ControlKind::setup:
      return set_up(json_of(payload));
    case ControlKind::peers:
      return peers_->connect(json_of(payload));
    case ControlKind::go:
      poll_ = training_->scenario().transport.poll.value_or(kPoll);
      return training_->go({json_of(payload).get<std::int64_t>()});
    case ControlKind::lost:
      return training_->driver().mark_lost(NodeId(json_of(payload).get<int>()));
    case ControlKind::back: {
      const nlohmann::json back = json_of(payload);  // node id, incarnation
      return peers_->take_back(NodeId(back.at(0).get<int>()), back.at(1));
    }
    case ControlKind::trouble:
      return end_alone(json_of(payload).at("why"));
    case ControlKind::outdated:
      if (training_) training_->remove_before(json_of(payload).get<std::int64_t>());
      return;
    case ControlKind::kernels:
      ended_.kernels = text_of(payload);
      return leave();
    case ControlKind::exit:
      return exit(text_of(payload));
    default:
      return;
  }
}

void NodeProcess::exit(std::string_view outcome) {
  if (training_) training_->flush();
  ended_.again = outcome == kAgain;
  if (!ended_.again) ended_.kernels.clear();  // nobody waits for it any more
  if (outcome != name_of(Outcome::done)) {
    if (joining_.is_task && outcome == name_of(Outcome::failed)) {
      stderr_note(fmt::format("error: rank {}: the training failed; rank 0 says why\n",
                              index_of(joining_.id)));
    }
    ended_.status = outcome == name_of(Outcome::interrupted) ? 130 : 1;
  }
  leave();
}

void NodeProcess::set_up(const nlohmann::json& setup) {
  training_.emplace(loop_, joining_.id, launcher_, setup);
  const auto on_fault = [this](const Fault& fault) { give_up(fault.why, fault.peer); };
  try {
    training_->begin(setup,
                     {[this](const Finished& finished) { on_finished(finished); }, on_fault});
  } catch (const PartError& error) {
    return tell_trouble({{"why", error.what()}, {"no_part", true}});
  }
  peers_.emplace(
      loop_, joining_, training_->scenario(), training_->training(), training_->driver(),
      [this] { send_signal(*launcher_, ControlKind::ready, joining_.id); },
      [this](const std::string& why, std::optional<NodeId> peer) { give_up(why, peer); });
  // An emulated host has its own address; other nodes listen where they reached the launcher from.
  if (setup.contains("address")) address_ = asio::ip::make_address(setup.at("address"));
  const std::optional<int> port = peers_->listen({address_, setup.at("port")});
  if (!port) return;
  const auto others = joining_.keeps_kernels ? std::vector<std::string>() : other_kernels();
  send_json(*launcher_, ControlKind::listening, joining_.id,
            {{"host", host_name()},
             {"address", address_.to_string()},
             {"port", *port},
             {"kernels", kernel_set()},
             {"other_kernels", others}});
}

void NodeProcess::on_finished(const Finished& finished) {
  try {
    training_->finish(finished, peers_->congestion_control(), peers_->refused());
    over_ = true;
  } catch (const InputError& error) {  // for example, the disk is full
    tell_trouble({{"why", error.what()}, {"not_kept", true}});
  }
}

std::string NodeProcess::out_of_memory() const {
  const std::string has =
      fmt::format("there is not enough memory; it used {}", in_gigabytes(process_usage().rss_most));
  return training_ ? fmt::format("{}, and needs {}", has, training_->need())
                   : has + " to prepare its data and model";
}

void NodeProcess::give_up(const std::string& why, std::optional<NodeId> peer) {
  if (over_) return;
  if (!launcher_) return end_alone(why);
  nlohmann::json trouble{{"why", why}};
  if (peer) trouble["peer"] = index_of(*peer);
  tell_trouble(trouble);
}

void NodeProcess::tell_trouble(const nlohmann::json& trouble) {
  over_ = true;
  if (training_) {
    training_->flush();
    training_->end();
  }
  ended_.status = 1;
  send_json(*launcher_, ControlKind::trouble, joining_.id, trouble);
}

// Flushed rows must be sent before the process ends. A peer that does not know yet that the
// training is over may still send requests.
void NodeProcess::leave() {
  over_ = true;
  if (training_) training_->halt();
  if (!launcher_->drained()) return void(asio::post(loop_, [this] { leave(); }));
  if (training_) training_->stop();
  loop_.stop();
}

}  // namespace foretrain::exec
