#include "sim/driver/sim_training.h"

#include "models/protocol/registry.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/emulated.h"
#include "scenarios/resolve/gradient_counts.h"
#include "sim/driver/device_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

namespace foretrain::sim {
namespace {

// Tokens for an evaluation that blocks all: workers except the chief stop and resume.
constexpr std::uint64_t kStop = 0;
constexpr std::uint64_t kGoOn = 1;

// No `suspicion`: a death is reported at once, so no better explanation follows.
std::shared_ptr<supervision::Supervisor> supervisor_of(
    const std::shared_ptr<const Training>& training) {
  const auto role = [training](NodeId id) { return training->role(id); };
  return std::make_shared<supervision::Supervisor>(
      supervision::Rules{.training = training,
                         .described = role,
                         .named = role,
                         .text = [](Duration time) { return to_text(time); },
                         .suspicion = {}});
}

Place place_of(const NodePlace& node) {
  return {node.host, node.cores.front(), static_cast<int>(node.cores.size()), node.device};
}

std::vector<NodePlace> placed(const World& world, const Prepared& prepared,
                              const std::vector<NodePlace>& others) {
  const int cores = world.hosts.front().cpu->cores();
  std::vector<NodePlace> places = prepared.places;
  take_cores(places, prepared.scenario_case.scenario.cluster, cores, others);
  if (!world.real_cores) return places;
  share_cores(places, cores);
  for (NodePlace& place : places) place.device.reset();
  return places;
}

// Spread of the repetitions at the batch size where a model's gradients varied most.
double spread_of(const Machine& machine, const std::string& model) {
  double most = 0;
  for (const Measurement& each : machine.measurements) {
    if (each.figure.starts_with(model + ", gradient of ")) most = std::max(most, each.spread);
  }
  return most;
}

// The source of gradient times on hosts like `spec`.
ComputeBasis basis_of(const JobTime& job_time, const HostSpec* spec, const Machine* machine,
                      const Prepared& prepared) {
  ComputeBasis basis;
  const std::string host = spec == nullptr ? std::string() : kind_of_host(*spec);
  if (spec != nullptr) basis.hosts = {host};
  if (spec != nullptr && spec->compute) {
    basis.from = ComputeBasis::From::given;
    basis.of = to_text(*spec->compute);
    const double slowed = spec->devices > 0 ? slowed_together(*spec, prepared) : 1;
    if (slowed > 1)
      basis.of += fmt::format(" on one device, {:.1f} % more together,", 100 * (slowed - 1));
    return basis;
  }
  basis.jitter = job_time.gradient_jitter();
  if (machine != nullptr) basis.of = machine->name;
  if (basis.of.empty()) basis.of = host;
  if (job_time.gradients_by() == JobTime::Source::profiled) {
    basis.from = ComputeBasis::From::profile;
    basis.of.clear();
    const std::string& network = prepared.scenario_case.scenario.model.profile_network;
    if (spec != nullptr && job_time.on_device()) basis.of = measured_text(spec->measured, network);
    if (basis.of.empty() && prepared.counted != nullptr && spec != nullptr) {
      basis.from = is_fitted(*spec, prepared.counted->precision) ? ComputeBasis::From::fitted
                                                                 : ComputeBasis::From::counted;
      basis.of =
          fmt::format("{:.4g} TFLOP/s in {}", peak_of(*spec, prepared.counted->precision) / 1e12,
                      prepared.counted->precision);
    }
  } else if (job_time.gradients_by() == JobTime::Source::described) {
    basis.from = ComputeBasis::From::described;
  } else if (machine != nullptr) {
    const bool says =
        !machine->date.empty() || !machine->measurements.empty() || machine->others_used > 0;
    basis.from = says ? ComputeBasis::From::calibrated : ComputeBasis::From::written;
    basis.date = machine->date;
    basis.others_used = machine->others_used;
    basis.spread = spread_of(*machine, key_in(*machine, prepared));
    basis.unasked = spec != nullptr && spec->machine.empty();
  }
  return basis;
}

}  // namespace

SimTraining::SimTraining(World& world, const Prepared& prepared, const MachineLookup& machines,
                         Listener listener, const std::vector<NodePlace>& others,
                         std::span<const InputRow> recorded, const Beginning& beginning)
    : world_(world),
      training_(prepared.training),
      listener_(std::move(listener)),
      is_restart_(beginning.supervisor != nullptr),
      places_(placed(world, prepared, others)),
      is_colocated_(!others.empty()),
      scenario_case_(prepared.scenario_case),
      traces_(scenario_case_),
      supervisor_(beginning.supervisor ? beginning.supervisor : supervisor_of(training_)),
      node_faults_(
          world.engine, scenario_case_.scenario, training_->nodes(), nodes_,
          is_colocated_ ? 1 : world.time_factors.of(Resource::straggling),
          [this](NodeId id, const FaultSchedule::Death& death) {
            tell(supervision::FaultDue{{id}, death_at(death.at), death.restart_after});
          },
          [this](NodeId id, const std::string& how) {
            tell(supervision::Silent{id, how});
          }),
      link_faults_(world.engine, scenario_case_.scenario, training_, places_, world.fabric.get(),
                   [this](NodeId id, NodeId peer) { disconnect(id, peer); }),
      evaluation_blocks_all_(prepared.scenario_case.scenario.framework.evaluation == "all"),
      lost_(static_cast<std::size_t>(training_->nodes())),
      left_(lost_.size()),
      away_(lost_.size()),
      given_up_(lost_.size()) {
  if (gradients_a_push(scenario_case_.scenario) > 1) local_reduction_.emplace(*training_, places_);
  add_job_times(prepared, machines);
  observer_.report = listener_.report;
  observer_.kept = listener_.kept;
  observer_.keeping = listener_.keeping;
  observer_.finished = [this](NodeId id, const Finished& finished) {
    for (std::size_t node = index_of(id); node < places_.size(); node += nodes_.size()) {
      const NodeId each{static_cast<std::uint32_t>(node)};
      listener_.finished(each, finished);
      ++finished_;
      node_faults_.finished(each);
      tell(supervision::Told{each, supervision::Told::What::finished});
    }
  };
  observer_.fault = [this](NodeId id, const Fault& fault) { gave_up(id, fault); };
  observer_.evaluating = [this](NodeId id, bool begins) { evaluating(id, begins); };
  add_nodes(recorded, beginning);
}

void SimTraining::add_job_times(const Prepared& prepared, const MachineLookup& machines) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  const bool profiled = training_->network->profiled();
  const auto add = [&](const Machine* machine, std::optional<Duration> fixed,
                       const Roofline* device = nullptr) {
    job_times_.emplace_back(machine, machine ? key_in(*machine, prepared) : prepared.model_key,
                            fixed, device);
  };
  if (scenario.cluster.hosts.empty()) {
    const Machine machine = machines("");
    add(&machine, std::nullopt);
    job_times_.back().update_on_device(update_rate({}, prepared));
    note(machine, job_times_.back());
    note_basis(nullptr, &machine, prepared);
    calibrated_ = machine.cores_seen;
  }
  for (const HostSpec& spec : scenario.cluster.hosts) {
    const auto machine = world_.real_cores ? machines("") : machine_of(spec, profiled, machines);
    const bool devices = spec.devices > 0 && !world_.real_cores;
    const double slowed = devices ? slowed_together(spec, prepared) : 1;
    std::optional<Duration> fixed = world_.real_cores ? std::nullopt : spec.compute;
    if (fixed) fixed = Duration::from_seconds(fixed->seconds() * slowed);
    add(machine ? &*machine : nullptr, fixed, devices ? &spec.device : nullptr);
    if (devices) {
      job_times_.back().scale_profile(profile_ratio(spec, prepared) * slowed);
    }
    job_times_.back().update_on_device(update_rate(spec, prepared));
    if (machine) note(*machine, job_times_.back());
    note_basis(&spec, machine ? &*machine : nullptr, prepared);
    if (world_.real_cores) calibrated_ = machine->cores_seen;
  }
  for (JobTime& job_time : job_times_) job_time.add(scenario.framework, training_->workers);
}

