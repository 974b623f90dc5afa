#include "sim/driver/simulate.h"

#include "models/protocol/registry.h"
#include "reports/record/collector.h"
#include "scenarios/training.h"
#include "sim/driver/interruptions.h"
#include "sim/driver/sim_node.h"
#include "sim/memory/resident.h"

#include <fmt/format.h>

#include <utility>

namespace foretrain::sim {
namespace {

// One training: the world, its nodes, and the record that they fill.
class Simulation : public Actor {
 public:
  Simulation(const Case& scenario_case, const SimulateOptions& options,
             std::shared_ptr<const Training> training, const DataMemory& data)
      : options_(options),
        training_(std::move(training)),
        world_(scenario_case.scenario, *training_, options.machines),
        memory_(*training_, data, world_.memory_bases()),
        interruptions_(world_.engine, scenario_case.scenario, training_->workers, nodes_,
                       [this](NodeId id, const std::string& why) { died(id, why); }),
        lost_(static_cast<std::size_t>(training_->nodes())) {
    record_.mode = Mode::simulate;
    record_.scenario_case = scenario_case;
    record_.machine = world_.machine_name;
    record_.uncalibrated = world_.uncalibrated;
    record_.kernel_set = kernel_set();
    observer_.report = [this](NodeId id, const Report& report) { reported(id, report); };
    observer_.finished = [this](NodeId id, const Finished& finished) {
      add_end(record_, end_of(finished));
      ++finished_;
      interruptions_.finished(id);
    };
    observer_.fault = [this](NodeId id, const Fault& fault) {
      record_.outcome = Outcome::failed;
      record_.failure =
          fmt::format("{}: {}{}", training_->role(id),
                      fault.peer ? training_->role(*fault.peer) + ": " : "", fault.why);
    };
    const Traces traces(scenario_case);
    for (int node = 0; node < training_->nodes(); ++node) {
      nodes_.push_back(std::make_unique<SimNode>(
          world_, nodes_, observer_, NodeId(node), make_node(training_, NodeId(node)),
          StragglerDraws(scenario_case.scenario, node, traces),
          Stream(training_->seed, fmt::format("jitter.worker{}", node))));
    }
  }

  Record run() {
    seen_.resize(nodes_.size());
    interruptions_.start();
    for (const auto& node : nodes_) node->start();
    if (options_.usage_interval.ns > 0 && !options_.summary_only) {
      usage_interval_ = options_.usage_interval;
      world_.engine.schedule(Instant{} + usage_interval_, {this, 0});
      sampling_ = true;
    }
    while (record_.outcome == Outcome::done && !over() && !quiet() && world_.engine.step()) {
      if (world_.engine.events() % 1024 == 0 && options_.interrupted && options_.interrupted()) {
        record_.outcome = Outcome::interrupted;
        record_.failure = "interrupted";
      }
    }
    if (record_.outcome == Outcome::done && !over()) {
      record_.outcome = Outcome::failed;
      record_.failure = fmt::format("the nodes wait for each other for good, {} of {} finished",
                                    finished_, nodes_.size());
    }
    if (usage_interval_.ns > 0) sample(world_.engine.now());
    add_nodes();
    sort_rows(record_);
    if (options_.summary_only) {
      record_.step_totals = tally_.totals();
      keep_summary(record_);
    }
    return std::move(record_);
  }

  // A sample of everybody's usage is due.
  void wake(Instant now, std::uint64_t /*token*/) override {
    sample(now);
    sampling_ = false;
    if (quiet()) return;  // the nodes have stopped; so does this
    if (record_.usage.size() > kMostUsageRows * nodes_.size()) thin_usage();
    world_.engine.schedule(now + usage_interval_, {this, 0});
    sampling_ = true;
  }

 private:
  struct Seen {
    Duration compute;
    Duration transport;
    Bytes tx;
    Bytes rx;
  };

  [[nodiscard]] bool over() const { return finished_ + losses_ == nodes_.size(); }
  /// Nothing is to come that the nodes could wait for.
  [[nodiscard]] bool quiet() const {
    return world_.engine.pending() <= interruptions_.idle_events() + (sampling_ ? 1 : 0);
  }

