// The cheapest cluster that does a training's work in time: what if, asked the other way round.
#pragma once

#include "reports/record/forecast_range.h"
#include "reports/record/record.h"
#include "reports/studies/result/result.h"
#include "reports/studies/whatif/whatif.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// What has to be held; what is equal holds.
struct Bounds {
  double deadline_s = 0;
  double budget = 0;  ///< in the currency of the hosts' prices
};

/// Hosts alike, how they train. Each has as many workers as devices, else one; servers are on the
/// same hosts in turn.
struct RentedCluster {
  std::string host;  ///< as the library calls it
  int hosts = 1;
  int workers = 1;
  std::string strategy;
  int servers = 0;
  int group = 1;       ///< of workers that add up among themselves first
  int batch_size = 1;  ///< of each worker

  bool operator==(const RentedCluster&) const = default;
};

/// `p3.16xlarge x 2`
std::string name_of(const RentedCluster& cluster);
/// `all_reduce, groups of 8`, `sync, 2 servers`
std::string way_of(const RentedCluster& cluster);

struct LibraryHost {
  HostSpec host;
  std::string why_not;  ///< it is not tried; empty: it is
};

/// Those of `library` that are called as in `names`, in that order; where that is empty, all: tried
/// are those that are rented at a price, not bought, and have a device where the case's gradients
/// were timed on one (a profile, `compute:`).
/// @throws InputError where a name is none of the library, stands twice, its host has no price or
/// misses the device; where prices are in two currencies; where none is tried
std::vector<LibraryHost> hosts_to_try(const Case& base, const std::vector<HostSpec>& library,
                                      const std::vector<std::string>& names);

/// 1, 2, 4, ... below `most`, then `most`.
std::vector<int> host_counts(int most);

/// The ways to train on so many of a host: every strategy whose workers go in step at the
/// statistical efficiency of synchronous SGD, what those are weighed against, the scenario's own;
/// with 1, 2, 4, ... servers, at most one a host; of several devices a host, in groups of these.
/// The batch as it is, twice, half of it, where the scenario says how compute grows with it. A
/// strategy with servers needs a second worker; one that does not fit so many workers, or the
/// scenario's compression, is no way.
std::vector<RentedCluster> clusters_of(const Case& base, const HostSpec& host, int hosts);

/// The case on that cluster, with `examples` to train on, on a star of such hosts. Nothing of the
/// scenario's own hosts stays but `compute:`.
Case case_on(const Case& base, const HostSpec& host, const RentedCluster& cluster, double examples);

/// A cluster, what the work takes and costs there: of a scenario with a target (training.until)
/// until it is reached.
struct Offer {
  RentedCluster cluster;
  double time_s = 0;
  double cost = 0;  ///< the hosts' prices for that time
  Case scenario_case{};
  ForecastRange range{};   ///< of time and cost
  std::string refused{};   ///< why it could not be simulated; empty: it could
  Limit limit{};           ///< what limits it, where somebody looked
  bool reached = true;     ///< false: its steps do not come to the target; time, cost are of all
  std::int64_t steps = 0;  ///< of the chief until it was reached; 0: not asked about
  std::string uneven_share{};  ///< of its first steps (caveats.h)

  [[nodiscard]] bool in_time(const Bounds& bounds) const {
    return reached && time_s <= bounds.deadline_s;
  }
  [[nodiscard]] bool in_budget(const Bounds& bounds) const {
    return reached && cost <= bounds.budget;
  }
  [[nodiscard]] bool holds(const Bounds& bounds) const {
    return in_time(bounds) && in_budget(bounds);
  }
};

/// The training that is tried on clusters.
struct BudgetBase {
  /// As it was given, without checkpoints; a profile's device is that of the scenario's own hosts,
  /// where it names none. Without a target for times alone: without evaluations, too.
  Case scenario_case;
  double examples = 0;      ///< its work; with a target the most of it
  bool sparse = false;      ///< gradients are carried out for times, too: sizes depend on them
  bool shortened = false;   ///< it has evaluations or checkpoints, which were left out
  bool own_device = false;  ///< the profile's device is that of the scenario's hosts

  /// At which it ends; may be none.
  [[nodiscard]] const Target& target() const { return scenario_case.scenario.training.until; }
};

/// @throws InputError where the scenario says what only its own cluster can have: links, leaves,
/// faults, failures, neighbours, a host that ships batches, stragglers by their numbers, gradients
/// that take other times on other hosts
BudgetBase base_of(const Case& scenario_case);

