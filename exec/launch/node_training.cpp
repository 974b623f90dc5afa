#include "exec/launch/node_training.h"

#include "exec/driver/event_loop.h"
#include "exec/launch/control.h"
#include "models/graph/node_memory.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/record/whole_number.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/read.h"
#include "scenarios/resolve/stragglers.h"
#include "scenarios/weights/weights.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace foretrain::exec {
namespace asio = boost::asio;

namespace {

Case case_of(const nlohmann::json& setup) {
  Case scenario_case = parse_scenario(setup.at("scenario"), "scenario").front();
  // Errors name positions in the file that the user wrote.
  scenario_case.places = setup.at("places").get<std::map<std::string, std::string>>();
  return scenario_case;
}

bool is_worker(NodeId id, const Scenario& scenario) {
  return static_cast<int>(index_of(id)) < node_counts(scenario).workers;
}

// A worker computes on its own cores, whatever the scenario describes, unless it gives the time of
// a gradient on the worker's host. Straggler draws continue after the gradients that it had
// `begun`.
Computing computing_of(const Prepared& prepared, NodeId id, std::int64_t begun) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  const auto& hosts = scenario.cluster.hosts;
  std::optional<Duration> given;
  if (!hosts.empty()) given = hosts[prepared.places.at(index_of(id)).spec].compute;
  StragglerDraws draws(scenario, static_cast<int>(index_of(id)));
  for (std::int64_t i = 0; i < begun; ++i) draws.next();
  return {GradientTimes(draws, given, true), prepared.training->threads};
}

}  // namespace

NodeTraining::NodeTraining(asio::io_context& loop, NodeId id, std::shared_ptr<Connection> launcher,
                           const nlohmann::json& setup)
    : loop_(loop),
      id_(id),
      launcher_(std::move(launcher)),
      part_(node_part_of(setup.at("checkpoint"))),
      interface_(setup.at("interface")),
      save_(setup.at("save")),
      flush_timer_(loop) {
  const Case scenario_case = case_of(setup);
  launcher_->give_up_after(silence_of(scenario_case.scenario));
  prepared_ = is_worker(id, scenario_case.scenario)
                  ? prepare(scenario_case, Need::examples)
                  : prepare_server(scenario_case, dataset_shape_of(setup.at("dataset")));
  malloc_trim(0);  // memory for drawing or reading them
}

void NodeTraining::begin(const nlohmann::json& setup, Hooks hooks) {
  Computing computing =
      is_worker(id_, scenario()) ? computing_of(prepared_, id_, part_.part.gradients) : Computing{};
  computing.timed = setup.at("job_times");
  std::unique_ptr<Node> program = make_node(training(), id_);
  part_.restore(*program, id_, prepared_);
  const std::int64_t incarnation = whole_at(setup, "generation");
  if (incarnation > 1) program->rejoin(incarnation);
  const auto keep = [this](const SaveState& asked) {
    if (part_.folder.empty()) return;
    asio::post(loop_, [this, written = part_.write(asked)] { tell_kept(written); });
  };
  const auto input = [this](Instant time, const Input& told) {
    if (!over_) inputs_.push_back(row_of(id_, time, told));
  };
  driver_ = std::make_unique<NodeDriver>(
      loop_, id_, std::move(program),
      DriverHooks{[this](const Report& each) { report(each); }, keep, input,
                  std::move(hooks.finished), std::move(hooks.fault)},
      std::move(computing), Duration{setup.at("max_delay_ns")});
}

void NodeTraining::report(const Report& report) {
  if (const auto* step = std::get_if<StepReport>(&report)) return steps_.push_back(*step);
  evals_.push_back(std::get<EvalReport>(report));
}

void NodeTraining::go(Instant now) {
  sampler_.start(interface_);
  flush_later();
  const FaultSchedule life = fault_schedule_of(scenario(), static_cast<int>(index_of(id_)));
  driver_->start(now, Instant{} + life.joins_at - now);
}

// Earlier reports are sent first: the checkpoint comes after them.
void NodeTraining::tell_kept(const WrittenPart& written) {
  if (over_) return;
  flush();
  nlohmann::json json = to_json(written);
  json["now_ns"] = driver_->now().ns;
  send_json(*launcher_, ControlKind::kept, id_, json);
}

// Removing a large file takes time, so the saving thread does it.
void NodeTraining::remove_before(std::int64_t cut) {
  if (driver_) driver_->beside_keeps([part = part_, cut] { part.remove_before(cut); });
}

void NodeTraining::finish(const Finished& finished, const std::string& congestion_control,
                          std::int64_t refused) {
  flush();
  if (!save_.empty() && finished.weights.size().value > 0) {  // of the chief
    write_text_file(save_, weights_text(save_, *training()->network, finished.weights.floats(),
                                        finished.statistics));
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
             {"congestion_control", congestion_control},
             {"cpu_s", cpu_s},
             {"rss_bytes", rss_most.value},
             {"tx_bytes", driver_->sent().value},
             {"rx_bytes", driver_->received().value},
             {"messages_sent", driver_->messages_sent()},
             {"refused", refused}});
}

void NodeTraining::flush() {
  if (over_ || !driver_) return;
  const UsageRow usage = sampler_.sample(driver_->now(), static_cast<int>(index_of(id_)),
                                         driver_->sent(), driver_->received());
  send_rows<StepReport>(*launcher_, ControlKind::steps, id_, steps_);
  if (!evals_.empty()) send_rows<EvalReport>(*launcher_, ControlKind::evals, id_, evals_);
  send_rows<UsageRow>(*launcher_, ControlKind::usage, id_, std::span(&usage, 1));
  if (!inputs_.empty()) send_rows<InputRow>(*launcher_, ControlKind::inputs, id_, inputs_);
  inputs_.clear();
  steps_.clear();
  evals_.clear();
}

void NodeTraining::flush_later() {
  constexpr auto kMostBetween = std::chrono::nanoseconds(100'000'000);
  constexpr int kFlushes = 4;  // often enough not to be considered silent
  const std::chrono::nanoseconds limit(scenario().training.silence_limit.ns);
  flush_timer_.expires_after(std::min(kMostBetween, limit / kFlushes));
  flush_timer_.async_wait([this](boost::system::error_code error) {
    if (error || over_) return;
    flush();
    flush_later();
  });
}

void NodeTraining::halt() {
  over_ = true;
  if (driver_) driver_->halt();
}

void NodeTraining::stop() {
  if (driver_) driver_->stop();
}

std::string NodeTraining::need() const {
  const NodeMemory memory = node_memory(*training(), prepared_.data_memory, id_);
  return fmt::format("{} at least, {} of that for examples (dataset.take)",
                     in_gigabytes(memory.resident(true, expected_held(*training(), id_))),
                     in_gigabytes(memory.data));
}

}  // namespace foretrain::exec
