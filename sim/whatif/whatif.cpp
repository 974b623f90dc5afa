#include "sim/whatif/whatif.h"

#include "models/protocol/registry.h"
#include "reports/record/caveats.h"
#include "reports/record/not_done.h"
#include "reports/record/source.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/parallel/in_parallel.h"
#include "reports/studies/whatif/whatif_data.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/least_network.h"
#include "scenarios/resolve/prepared.h"
#include "sim/whatif/crossover.h"
#include "sim/whatif/intervention.h"
#include "sim/whatif/limit.h"
#include "sim/whatif/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::sim {
namespace {

constexpr double kFaster = 1 / 1.01;     // 1 % faster: for an elasticity
constexpr double kHopeless = 10;         // times as long
constexpr double kNoElasticity = 0.005;  // if more negative: another order of work, not shown

// A case that is simulated for one figure of one change.
struct ChangeJob {
  Case scenario_case;
  TimeFactors time_factors;
  std::size_t change = 0;  // of WhatIf::changes
  std::optional<double> Change::*figure = &Change::time_s;
};

// Collects the changes and simulates them.
class Asking {
 public:
  Asking(const Prepared& prepared, DataSets& data_sets, const WhatIfOptions& options)
      : options_(options),
        trials_(prepared, options.simulate, data_sets),
        carried_out_(prepared.scenario_case.scenario.numerics),
        price_(price_per_hour(prepared)) {}

  WhatIf ask() {
    check_failures();
    ask_base();
    add_resource_changes();
    add_scenario_changes();
    simulate_all();
    finish_changes();
    whatif_.crossovers = find_crossovers(trials_);
    if (options_.search) {
      auto best = find_best(trials_, whatif_.range);
      for (Crossover& each : best) each.asked = true;
      std::ranges::move(best, std::back_inserter(whatif_.crossovers));
    }
    if (options_.run) verify();
    return std::move(whatif_);
  }

  [[nodiscard]] const Record& base() const { return record_; }

 private:
  // The effects of changes would drown in the randomness of failures; a history covers one attempt.
  void check_failures() const {
    const Case& base = trials_.base();
    const auto& hosts = base.scenario.cluster.hosts;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (hosts[i].mtbf.ns == 0) continue;
      const std::string key = fmt::format("cluster.hosts[{}].mtbf", i);
      fail_at(base.place_of(key), key,
              "whatif needs a training without failures; remove it, or compare simulations");
    }
    const auto& faults = base.scenario.faults;
    for (std::size_t i = 0; i < faults.size(); ++i) {
      if (!faults[i].restart_after) continue;
      const auto killed = NodeId(node_called(base.scenario, faults[i].kill).value());
      if (!begins_again(trials_.training(), killed, 0)) continue;
      const std::string key = fmt::format("faults[{}].restart_after", i);
      fail_at(
          base.place_of(key), key,
          fmt::format("whatif needs a training without restarts, and all nodes restart with {}; "
                      "remove it, or compare simulations",
                      faults[i].kill));
    }
  }

  void ask_base() {
    record_ = trials_.simulate(trials_.base(), {{}, &history_}, options_.threads);
    if (record_.outcome != Outcome::done) throw NotDone(record_.outcome, record_.failure);
    whatif_.scenario_case = trials_.base();
    whatif_.machine = record_.machine;
    whatif_.uncalibrated = record_.uncalibrated;
    whatif_.source = source_of(record_);
    whatif_.stands_on = stands_on(record_);
    whatif_.measure = trials_.measure();
    whatif_.examples = trials_.examples();
    whatif_.time_s = trials_.time_of(record_);
    whatif_.range = forecast_range(record_);
    whatif_.no_time = trials_.no_time_of(record_);
    whatif_.cost = cost(price_.per_hour, whatif_.time_s);
    whatif_.currency = price_.currency;
    whatif_.staleness_mean = mean_staleness(record_);
    whatif_.uneven_share = uneven_share(record_);
    add_path(critical_path(history_, Instant{} + record_.time));
  }

  void add_path(const CriticalPath& path) {
    whatif_.path_s = path.length.seconds();
    whatif_.path_whole = path.whole;
    whatif_.queued = path.length.ns > 0 ? path.queued.seconds() / path.length.seconds() : 0;
    whatif_.path = path_shares(path);
    whatif_.limit = limit_of(path);
    network_share_ = network_share(path);
  }

  void name_limit() {
    const auto change_of = [&](std::string_view resource) -> const Change* {
      const auto& all = resource_changes();
      const auto found = std::ranges::find(all, resource, &ResourceChange::resource);
      return found == all.end() ? nullptr : whatif_.find(found->name);
    };
    Limit& limit = whatif_.limit;
    const Change* change = change_of(limit.resource);
    // If ports at both ends of a wire are full, neither helps by itself.
    const Change* network = change_of("every NIC");
    const bool nic = limit.resource.find("NIC") != std::string::npos;
    if (nic && change != nullptr && network != nullptr && whatif_.time_s) {
      const auto saved = [&](const Change& c) { return *whatif_.time_s - c.time_s.value_or(0); };
      if (saved(*change) < saved(*network) / 4) {
        limit = {"every NIC", network_share_};
        change = network;
      }
    }
    if (change != nullptr) limit.change = change->name;
  }

