#include "sim/driver/simulate.h"

#include "models/protocol/registry.h"
#include "reports/record/collector.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/colocated_jobs.h"
#include "scenarios/resolve/emulated.h"
#include "scenarios/resolve/read.h"
#include "sim/driver/attempts.h"
#include "sim/driver/count_totals.h"
#include "sim/driver/sim_training.h"
#include "sim/memory/resident.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace foretrain::sim {
namespace {

// No fold if something wraps each node, or takes its times from a run.
std::optional<Fold> fold_of(const Prepared& prepared, const SimulateOptions& options) {
  const bool whole =
      options.whole || options.emulated || options.around || !options.recorded.empty();
  return whole ? std::nullopt : Fold::of(prepared);
}

// One training: the world, its nodes, their record, its neighbours.
class Simulation : public Actor {
 public:
  Simulation(const Prepared& prepared, const SimulateOptions& options)
      : options_(options),
        framework_(prepared.scenario_case.scenario.framework),
        world_(prepared, options.emulated, options.machines, options.variant, options.cores,
               fold_of(prepared, options)),
        main_(world_, prepared, options.machines,
              {[this](NodeId id, const Report& report) { reported(id, report); },
               [this](NodeId, const Finished& finished) { add_end(record_, end_of(finished)); },
               options.around},
              options.recorded,
              {[this] { nodes_end(); },
               [this](const std::vector<std::int64_t>& reported, std::int64_t evaluated) {
                 return set_back(reported, evaluated);
               }}),
        memory_(*prepared.training, prepared.data_memory, main_.training().base_memory_by_node()),
        sums_rows_(options.summary_only && !main_.may_fail()) {
    record_.mode = Mode::simulate;
    record_.scenario_case = prepared.scenario_case;
    record_.machine = main_.training().machine();
    if (world_.fold) {
      const int simulated = world_.fold->simulated_hosts();
      record_.simulated = fmt::format("{} host{} of {} alike", simulated, simulated == 1 ? "" : "s",
                                      world_.fold->hosts());
    }
    record_.counted = count_totals(prepared);
    if (options.emulated) {
      record_.machine += fmt::format(", {} hosts emulated on {} cores", world_.hosts.size(),
                                     world_.hosts.front().cpu->cores());
    }
    record_.uncalibrated = main_.training().uncalibrated();
    record_.basis = main_.training().basis();
    record_.disk_assumed = assumes_disk(prepared.scenario_case.scenario.checkpoint);
    record_.calibrated = main_.training().calibrated();
    record_.kernel_set = kernel_set();
    record_.startup = framework_.session_start;
    const Training& training = *prepared.training;
    const bool synchronous = training.protocol->synchronous;
    if (training.workers > 1 && synchronous) record_.startup += framework_.chief_wait;
    add_colocated_jobs(prepared.scenario_case);
  }

  Record run() {
    seen_.resize(nodes().size());
    spent_.resize(nodes().size());
    main_.start();
    for (std::size_t i = 0; i < colocated_jobs_.size(); ++i) {
      world_.engine.schedule(Instant{} + colocated_jobs_[i].starts_at, {this, i + 1});
    }
    if (options_.usage_interval.ns > 0 && !options_.summary_only) {
      usage_interval_ = options_.usage_interval;
      world_.engine.schedule(Instant{} + usage_interval_, {this, kSample});
      sampling_ = true;
    }
    while (goes_on() && world_.engine.step()) {
      if (world_.engine.events() % 1024 == 0 && options_.interrupted && options_.interrupted()) {
        record_.outcome = Outcome::interrupted;
        record_.failure = "interrupted";
      }
    }
    add_outcome();
    if (usage_interval_.ns > 0) sample(world_.engine.now());
    add_nodes();
    record_.checkpoints = main_.checkpoints();
    record_.restarts = main_.totals();
    if (record_.outcome == Outcome::interrupted) add_cut_off();
    sort_rows(record_);
    if (options_.summary_only) {
      if (sums_rows_) record_.step_totals = tally_.steps();
      keep_summary(record_);
    }
    return std::move(record_);
  }