struct BudgetOptions {
  Bounds bounds;
  std::vector<HostSpec> library;   ///< hosts that there are, with their prices
  std::vector<std::string> names;  ///< of those to try; empty: all that fit (hosts_to_try)
  int most_hosts = 8;              ///< of one cluster
  int threads = 1;                 ///< that simulate at once; the answer does not depend on it
  /// Simulates a case, with the rows of its steps: of kBudgetSteps at most, or of all until the
  /// target; called from several threads at once.
  std::function<Record(const Case&)> simulate;
  /// What limits such a case.
  std::function<Limit(const Case&)> limit = [](const Case&) { return Limit{}; };
  /// Told after each cluster, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
  /// With a target told the same, once before, of the kinds whose gradients are carried out.
  std::function<void(std::int64_t done, std::int64_t all)> learning = [](auto, auto) {};
};

struct BudgetAnswer {
  BudgetBase base;
  Bounds bounds;
  std::vector<LibraryHost> hosts;
  std::int64_t clusters = 0;       ///< that were tried
  std::vector<Offer> frontier;     ///< that no other beats in time and in cost, the cheapest first
  std::int64_t as_cheap = 0;       ///< others that hold both, no dearer by more than the range
  std::vector<Offer> not_reached;  ///< their steps do not come to the target
  std::vector<Offer> refused;      ///< could not be simulated
  std::int64_t kinds = 0;          ///< with a target: of clusters that learn alike
  std::int64_t learned = 0;        ///< of them, those whose gradients were carried out
  std::int64_t timed = 0;          ///< clusters whose time to the target that told

  // All are on the frontier; null: none is.
  [[nodiscard]] const Offer* cheapest() const;   ///< that holds both
  [[nodiscard]] const Offer* in_time() const;    ///< the cheapest that holds the deadline
  [[nodiscard]] const Offer* in_budget() const;  ///< the fastest that holds the budget
};

/// Steps of a worker that are simulated; after kBudgetWarmSteps of them a training goes on as it
/// does to its end.
inline constexpr int kBudgetSteps = 16;
inline constexpr int kBudgetWarmSteps = 4;
/// Kinds of clusters whose gradients are carried out for a target, at most: each costs as much as
/// training in this one process until there.
inline constexpr std::size_t kMostLearned = 12;

/// What the whole training takes, s: what it took so far, then each gradient what those after the
/// first kBudgetWarmSteps of each worker took,
///
///     time of the record + (gradients in all - gradients so far) x
///         (end of the last - end of the warm ones) / (gradients so far - warm ones)
double whole_time_s(const Record& record, std::int64_t gradients);

/// Tries the work of the case (steps x workers x batch examples; gradients are not carried out) on
/// clusters of the library.
///
/// Where the case has a target, its work is the most that is trained on. Clusters learn alike where
/// strategy, workers, batch are the same and no timing decides the order of gradients
/// (Protocol::deterministic): one training in virtual time, with gradients, tells after how many
/// steps the target is reached on all of them, and for which share of the time of all steps. Other
/// clusters are a kind each. Of a kind those are left out that another beats in time and in cost.
/// Gradients are carried out for kMostLearned kinds: first those with a cluster that none of any
/// kind beats, of these the ones with a cluster that holds both bounds, the cheapest first, then
/// the nearest to both. The time ends where the evaluation begins that finds the target, as
/// `time_to_target_s` of a record, with the start-up before it.
/// @throws InputError as base_of, hosts_to_try; NotDone where a simulation is interrupted
BudgetAnswer find_cluster(const Case& scenario_case, const BudgetOptions& options);

/// The bounds that an offer misses: `12 min too long, 3.20 over the budget`, `close to the
/// deadline` where the forecast cannot tell; empty: it holds both.
std::string what_failed(const Offer& offer, const Bounds& bounds);
/// The assumptions, a sentence each: the work first, then whose gradients' times.
std::vector<std::string> assumptions(const BudgetAnswer& answer);
/// The answer in a sentence.
std::string first_sentence(const BudgetAnswer& answer);
/// What `whatif --deadline --budget --json` prints.
nlohmann::ordered_json to_json(const BudgetAnswer& answer);
/// The frontier, what does not come to the target. `budget`: what to_json made.
Result budget_result(const JsonObject& budget);

}  // namespace foretrain
