#include "exec/launch/node_process.h"

#include "exec/driver/event_loop.h"
#include "exec/launch/kept_weights.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/node_computing.h"
#include "exec/launch/rendezvous.h"
#include "exec/transport/tuning.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "models/protocol/sparse_payload.h"
#include "reports/record/collector.h"
#include "reports/record/tell_people.h"
#include "reports/record/whole_number.h"
#include "scenarios/faults.h"
#include "scenarios/input_error.h"
#include "scenarios/machine.h"
#include "scenarios/node_counts.h"
#include "scenarios/prepared.h"
#include "scenarios/read.h"
#include "scenarios/units.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {
constexpr auto kMostBetweenFlushes = std::chrono::milliseconds(100);

}  // namespace

NodeProcess::NodeProcess(asio::io_context& loop, const Joining& joining)
    : loop_(loop),
      joining_(joining),
      id_(joining.id),
      join_(
          loop, joining,
          [this](const std::shared_ptr<Connection>& launcher, const asio::ip::address& here) {
            on_joined(launcher, here);
          },
          [this](const std::string& why) { end_alone(why); }),
      refusals_(fmt::format("node {}", index_of(joining.id))),
      flush_timer_(loop) {}

void NodeProcess::on_joined(const std::shared_ptr<Connection>& launcher,
                            const asio::ip::address& here) {
  address_ = here;
  launcher_ = launcher;
  launcher->start(
      [this](const FrameHeader& header, const Payload& payload) { on_control(header, payload); },
      // Without the launcher there is nobody to train for.
      [this](const std::string& why) { end_alone("lost the launcher: " + why); });
}

// Nobody is left to be told but who reads standard error.
void NodeProcess::end_alone(const std::string& why) {
  if (loop_.stopped()) return;
  if (joining_.is_task) tell_people(fmt::format("error: rank {}: {}\n", index_of(id_), why));
  exit_status_ = 1;
  loop_.stop();
}

int NodeProcess::run() {
  while (!loop_.stopped()) {
    try {
      run_polling(loop_, poll_, computing_, answer_probes_);
    } catch (const std::bad_alloc&) {
      give_up(out_of_memory());  // and wait to be told to exit
    } catch (const std::exception& error) {
      give_up(reason_of(error));
    }
  }
  return exit_status_;
}

void NodeProcess::on_control(const FrameHeader& header, const Payload& payload) {
  try {
    switch (static_cast<ControlKind>(header.kind)) {
      case ControlKind::setup:
        return set_up(json_of(payload));
      case ControlKind::peers:
        return connect_to_peers(json_of(payload));
      case ControlKind::go:
        return go({json_of(payload).get<std::int64_t>()});
      case ControlKind::lost:
        return driver_->lose(NodeId(json_of(payload).get<int>()));
      case ControlKind::back:
        return take_back(json_of(payload));
      case ControlKind::trouble:
        return end_alone(json_of(payload).at("why"));
      case ControlKind::outdated:
        return remove_before(json_of(payload).get<std::int64_t>());
      case ControlKind::kernels:
        kernels_ = text_of(payload);
        over_ = true;
        if (driver_) driver_->halt();
        return leave();
      case ControlKind::exit:
        flush();
        over_ = true;
        if (driver_) driver_->halt();  // a peer that has not heard it yet may still ask
        again_ = text_of(payload) == kAgain;
        if (!again_) kernels_.clear();  // nobody waits for it any more
        if (text_of(payload) != name_of(Outcome::done)) {
          if (joining_.is_task && text_of(payload) == name_of(Outcome::failed)) {
            tell_people(fmt::format("error: rank {}: the training failed; rank 0 says why\n",
                                    index_of(id_)));
          }
          exit_status_ = text_of(payload) == name_of(Outcome::interrupted) ? 130 : 1;
        }
        return leave();
      default:
        return;
    }
  } catch (const std::bad_alloc&) {
    give_up(out_of_memory());
  } catch (const std::exception& error) {
    give_up(reason_of(error));
  }
}