  // A usage sample is due, or a neighbour begins.
  void wake(Instant now, std::uint64_t token) override {
    if (token != kSample) return colocated_jobs_[token - 1].training->start();
    sample(now);
    sampling_ = false;
    if (quiet()) return;  // the nodes have stopped, so sampling stops
    const std::size_t each = all_nodes();
    // Thins the rows before the next sample would exceed the limit, where the memory would be
    // doubled.
    const std::size_t most = std::min(kMostUsageRows * each, kMostUsageRowsOfAll - each);
    if (record_.usage.size() > most) thin_usage();
    world_.engine.schedule(now + usage_interval_, {this, kSample});
    sampling_ = true;
  }

 private:
  static constexpr std::uint64_t kSample = 0;  // a token; others are neighbours, from 1

  struct Seen {
    Duration compute;
    Duration transport;
    Bytes tx;
    Bytes rx;
    Bytes nic_tx;
    Bytes nic_rx;
    double burned_s = 0;
  };
  struct Colocated {
    Duration starts_at;
    std::unique_ptr<SimTraining> training;
    std::int64_t steps = 0;
  };

  void add_colocated_jobs(const Case& scenario_case) {
    const std::vector<Case> cases = colocated_cases(scenario_case);
    colocated_jobs_.resize(cases.size());
    std::vector<NodePlace> taken = main_.training().places();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Colocated& colocated_job = colocated_jobs_[i];
      colocated_job.starts_at = scenario_case.scenario.colocated_jobs[i].starts_at +
                                cases[i].scenario.framework.session_start;
      const auto count = [&colocated_job](NodeId, const Report& report) {
        if (std::holds_alternative<StepReport>(report)) ++colocated_job.steps;
      };
      colocated_job.training = std::make_unique<SimTraining>(
          world_, prepare(cases[i], Need::shape), options_.machines,
          SimTraining::Listener{count, [](NodeId, const Finished&) {}, {}, {}}, taken);
      const auto& places = colocated_job.training->places();
      taken.insert(taken.end(), places.begin(), places.end());
      record_.colocated_jobs.push_back(
          {cases[i].scenario.name, to_yaml(cases[i].scenario), 0, false, {}});
    }
  }

  /// Some disk that stores checkpoints has no complete costs.
  [[nodiscard]] bool assumes_disk(const CheckpointSpec& checkpoint) const {
    return checkpoint.every.wanted() &&
           std::ranges::any_of(main_.training().places(), [&](const NodePlace& place) {
             return checkpoint.assumes_disk(world_.hosts[place.host].disk);
           });
  }

  [[nodiscard]] const SimNode::Peers& nodes() const { return main_.training().nodes(); }
  /// Those included that a simulated node stands for, in the order of their hosts.
  [[nodiscard]] std::size_t all_nodes() const { return main_.training().places().size(); }
  /// Calls `use` with each process of the node so far.
  template <class Use>
  void each_process(std::size_t i, const Use& use) const {
    for (const auto& gone : main_.training().replaced()) {
      if (index_of(gone->id()) == i) use(*gone);
    }
    use(*nodes()[i]);
  }
  [[nodiscard]] Duration used(std::size_t i, Work work) const {
    Duration sum;
    each_process(i, [&](const SimNode& node) { sum = sum + node.used(work); });
    return sum;
  }
  [[nodiscard]] Traffic traffic(std::size_t i) const {
    Traffic sum;
    each_process(i, [&](const SimNode& node) { sum += node.traffic(); });
    return sum;
  }
  [[nodiscard]] bool goes_on() const {
    return record_.outcome == Outcome::done && main_.failure().empty() &&
           !main_.training().over() && !quiet();
  }
  /// True if no event is left that a node could wait for.
  [[nodiscard]] bool quiet() const {
    std::size_t idle = main_.idle_events() + (sampling_ ? 1 : 0);
    for (const Colocated& colocated_job : colocated_jobs_)
      idle += colocated_job.training->idle_events();
    return world_.engine.pending() <= idle;
  }

