// The cheapest cluster that does a training's work within a deadline.
#pragma once

#include "reports/record/forecast_range.h"
#include "reports/record/record.h"
#include "reports/studies/result/result.h"
#include "reports/studies/whatif/whatif_data.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Upper bounds on time and cost; a value equal to its bound meets it.
struct Bounds {
  double deadline_s = 0;
  double budget = 0;       ///< in the currency of the hosts' prices
  std::string currency{};  ///< of the budget; if empty, find_cluster sets it to that of prices
};

/// A cluster of equal hosts with a way to train on it. Each host has a worker per device, or one
/// without devices; servers are placed on the hosts round robin.
struct RentedCluster {
  std::string host;  ///< name in the library
  int hosts = 1;
  int workers = 1;
  std::string strategy;
  int servers = 0;
  int group = 1;       ///< workers in a group of hierarchical all-reduce; 1 if there are none
  int batch_size = 1;  ///< per worker

  bool operator==(const RentedCluster&) const = default;
};

/// `p3.16xlarge x 2`
std::string name_of(const RentedCluster& cluster);
/// `all_reduce, groups of 8`, `sync, 2 servers`
std::string way_of(const RentedCluster& cluster);

struct LibraryHost {
  HostSpec host;
  std::string why_not;  ///< why it is not tried; empty if it is
};

/// The hosts of `library` with these `names`, in that order. Without names all hosts; tried are
/// those that have a rental price, are not bought, and have a device if the gradients of the case
/// were timed on one (a profile, `compute:`).
/// @throws InputError if a name is not in the library, occurs twice, or its host lacks a price or a
/// needed device; if prices are in two currencies; if no host is tried
std::vector<LibraryHost> hosts_to_try(const Case& base, const std::vector<HostSpec>& library,
                                      const std::vector<std::string>& names);

/// 1, 2, 4, ... below `most`, then `most`.
std::vector<int> host_counts(int most);

/// The ways to train on `hosts` of this host: every strategy with workers in lockstep and the
/// statistical efficiency of synchronous SGD, the strategies that those are weighed against, the
/// scenario's own strategy. With 1, 2, 4, ... servers, at most one per host; with groups of the
/// devices of a host if it has several. Batch sizes: the scenario's, twice, half of it, if the
/// scenario tells how compute time depends on it. Left out are server strategies with one worker,
/// strategies that do not allow so many workers, and those that cannot use the scenario's
/// compression.
std::vector<RentedCluster> clusters_of(const Case& base, const HostSpec& host, int hosts);

/// The case on that cluster: a star of such hosts, with `examples` to train on. Of the scenario's
/// own hosts only `compute:` is retained.
Case case_on(const Case& base, const HostSpec& host, const RentedCluster& cluster, double examples);

/// A cluster with the time and cost of the work on it: until the target is reached if the scenario
/// has one (training.until).
struct Offer {
  RentedCluster cluster;
  double time_s = 0;
  double cost = 0;  ///< price of the hosts for that time
  Case scenario_case{};
  ForecastRange range{};   ///< of time and cost
  double least_s = 0;      ///< `time_s` cannot be less
  int first_steps = 0;     ///< simulated for its time, kBudgetSteps or kBudgetEvenSteps
  std::string refused{};   ///< why it could not be simulated; else empty
  Limit limit{};           ///< its bottleneck, if it was determined
  bool reached = true;     ///< false: all steps do not reach the target; time and cost are of all
  std::int64_t steps = 0;  ///< of the chief until the target; 0 without one
  std::string uneven_share{};  ///< uneven_share (caveats.h) of its first steps

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

/// The training whose cluster is searched.
struct BudgetBase {
  /// The given case without checkpoints; without evaluations, too, if it has no target. A profile
  /// that names no device gets that of the scenario's own hosts.
  Case scenario_case;
  double examples = 0;      ///< its work; an upper limit if it has a target
  Bytes gradient{};         ///< of one worker, not packed
  bool sparse = false;      ///< gradients are computed even for times: sizes depend on them
  bool shortened = false;   ///< it had evaluations or checkpoints, which were removed
  bool own_device = false;  ///< the profile's device was taken from the scenario's hosts