  // The others go on without it where the strategy can, as in a run.
  void died(NodeId id, const std::string& why) {
    if (!may_lose(*training_, id, static_cast<int>(losses_))) {
      record_.outcome = Outcome::failed;
      record_.failure = fmt::format("{} {}", training_->role(id), why);
      return;
    }
    lost_[index_of(id)] = why;
    ++losses_;
    for (const NodeId peer : peers_of(*training_, id)) {
      if (lost_[index_of(peer)].empty()) nodes_[index_of(peer)]->lose(id);
    }
  }

  void reported(NodeId id, const Report& report) {
    const auto* step = std::get_if<StepReport>(&report);
    if (step != nullptr && options_.summary_only) {
      tally_.add(*step);
    } else {
      add_report(record_, static_cast<int>(index_of(id)), report);
    }
    if (step == nullptr) return memory_.evaluated(id);
    const std::int64_t done = ++steps_;
    if (options_.progress && done % 64 == 0) {
      options_.progress(done, training_->steps * training_->workers, world_.engine.now());
    }
  }

  void sample(Instant now) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const SimNode& node = *nodes_[i];
      const Seen seen{node.used(Work::compute), node.used(Work::transport), node.sent(),
                      node.received()};
      UsageRow row;
      row.time = now;
      row.node = static_cast<int>(i);
      row.cpu_user_s = (seen.compute - seen_[i].compute).seconds();
      row.cpu_system_s = (seen.transport - seen_[i].transport).seconds();
      row.rss = memory_.of(NodeId(static_cast<std::uint32_t>(i)), node.program());
      row.tx = seen.tx - seen_[i].tx;
      row.rx = seen.rx - seen_[i].rx;
      record_.usage.push_back(row);
      seen_[i] = seen;
    }
  }

  // Makes one of every two samples: the time of the later, the use of both.
  void thin_usage() {
    usage_interval_ = usage_interval_ * 2;
    const std::size_t nodes = nodes_.size();
    std::vector<UsageRow> kept;
    for (std::size_t i = 0; i + 2 * nodes <= record_.usage.size(); i += 2 * nodes) {
      for (std::size_t node = 0; node < nodes; ++node) {
        const UsageRow& first = record_.usage[i + node];
        UsageRow both = record_.usage[i + nodes + node];
        both.cpu_user_s += first.cpu_user_s;
        both.cpu_system_s += first.cpu_system_s;
        both.tx += first.tx;
        both.rx += first.rx;
        kept.push_back(both);
      }
    }
    const std::size_t odd = record_.usage.size() % (2 * nodes);
    kept.insert(kept.end(), record_.usage.end() - static_cast<std::ptrdiff_t>(odd),
                record_.usage.end());
    record_.usage = std::move(kept);
  }

  void add_nodes() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const SimNode& node = *nodes_[i];
      NodeTotals totals;
      totals.role = training_->role(NodeId(static_cast<std::uint32_t>(i)));
      totals.host = world_.hosts[node.place().host].name;
      totals.core = node.place().core;
      totals.cpu_s = (node.used(Work::compute) + node.used(Work::transport)).seconds();
      totals.rss = memory_.of(NodeId(static_cast<std::uint32_t>(i)), node.program());
      totals.tx = node.sent();
      totals.rx = node.received();
      totals.messages_sent = node.messages_sent();
      totals.undelivered = node.undelivered();
      totals.lost = lost_[i];
      record_.nodes.push_back(totals);
    }
  }

  const SimulateOptions& options_;
  std::shared_ptr<const Training> training_;
  World world_;
  ResidentMemory memory_;
  Observer observer_;
  SimNode::Peers nodes_;
  Interruptions interruptions_;
  std::vector<Seen> seen_;
  Duration usage_interval_;
  bool sampling_ = false;          // a sample is scheduled
  std::vector<std::string> lost_;  // what became of a node; empty: it is there
  std::size_t losses_ = 0;
  std::size_t finished_ = 0;
  std::int64_t steps_ = 0;
  StepTally tally_;
  Record record_;
};

}  // namespace

Record simulate(const Case& scenario_case, const SimulateOptions& options) {
  const bool numerics = scenario_case.scenario.numerics;
  const auto data = numerics ? load_data(scenario_case) : nullptr;
  const auto shape = data ? shape_of(*data, scenario_case.scenario.training.batch_size)
                          : dataset_shape(scenario_case);
  return Simulation(scenario_case, options,
                    make_training(scenario_case.scenario, shape, numerics, data),
                    data_memory(scenario_case, shape))
      .run();
}

}  // namespace foretrain::sim