void SimTraining::note(const Machine& machine, const JobTime& job_time) {
  machine_ = machine.title();
  if (!job_time.uncalibrated()) return;
  if (!uncalibrated_.empty()) uncalibrated_ += ", ";
  uncalibrated_ += machine.name;
}

// For the host whose job times were added last; a null `spec` is this machine if no host is listed.
void SimTraining::note_basis(const HostSpec* spec, const Machine* machine,
                             const Prepared& prepared) {
  const std::size_t place = job_times_.size() - 1;
  const auto workers = std::span(places_).first(static_cast<std::size_t>(training_->workers));
  if (std::ranges::find(workers, place, &NodePlace::spec) == workers.end()) return;
  ComputeBasis basis = basis_of(job_times_.back(), spec, machine, prepared);
  if (world_.real_cores) basis.unasked = false;  // this machine is asked for
  const auto alike = std::ranges::find_if(basis_, [&](ComputeBasis each) {
    each.hosts = basis.hosts;
    return each == basis;
  });
  if (alike == basis_.end()) {
    basis_.push_back(std::move(basis));
  } else {
    alike->hosts.insert(alike->hosts.end(), basis.hosts.begin(), basis.hosts.end());
  }
}

void SimTraining::add_nodes(std::span<const InputRow> recorded, const Beginning& beginning) {
  nodes_.reserve(places_.size());
  const int simulated = world_.fold ? world_.fold->workers() : training_->nodes();
  for (int node = 0; node < simulated; ++node) {
    const auto id = NodeId(node);
    nodes_.push_back(
        make_node_of(id, program_of(id, beginning), RecordedTimes(recorded, id), beginning));
  }
}