  void add_outcome() {
    for (std::size_t i = 0; i < colocated_jobs_.size(); ++i) {
      record_.colocated_jobs[i].steps = colocated_jobs_[i].steps;
      record_.colocated_jobs[i].done = colocated_jobs_[i].training->over();
      record_.colocated_jobs[i].failure = colocated_jobs_[i].training->failure();
    }
    if (record_.outcome != Outcome::done) return;
    record_.failure = main_.failure();
    if (record_.failure.empty() && main_.training().over()) return;
    record_.outcome = Outcome::failed;
    if (!record_.failure.empty()) return;
    record_.failure = fmt::format("the nodes wait for each other forever; {} of {} finished",
                                  main_.training().finished(), all_nodes());
  }

  // Nodes that were cut off have not reported their totals.
  void add_cut_off() {
    RowTally kept;
    kept.add(record_);
    (sums_rows_ ? tally_ : kept).fill_in(record_);
  }

  // Stores the nodes' usage, which counts to the end.
  void nodes_end() {
    if (usage_interval_.ns > 0) sample(world_.engine.now());
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      spent_[i] = totals_of(i);
      seen_[i] = {{}, {}, {}, {}, seen_[i].nic_tx, seen_[i].nic_rx, 0};
    }
  }

  // Drops the work since then. Returns the number of lost steps.
  std::int64_t set_back(const std::vector<std::int64_t>& reported, std::int64_t evaluated) {
    const auto lost =
        static_cast<std::int64_t>(std::erase_if(record_.steps, [&](const StepRow& row) {
          return row.report.step.value >= reported[static_cast<std::size_t>(row.worker)];
        }));
    record_.evals.resize(std::min(record_.evals.size(), static_cast<std::size_t>(evaluated)));
    steps_ -= lost;
    // Nodes that had already finished may have added to these totals.
    record_.updates = record_.gradients = record_.dropped = record_.most_lead = 0;
    record_.time = {};
    return lost;
  }

  void reported(NodeId id, const Report& report) {
    const auto* step = std::get_if<StepReport>(&report);
    if (step == nullptr) {
      add_report(record_, static_cast<int>(index_of(id)), report);
      return memory_.evaluated(id);
    }
    for (std::size_t node = index_of(id); node < all_nodes(); node += nodes().size()) {
      const int worker = static_cast<int>(node);
      if (sums_rows_) {
        tally_.add(*step, worker);
      } else {
        add_report(record_, worker, report);
      }
      ++steps_;
    }
    const std::int64_t done = steps_;
    if (options_.progress && done % 64 == 0) {
      const Training& training = main_.training().training();
      options_.progress(done, training.steps * training.workers, world_.engine.now(), record_);
    }
  }

  /// CPU time that a worker's framework has burned while the worker did not compute.
  [[nodiscard]] double burned_s(std::size_t index) const {
    if (static_cast<int>(index) >= main_.training().training().workers) return 0;
    Duration waited;
    each_process(index, [&](const SimNode& node) { waited = waited + node.waited(); });
    return framework_.waiting_cores * waited.seconds();
  }

  void sample(Instant now) {
    if (world_.fabric != nullptr) world_.fabric->count_moving();
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      const SimNode& node = *nodes()[i];
      const Traffic traffic = this->traffic(i);
      Seen seen{
          used(i, Work::compute), used(i, Work::transport), traffic.sent, traffic.received, {}, {}};
      UsageRow row;
      row.time = now;
      row.node = static_cast<int>(i);
      seen.burned_s = burned_s(i);
      row.cpu_user_s =
          (seen.compute - seen_[i].compute).seconds() + seen.burned_s - seen_[i].burned_s;
      row.cpu_system_s = (seen.transport - seen_[i].transport).seconds();
      row.rss = memory_.of(NodeId(static_cast<std::uint32_t>(i)), node.program());
      row.tx = seen.tx - seen_[i].tx;
      row.rx = seen.rx - seen_[i].rx;
      if (world_.fabric != nullptr) {
        const std::size_t host = node.place().host;
        seen.nic_tx = world_.fabric->sent_by(host);
        seen.nic_rx = world_.fabric->received_by(host);
        row.nic_tx = seen.nic_tx - seen_[i].nic_tx;
        row.nic_rx = seen.nic_rx - seen_[i].nic_rx;
      }
      record_.usage.push_back(row);
      seen_[i] = seen;
    }
    for (std::size_t i = nodes().size(); i < all_nodes(); ++i) {
      UsageRow row = record_.usage[record_.usage.size() - nodes().size()];
      row.node = static_cast<int>(i);
      record_.usage.push_back(row);
    }
  }

  // Merges every two samples: the time of the later one, the usage of both.
  void thin_usage() {
    usage_interval_ = usage_interval_ * 2;
    const std::size_t nodes = all_nodes();
    std::vector<UsageRow>& rows = record_.usage;
    const auto sampled_once = static_cast<std::ptrdiff_t>(rows.size() % (2 * nodes));
    auto kept = rows.begin();  // never after the read position
    for (auto first = rows.begin(); first != rows.end() - sampled_once; first += 2 * nodes) {
      for (std::size_t node = 0; node < nodes; ++node) {
        UsageRow both = first[nodes + node];
        both.cpu_user_s += first[node].cpu_user_s;
        both.cpu_system_s += first[node].cpu_system_s;
        both.tx += first[node].tx;
        both.rx += first[node].rx;
        if (both.nic_tx.value >= 0) both.nic_tx += first[node].nic_tx;
        if (both.nic_rx.value >= 0) both.nic_rx += first[node].nic_rx;
        *kept++ = both;
      }
    }
    kept = std::move(rows.end() - sampled_once, rows.end(), kept);
    rows.erase(kept, rows.end());
  }

  void add_nodes() {
    if (world_.fabric != nullptr) world_.fabric->count_moving();
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      NodeTotals totals = totals_of(i);
      totals.lost = main_.training().lost(i);
      totals.away = main_.training().away(i);
      record_.nodes.push_back(totals);
    }
    for (std::size_t i = nodes().size(); i < all_nodes(); ++i) {
      NodeTotals totals = record_.nodes[i - nodes().size()];
      totals.role = main_.training().training().role(NodeId(static_cast<std::uint32_t>(i)));
      totals.host = main_.training().places()[i].host_name;
      record_.nodes.push_back(std::move(totals));
    }
  }

  /// Totals of a node with its earlier processes.
  [[nodiscard]] NodeTotals totals_of(std::size_t i) const {
    const SimNode& node = *nodes()[i];
    const auto id = static_cast<NodeId>(i);
    const std::size_t host = node.place().host;
    NodeTotals totals = spent_[i];
    totals.role = main_.training().training().role(id);
    totals.host = world_.hosts[host].name;
    totals.core = node.place().core;
    totals.cpu_s += (used(i, Work::compute) + used(i, Work::transport)).seconds() + burned_s(i);
    totals.rss = std::max(*totals.rss, memory_.of(id, node.program()));
    const Traffic traffic = this->traffic(i);
    totals.tx += traffic.sent;
    totals.rx += traffic.received;
    totals.messages_sent += traffic.messages_sent;
    totals.undelivered = totals.undelivered.value_or(Bytes{}) + traffic.undelivered;
    totals.local = totals.local.value_or(Bytes{}) + traffic.within_host;
    if (world_.fabric != nullptr) {
      totals.nic_tx = world_.fabric->sent_by(host);
      totals.nic_rx = world_.fabric->received_by(host);
    }
    return totals;
  }

  const SimulateOptions& options_;
  FrameworkSpec framework_;
  World world_;
  Attempts main_;  // attempts of the training of this record
  std::vector<Colocated> colocated_jobs_;
  ResidentMemory memory_;
  bool sums_rows_;  // sums steps instead of storing rows
  std::vector<Seen> seen_;
  std::vector<NodeTotals> spent_;  // of nodes that are gone
  Duration usage_interval_;
  bool sampling_ = false;  // a sample is scheduled
  std::int64_t steps_ = 0;
  RowTally tally_;
  Record record_;
};

}  // namespace

Record simulate(const Prepared& prepared, const SimulateOptions& options) {
  check_forecastable(prepared.scenario_case);
  if (options.emulated) check_emulated(prepared.scenario_case.scenario.cluster);
  return Simulation(prepared, options).run();
}

}  // namespace foretrain::sim