void NodeProcess::set_up(const nlohmann::json& setup) {
  Case scenario_case = parse_scenario(setup.at("scenario"), "scenario").front();
  // Errors name the places of the file that the user wrote.
  scenario_case.places = setup.at("places").get<std::map<std::string, std::string>>();
  scenario_ = scenario_case.scenario;
  launcher_->give_up_after(silence_of(*scenario_));
  interface_ = setup.at("interface");
  save_ = setup.at("save");
  const bool worker = static_cast<int>(index_of(id_)) < node_counts(*scenario_).workers;
  const Prepared prepared =
      worker ? prepare(scenario_case, Need::examples)
             : prepare_server(scenario_case, dataset_shape_of(setup.at("dataset")));
  malloc_trim(0);  // of what was needed to draw or read them
  training_ = prepared.training;
  data_memory_ = prepared.data_memory;
  part_ = node_part_of(setup.at("checkpoint"));
  Computing computing = worker ? computing_of(prepared, id_, part_.part.gradients) : Computing{};
  computing.timed = setup.at("job_times");
  std::unique_ptr<Node> program = make_node(training_, id_);
  try {
    part_.restore(*program, id_, prepared);
  } catch (const PartError& error) {
    return tell_trouble({{"why", error.what()}, {"no_part", true}});
  }
  const std::int64_t generation = whole_at(setup, "generation");
  if (generation > 1) program->rejoin(generation);
  driver_ = std::make_unique<NodeDriver>(loop_, id_, std::move(program), hooks(),
                                         std::move(computing), Duration{setup.at("max_delay_ns")});
  peers_ = peers_of(*training_, id_);
  peers_missing_ = peers_.size();
  // Of two that talk to each other the one with the lower id connects.
  if (peers_.empty() || id_ < peers_.front()) {
    tell_place(0);
  } else {
    // Of an emulated host; else the one by which the launcher was reached.
    if (setup.contains("address")) address_ = asio::ip::make_address(setup.at("address"));
    listen(setup.at("port"));
  }
}

DriverHooks NodeProcess::hooks() {
  DriverHooks hooks;
  hooks.report = [this](const Report& report) {
    if (const auto* step = std::get_if<StepReport>(&report)) return steps_.push_back(*step);
    evals_.push_back(std::get<EvalReport>(report));
    if (probes_) probes_->look(index_of(id_));
  };
  hooks.keep = [this](const Keep& keep) {
    if (part_.folder.empty()) return;
    asio::post(loop_, [this, written = part_.write(keep)] { tell_kept(written); });
  };
  hooks.input = [this](Instant time, const Input& input) {
    if (!over_) inputs_.push_back(row_of(id_, time, input));
  };
  hooks.finished = [this](const Finished& finished) { finish(finished); };
  hooks.fault = [this](const Fault& fault) { give_up(fault.why, fault.peer); };
  return hooks;
}

void NodeProcess::listen(int port) {
  acceptor_.emplace(loop_);
  error_code error;
  const tcp::endpoint here(address_, static_cast<std::uint16_t>(port));
  acceptor_->open(here.protocol());
  acceptor_->set_option(tcp::acceptor::reuse_address(true));
  tune_socket(acceptor_->native_handle());
  acceptor_->bind(here, error);
  if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return give_up(fmt::format("cannot listen on {}: {}; choose other ports with --port",
                               to_text(here), error.message()));
  }
  welcome_peers();
  tell_place(acceptor_->local_endpoint().port());
}

void NodeProcess::tune_socket(int native_socket) {
  congestion_control_ = tune(native_socket, scenario_->transport);
  give_up_after(native_socket, silence_of(*scenario_));
}

void NodeProcess::tell_place(int port) {
  send_json(*launcher_, ControlKind::listening, id_,
            {{"host", host_name()},
             {"address", address_.to_string()},
             {"port", port},
             {"kernels", kernel_set()},
             {"other_kernels", other_kernels()}});
}

Handshake NodeProcess::handshake(Bytes most_payload) const {
  return {.key = joining_.known.key,
          .most_payload = most_payload,
          .tls = joining_.known.tls,
          .share_memory = scenario_->transport.shared_memory};
}

Bytes NodeProcess::largest_message() const {
  // Of a cut the gradients of each worker travel.
  const std::int64_t parameters =
      std::max<std::int64_t>(training_->layout->parameters, 2 * training_->workers);
  return training_->sparse() ? largest_push(parameters) : Bytes{parameters * 4};
}

void NodeProcess::go(Instant now) {
  poll_ = scenario_->transport.poll.value_or(kPoll);
  sampler_.start(interface_);
  flush_later();
  if (probes_) probes_->join(index_of(id_));
  const Life life = life_of(*scenario_, static_cast<int>(index_of(id_)));
  driver_->start(now, Instant{} + life.joins_at - now);
}