std::unique_ptr<SimNode> SimTraining::make_node_of(NodeId id, std::unique_ptr<Node> program,
                                                   RecordedTimes recorded,
                                                   const Beginning& beginning) {
  const Scenario& scenario = scenario_case_.scenario;
  const int node = static_cast<int>(index_of(id));
  const NodePlace& place = places_[index_of(id)];
  const bool serves = !training_->is_worker(id);
  NodeParts parts{id,
                  place_of(place),
                  std::move(program),
                  &job_times_[place.spec],
                  std::move(recorded),
                  gradient_times(node, beginning),
                  Stream(training_->seed, fmt::format("jitter.worker{}", node)),
                  {scenario.framework.message, serves ? scenario.framework.server : ServerCost{},
                   training_->layout},
                  input_of(node, beginning),
                  scenario.checkpoint.disk_on(world_.hosts[place.host].disk),
                  training_->protocol,
                  training_,
                  serves,
                  is_colocated_};
  return std::make_unique<SimNode>(world_, mailboxes_, observer_, std::move(parts));
}

// With a given time, a run on this machine computes, then sleeps the rest; on other hosts it is the
// computing time itself (JobTime).
GradientTimes SimTraining::gradient_times(int node, const Beginning& beginning) const {
  const Scenario& scenario = scenario_case_.scenario;
  const std::size_t spec = places_[static_cast<std::size_t>(node)].spec;
  const bool given = world_.real_cores && spec < scenario.cluster.hosts.size();
  StragglerDraws draws(scenario, node, traces_);
  if (beginning.from != nullptr) {
    const KeptStates::OfNode& kept = beginning.from->nodes[static_cast<std::size_t>(node)];
    for (std::int64_t i = 0; i < kept.gradients; ++i) draws.next();
  }
  return {std::move(draws), given ? scenario.cluster.hosts[spec].compute : std::nullopt,
          world_.real_cores};
}

