// The cheapest cluster that does a training's work in time: what if, asked the other way round.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/budget/candidates.h"
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

/// A cluster, what the work takes and costs there: of a scenario with a target (training.until)
/// until it is reached.
struct Offer {
  RentedCluster cluster;
  double time_s = 0;
  double cost = 0;  ///< the hosts' prices for that time
  Limit limit{};    ///< what limits it, where somebody looked
  Case scenario_case{};
  /// Of a scenario with a target: false where its steps do not come to it; time, cost are of all of
  /// them then.
  bool reached = true;
  std::int64_t steps = 0;      ///< of the chief until it was reached; 0: not asked about
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

/// A cluster that could not be simulated.
struct Refused {
  RentedCluster cluster;
  std::string why;
};

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
  Case scenario_case;
  Bounds bounds;
  double examples = 0;             ///< that each cluster trains on
  std::int64_t clusters = 0;       ///< that there are to try
  std::int64_t simulated = 0;      ///< of them
  std::int64_t dropped = 0;        ///< of them not: fewer of its hosts cost too much
  std::optional<Offer> cheapest;   ///< that holds both
  std::optional<Offer> in_time;    ///< none holds both: the cheapest that holds the deadline
  std::optional<Offer> in_budget;  ///< none holds both: the fastest that holds the budget
  std::vector<Offer> frontier;     ///< that no other beats in time and in cost, the cheapest first
  std::vector<Offer> just_failed;  ///< the nearest to holding both, a line for each host and count
  std::vector<Offer> not_reached;  ///< their steps do not come to the target
  std::vector<Refused> refused;    ///< in the order in which they were tried
  std::int64_t kinds = 0;          ///< with a target: of clusters that learn alike (search.h)
  std::int64_t learned = 0;        ///< of them, those whose gradients were carried out
  std::int64_t timed = 0;          ///< clusters whose time to the target that told
  std::vector<std::string> notes;  ///< what is assumed, left out; a sentence each
};

/// Steps of a worker that are simulated; after kBudgetWarmSteps of them a training goes on as it
/// does to its end.
inline constexpr int kBudgetSteps = 16;
inline constexpr int kBudgetWarmSteps = 4;
inline constexpr std::size_t kMostJustFailed = 5;
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
/// clusters of the library: fewer hosts first. Where the case has a target, that is the most that
/// is trained on, and what comes to the target is found out by gradients (offers_to_target).
///
/// Without a target a cluster is dropped where fewer of its hosts cost more than the budget however
/// they train: with linear scaling it costs as much, and nothing scales better. Where none holds
/// both bounds, these are simulated, too, so that the nearest are found.
/// The frontier is of those within the budget; of all, where none holds both.
/// @throws InputError where the scenario says what only its own cluster can have, or hosts_to_try
/// does; NotDone where a simulation is interrupted
BudgetAnswer find_cluster(const Case& scenario_case, const BudgetOptions& options);

/// Its hosts' price is of buying them (HostSpec::bought).
bool is_bought(const Offer& offer);
/// `p3.16xlarge x 2`, `dgx-a100 x 1 (bought)`
std::string cluster_text(const Offer& offer);
/// What the hosts of the case cost for that time.
double cost_on(const Case& scenario_case, double time_s);

/// `20.00`, in the currency of the prices.
std::string money_text(double cost);
/// What an offer fails by: `12 min too long, 3.20 over the budget`; empty: it holds both.
std::string what_failed(const Offer& offer, const Bounds& bounds);
/// How many gradients were carried out for the target, for which clusters: a sentence or two.
std::string search_note(const BudgetAnswer& answer);
/// What came out, a sentence or two.
std::string first_sentence(const BudgetAnswer& answer);
/// What `whatif --deadline --budget --json` prints.
nlohmann::ordered_json to_json(const BudgetAnswer& answer);

}  // namespace foretrain