// What it reported before goes first: the checkpoint comes after that.
void NodeProcess::tell_kept(const WrittenPart& written) {
  if (over_) return;
  flush();
  nlohmann::json json = to_json(written);
  json["now_ns"] = driver_->now().ns;
  send_json(*launcher_, ControlKind::kept, id_, json);
}

// A large file takes its time to be removed.
void NodeProcess::remove_before(std::int64_t cut) {
  if (driver_) driver_->beside_keeps([part = part_, cut] { part.remove_before(cut); });
}

void NodeProcess::finish(const Finished& finished) {
  flush();
  try {
    keep_weights(save_, *training_->network, finished);
  } catch (const InputError& error) {  // the disk is full, say
    return tell_trouble({{"why", error.what()}, {"not_kept", true}});
  }
  over_ = true;
  const NodeEnd end = end_of(finished);
  const double cpu_s = sampler_.cpu_s();
  const Bytes rss_most = process_usage().rss_most;
  send_json(*launcher_, ControlKind::finished, id_,
            {{"updates", end.updates},
             {"gradients", end.gradients},
             {"dropped", end.dropped},
             {"most_lead", end.most_lead},
             {"last_update_ns", end.last_update.ns},
             {"weights_sha256", end.weights_sha256},
             {"kernel_set", kernel_set()},
             {"congestion_control", congestion_control_},
             {"cpu_s", cpu_s},
             {"rss_bytes", rss_most.value},
             {"tx_bytes", driver_->sent().value},
             {"rx_bytes", driver_->received().value},
             {"messages_sent", driver_->messages_sent()},
             {"refused", refusals_.count()}});
}

void NodeProcess::flush() {
  if (over_ || !driver_) return;
  usage_.push_back(sampler_.sample(driver_->now(), static_cast<int>(index_of(id_)), driver_->sent(),
                                   driver_->received()));
  send_rows<StepReport>(*launcher_, ControlKind::steps, id_, steps_);
  if (!evals_.empty()) send_rows<EvalReport>(*launcher_, ControlKind::evals, id_, evals_);
  send_rows<UsageRow>(*launcher_, ControlKind::usage, id_, usage_);
  if (!inputs_.empty()) send_rows<InputRow>(*launcher_, ControlKind::inputs, id_, inputs_);
  inputs_.clear();
  steps_.clear();
  evals_.clear();
  usage_.clear();
}

// Often enough not to be called silent.
std::chrono::nanoseconds NodeProcess::flush_interval() const {
  constexpr int kFlushes = 4;
  const std::chrono::nanoseconds limit(scenario_->training.silence_limit.ns);
  return std::min<std::chrono::nanoseconds>(kMostBetweenFlushes, limit / kFlushes);
}

void NodeProcess::flush_later() {
  flush_timer_.expires_after(flush_interval());
  flush_timer_.async_wait([this](error_code error) {
    if (error || over_) return;
    flush();
    flush_later();
  });
}

std::string NodeProcess::out_of_memory() const {
  const std::string has = fmt::format("there is not enough memory; it has had {}",
                                      in_gigabytes(process_usage().rss_most));
  if (!training_) return has + " to prepare its data and model";
  const NodeMemory memory = node_memory(*training_, data_memory_, id_);
  return fmt::format("{}, and needs {} at least, {} of that for examples (dataset.take)", has,
                     in_gigabytes(memory.resident(true, expected_held(*training_, id_))),
                     in_gigabytes(memory.data));
}

void NodeProcess::give_up(const std::string& why, std::optional<NodeId> peer) {
  if (over_) return;
  if (!launcher_) return end_alone(why);
  nlohmann::json trouble{{"why", why}};
  if (peer) trouble["peer"] = index_of(*peer);
  tell_trouble(trouble);
}

void NodeProcess::tell_trouble(const nlohmann::json& trouble) {
  flush();
  over_ = true;
  exit_status_ = 1;
  send_json(*launcher_, ControlKind::trouble, id_, trouble);
}

// What was flushed has to be on its way before the process ends.
void NodeProcess::leave() {
  if (launcher_->drained()) {
    if (driver_) driver_->stop();
    loop_.stop();
    return;
  }
  asio::post(loop_, [this] { leave(); });
}

}  // namespace foretrain::exec