std::unique_ptr<InputFeed> SimTraining::input_of(int node, const Beginning& beginning) const {
  if (!training_->is_worker(NodeId(node))) return nullptr;
  const auto index = static_cast<std::size_t>(node);
  const std::int64_t begun = beginning.from == nullptr ? 0 : beginning.from->nodes[index].gradients;
  return InputFeed::of(world_, scenario_case_, *training_, places_[index], begun);
}

std::unique_ptr<Node> SimTraining::program_of(NodeId id, const Beginning& beginning) const {
  auto program = local_reduction_ ? local_reduction_->program_of(id) : make_node(training_, id);
  if (beginning.from != nullptr) {
    StateReader state(beginning.from->nodes[index_of(id)].state);
    program->restore(state);
  }
  return watched(id, std::move(program));
}

std::unique_ptr<Node> SimTraining::watched(NodeId id, std::unique_ptr<Node> program) const {
  return listener_.around ? listener_.around(id, std::move(program)) : std::move(program);
}

void SimTraining::start() {
  supervision::Effects effects;
  supervisor_->begin(world_.engine.now(), effects);
  perform(effects);
}

void SimTraining::go() {
  node_faults_.start(is_restart_ ? world_.engine.now() : Instant{});
  if (!is_restart_) link_faults_.start();  // else the first attempt's link faults continue
  for (const auto& node : nodes_) node->start();
}

void SimTraining::end(SimTraining& next) {
  next_ = &next;
  next.away_ = away_;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    node_faults_.finished(NodeId(static_cast<std::uint32_t>(i)));
    nodes_[i]->die_for_good();
    lost_[i] = "its training was set back to a checkpoint";
  }
  for (const auto& node : replaced_) node->die_for_good();
}

// Handled by a separate event: this is called by the node's own loop. Also, a death in the same
// instant is then reported first, from which the peers' failures follow.
void SimTraining::gave_up(NodeId id, const Fault& fault) {
  if (!failure_.empty()) return;  // later failures follow from this one
  given_up_[index_of(id)] = fault;
  world_.engine.schedule(world_.engine.now(), {this, kFirstNode + index_of(id)});
}

void SimTraining::disconnect(NodeId id, NodeId peer) {
  if (next_ != nullptr) return next_->disconnect(id, peer);
  if (is_there(id) && is_there(peer)) nodes_[index_of(id)]->mark_lost(peer);
}

// Handled by a separate event: this is called by a core that may run one of these nodes.
void SimTraining::evaluating(NodeId /*id*/, bool begins) {
  if (!evaluation_blocks_all_) return;
  world_.engine.schedule(world_.engine.now(), {this, begins ? kStop : kGoOn});
}

void SimTraining::wake(Instant /*now*/, std::uint64_t token) {
  if (token >= kFirstNode && next_ != nullptr) return;
  if (token >= kFirstNode + nodes_.size()) {
    return tell(supervision::TimerFired{timers_[token - kFirstNode - nodes_.size()]});
  }
  if (token >= kFirstNode) {
    const NodeId id{static_cast<std::uint32_t>(token - kFirstNode)};
    const Fault& fault = *given_up_[index_of(id)];
    return tell(supervision::Told{id, supervision::Told::What::trouble, fault.why, fault.peer});
  }
  is_blocked_ = token == kStop;
  for (int worker = 1; worker < std::min(training_->workers, static_cast<int>(nodes_.size()));
       ++worker) {
    SimNode& node = *nodes_[static_cast<std::size_t>(worker)];
    if (token == kStop) {
      node.stop(Resource::evaluation);
    } else {
      node.go_on();
    }
  }
}

std::vector<ResidentMemory::OfHost> SimTraining::base_memory_by_node() const {
  std::vector<ResidentMemory::OfHost> hosts;
  hosts.reserve(nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const Host& host = world_.hosts[places_[node].host];
    hosts.push_back({host.memory_base, host.simd});
  }
  return hosts;
}

}  // namespace foretrain::sim