  // Tries only resources with activities: others cannot gain anything.
  void add_resource_changes() {
    std::array<bool, kResources> used{};
    for (const Activity& activity : history_.activities()) {
      used[static_cast<std::size_t>(activity.resource)] = true;
    }
    history_ = {};
    for (const ResourceChange& each : resource_changes()) {
      const auto is_used = [&](Resource r) { return used[static_cast<std::size_t>(r)]; };
      const auto several = std::ssize(each.resources) > 1;
      const auto count = std::ranges::count_if(each.resources, is_used);
      if (count < (several ? 2 : 1)) continue;
      // The time to a target includes no evaluations.
      if (trials_.has_target() && each.resources.front() == Resource::evaluation) continue;
      const std::size_t index = add_change(std::string(each.name), each.what);
      const auto paced = [&](double factor) {
        TimeFactors time_factors;
        for (const Resource resource : each.resources) time_factors.set(resource, factor);
        return time_factors;
      };
      const Case& base = trials_.base();
      jobs_.push_back({base, paced(each.factor), index, &Change::time_s});
      if (!trials_.has_target()) {
        jobs_.push_back({base, paced(kFaster), index, &Change::elasticity});
      }
      if (each.factor > 0) jobs_.push_back({base, paced(0), index, &Change::free_time_s});
    }
  }

  void add_scenario_changes() {
    for (const ScenarioChange& each : scenario_changes()) {
      if (each.forecast_alone && carried_out_) continue;
      Case changed = trials_.base();
      const auto why = each.apply(changed.scenario);
      if (!why) continue;
      const std::size_t index = add_change(each.name, each.what);
      whatif_.changes[index].kind = each.kind;
      whatif_.changes[index].statistical_efficiency = each.statistical_efficiency;
      whatif_.changes[index].why_not = *why;
      if (!why->empty()) continue;
      trials_.keep_examples(changed.scenario);
      std::string hopeless = why_hopeless(changed.scenario);
      if (hopeless.empty()) {
        jobs_.push_back({std::move(changed), {}, index, &Change::time_s});
      } else {
        whatif_.changes[index].why_not = std::move(hopeless);
      }
    }
  }

  // A change whose messages alone take many times as long is not simulated: such changes, a server
  // for many workers, take longest to simulate.
  [[nodiscard]] std::string why_hopeless(const Scenario& changed) const {
    const bool sparse = trials_.training().network->sparse();
    if (sparse || trials_.has_target() || !whatif_.time_s) return {};
    const Bytes gradient{trials_.training().layout->parameters * 4};
    const double least_s =
        static_cast<double>(changed.training.steps) * least_network_s(changed, gradient);
    if (least_s < kHopeless * *whatif_.time_s) return {};
    return fmt::format("its messages alone take {:.0f} times as long", least_s / *whatif_.time_s);
  }

  std::size_t add_change(const std::string& name, std::string_view what) {
    Change change;
    change.name = name;
    change.what = what;
    whatif_.changes.push_back(std::move(change));
    return whatif_.changes.size() - 1;
  }

  void simulate_all() {
    std::mutex mutex;
    std::int64_t done = 0;
    in_parallel(std::ssize(jobs_), options_.threads, [&](std::int64_t number) {
      const ChangeJob& job = jobs_[static_cast<std::size_t>(number)];
      const Trial trial = trials_.tried(job.scenario_case, job.time_factors);
      const std::lock_guard lock(mutex);
      Change& change = whatif_.changes[job.change];
      change.*job.figure = trial.time_s;
      if (job.figure == &Change::time_s) {
        change.why_not = trial.why_not;
        change.cost = cost(trial.price_per_hour, trial.time_s);
        change.staleness_mean = trial.staleness_mean;
        change.uneven_share = trial.uneven_share;
      }
      if (options_.progress) options_.progress(++done, std::ssize(jobs_));
    });
  }

  // True if a change that cannot harm (or cannot help) does so, which is due to another order of
  // work.
  [[nodiscard]] bool reordered(const Change& change) const {
    constexpr double kTold = 0.0005;
    if (!whatif_.time_s || trials_.has_target()) return false;
    const auto over = [&](std::optional<double> time_s) {
      return time_s ? *time_s / *whatif_.time_s - 1 : 0;
    };
    if (change.name == kSlowerWorker) return over(change.time_s) < -kTold;
    const bool more = change.kind == Change::Kind::resource || change.name == kDoubleCores ||
                      change.name == kDoubleConnections;
    return more && std::max(over(change.time_s), over(change.free_time_s)) > kTold;
  }