  /// Target that ends the training; may be none.
  [[nodiscard]] const Target& target() const { return scenario_case.scenario.training.until; }
};

/// @throws InputError if the scenario sets what only its own cluster can have: links, leaf
/// switches, faults, failures, neighbours, a host that ships batches, stragglers by worker number,
/// gradients whose time depends on the host
BudgetBase base_of(const Case& scenario_case);

struct BudgetOptions {
  Bounds bounds;
  std::vector<HostSpec> library;   ///< available hosts with prices
  std::vector<std::string> names;  ///< hosts to try; empty: all that fit (hosts_to_try)
  int most_hosts = 8;              ///< largest number of hosts in a cluster
  int threads = 1;                 ///< simulating threads; the answer does not depend on it
  /// Simulates a case, recording its step rows: kBudgetSteps steps at most, or all until the
  /// target. Called from several threads at once.
  std::function<Record(const Case&)> simulate;
  /// Determines the bottleneck of such a case, likewise from several threads at once.
  std::function<Limit(const Case&)> limit = [](const Case&) { return Limit{}; };
  /// Called after each cluster, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
  /// With a target, called likewise for each kind whose gradients are computed, and once before.
  std::function<void(std::int64_t done, std::int64_t all)> learning = [](auto, auto) {};
};

struct BudgetAnswer {
  BudgetBase base;
  Bounds bounds;
  std::vector<LibraryHost> hosts;
  std::int64_t clusters = 0;    ///< number of clusters tried
  std::int64_t simulated = 0;   ///< of these; the others are beaten (find_cluster)
  std::vector<Offer> frontier;  ///< Pareto front of time and cost, cheapest first
  std::int64_t as_cheap = 0;    ///< other offers within both bounds at the same cost, by the range
  std::vector<Offer> not_reached;  ///< offers whose steps do not reach the target
  std::vector<Offer> refused;      ///< offers that could not be simulated
  std::int64_t kinds = 0;          ///< with a target: number of kinds, of clusters that learn alike
  std::int64_t learned = 0;        ///< kinds whose gradients were computed
  std::int64_t timed = 0;          ///< clusters whose time to the target is known from those kinds

  // The three are on the frontier; null if none qualifies.
  [[nodiscard]] const Offer* cheapest() const;   ///< within both bounds
  [[nodiscard]] const Offer* in_time() const;    ///< the cheapest within the deadline
  [[nodiscard]] const Offer* in_budget() const;  ///< the fastest within the budget
};

/// Largest number of kinds of clusters whose gradients are computed for a target: each costs as
/// much as a training on this machine until the target.
inline constexpr std::size_t kMostLearned = 12;

/// Searches the clusters of the library for one that does the work of the case (steps x workers x
/// batch examples; without computing gradients). Without a target a cluster is not simulated if it
/// is slower and dearer than another even if only its computation or its messages are counted:
/// branch and bound (Land and Doig, An Automatic Method of Solving Discrete Programming Problems,
/// Econometrica 28, 1960).
///
/// If the case has a target, this work is the limit of the training. Clusters of one kind learn
/// alike: strategy, workers and batch are equal, and no timing decides the order of gradients
/// (Protocol::deterministic). One simulation with gradients then gives for the whole kind the
/// number of steps to the target, with their share of the time of all steps. Any other cluster is a
/// kind by itself. Within a kind, clusters that another beats in both time and cost are left out.
/// Gradients are computed for at most kMostLearned kinds. Kinds with a cluster on the frontier of
/// all kinds come first; among them those with a cluster within both bounds, cheapest first, then
/// those nearest to both bounds. The time ends when the evaluation begins that meets the target,
/// like `time_to_target_s` of a record, but includes start-up.
/// @throws InputError as base_of, hosts_to_try; NotDone if a simulation is interrupted
BudgetAnswer find_cluster(const Case& scenario_case, const BudgetOptions& options);

/// The bounds that an offer misses: `12 min too long, 3.20 over the budget`; `close to the
/// deadline` if it misses by less than the forecast's error. Empty if it meets both.
std::string what_failed(const Offer& offer, const Bounds& bounds);
/// The assumptions, a sentence each: first the work, then the source of compute times.
std::vector<std::string> assumptions(const BudgetAnswer& answer);
/// The answer in a sentence.
std::string first_sentence(const BudgetAnswer& answer);
/// The object that `whatif --deadline --budget --json` prints.
nlohmann::ordered_json to_json(const BudgetAnswer& answer);
/// The frontier and the clusters that miss the target, from an object of to_json.
Result budget_result(const JsonObject& budget);

}  // namespace foretrain