  void finish_changes() {
    for (Change& change : whatif_.changes) {
      change.reordered = reordered(change);
      if (change.reordered) change.elasticity.reset();
      if (!change.elasticity) continue;
      // Holds the time with the resource 1 % faster so far.
      const double faster_s = *change.elasticity;
      change.elasticity.reset();
      if (whatif_.time_s && faster_s > 0) {
        change.elasticity = std::log(*whatif_.time_s / faster_s) / std::log(1 / kFaster);
        if (*change.elasticity < -kNoElasticity) change.elasticity.reset();
      }
    }
    name_limit();
    std::ranges::stable_sort(whatif_.changes, {}, [](const Change& change) {
      constexpr double kNever = std::numeric_limits<double>::infinity();
      return std::pair(!change.why_not.empty(), change.time_s.value_or(kNever));
    });
  }

  [[nodiscard]] static std::optional<double> cost(double price_per_hour,
                                                  std::optional<double> time_s) {
    if (price_per_hour == 0 || !time_s) return std::nullopt;
    return price_per_hour * *time_s / 3600;
  }

  [[nodiscard]] double run_s(const Case& scenario_case) const {
    const Record record = options_.run(scenario_case);
    if (record.outcome != Outcome::done) throw NotDone(record.outcome, record.failure);
    const auto time_s = trials_.time_of(record);
    if (!time_s) throw InputError("a run did not reach the target");
    return *time_s;
  }

  // Alternates the runs, so that a machine that slows down affects both.
  void run_both(const Case& changed, Verified& verified) const {
    std::vector<double> before;
    std::vector<double> after;
    for (int i = 0; i < options_.repetitions; ++i) {
      before.push_back(run_s(trials_.base()));
      after.push_back(run_s(changed));
    }
    verified.before_s = median(before).value();
    verified.after_s = median(after).value();
  }

  // A scenario can be run; a faster resource cannot.
  void verify() {
    const auto can = [&](const Change& change) {
      const bool asked = options_.verify.empty() || options_.verify == change.name;
      return asked && change.kind != Change::Kind::resource && change.time_s &&
             !change_to_verify(change.name).forecast_alone;
    };
    const auto change = std::ranges::find_if(whatif_.changes, can);
    if (change == whatif_.changes.end()) {
      const Change* asked = whatif_.find(options_.verify);
      const bool tried = asked == nullptr || asked->why_not.empty();
      const std::string why = tried ? "cannot be run here" : "was not tried: " + asked->why_not;
      whatif_.not_verified = options_.verify.empty() ? "no change can be run here"
                                                     : fmt::format("{} {}", options_.verify, why);
      return;
    }
    Case changed = trials_.base();
    change_to_verify(change->name).apply(changed.scenario);
    trials_.keep_examples(changed.scenario);
    if (!whatif_.time_s) {
      whatif_.not_verified = "the unchanged training does not reach its target";
      return;
    }
    try {
      Verified verified{change->name, options_.repetitions, 0, 0, *whatif_.time_s, *change->time_s};
      run_both(Trials::checked(std::move(changed)), verified);
      whatif_.verified = verified;
    } catch (const InputError& error) {
      whatif_.not_verified = error.what();
    }
  }

  const WhatIfOptions& options_;
  Trials trials_;
  bool carried_out_;  // gradients, whatever is compared here
  Price price_;       // of the unchanged training
  History history_;
  Record record_;
  double network_share_ = 0;  // of the path: all NICs
  std::vector<ChangeJob> jobs_;
  WhatIf whatif_;
};

void add_phases(WhatIf& whatif, const Record& recorded, const Record& simulated) {
  const Summary one = summarize(recorded);
  const Summary other = summarize(simulated);
  const auto steps = [](const Summary& s) {
    return static_cast<double>(std::max<std::int64_t>(1, s.steps));
  };
  const auto path = recorded_path(recorded);
  for (const auto& [name, of] : kPhases<double>) {
    PhasePair pair{
        std::string(name), one.phases.*of / steps(one), other.phases.*of / steps(other), {}};
    if (path) pair.path_s = *path.*of;
    whatif.phases.push_back(pair);
  }
}

}  // namespace

void check_asked(const std::vector<Case>& cases, const WhatIfOptions& options) {
  if (!options.verify.empty()) change_to_verify(options.verify);
  const auto searchable = [](const Case& each) { return nothing_to_search(each.scenario).empty(); };
  if (!options.search || cases.empty() || std::ranges::any_of(cases, searchable)) return;
  throw InputError("--crossover: " + nothing_to_search(cases.front().scenario));
}

WhatIf ask_what_if(const Prepared& prepared, DataSets& data_sets, const WhatIfOptions& options) {
  return Asking(prepared, data_sets, options).ask();
}

WhatIf ask_what_if(const Record& record, const Prepared& prepared, DataSets& data_sets,
                   const WhatIfOptions& options) {
  Asking asking(prepared, data_sets, options);
  WhatIf whatif = asking.ask();
  whatif.recorded =
      fmt::format("of a {} on {}", record.mode == Mode::run ? "run" : "simulation", record.machine);
  add_phases(whatif, record, asking.base());
  return whatif;
}

}  // namespace foretrain::sim
