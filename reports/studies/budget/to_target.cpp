#include "reports/studies/budget/to_target.h"

#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/studies/budget/choice.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace foretrain {
namespace {

/// Clusters that learn alike.
struct AlikeKind {
  std::vector<Offer> offers;  ///< that no other of them beats, for as many steps
  bool learned = false;       ///< the gradients of one of them were carried out
  std::vector<Offer> timed;   ///< with what they take until the target
  std::vector<Refused> refused;
};

/// The same text where clusters learn alike. In which groups workers add their gradients up, on how
/// many servers, changes at most the last bits of a sum.
std::string kind_of(const Offer& offer) {
  const RentedCluster& cluster = offer.cluster;
  std::string kind =
      fmt::format("{}, {}, {}", cluster.strategy, cluster.workers, cluster.batch_size);
  const ProtocolOptions& options = offer.scenario_case.scenario.training.protocol;
  if (protocol_called(cluster.strategy).deterministic(options)) return kind;
  return fmt::format("{}, {}, {}", kind, name_of(cluster), way_of(cluster));
}

/// Smaller: its gradients come earlier.
std::tuple<bool, bool, double> rank_of(const Offer& offer, const std::vector<Offer>& frontier,
                                       const Bounds& bounds) {
  const auto found = std::ranges::find(frontier, offer.cluster, &Offer::cluster);
  const bool holds = offer.holds(bounds);
  return {found == frontier.end(), !holds, holds ? offer.cost : miss_of(offer, bounds)};
}

/// In the order in which their gradients are carried out.
std::vector<AlikeKind> alike_kinds(std::vector<Offer> offers, const Bounds& bounds) {
  const std::vector<Offer> frontier = frontier_of(offers);
  std::map<std::string, std::vector<Offer>> by_kind;
  for (Offer& each : offers) by_kind[kind_of(each)].push_back(std::move(each));
  std::vector<AlikeKind> kinds;
  kinds.reserve(by_kind.size());
  for (auto& [name, members] : by_kind) {
    kinds.emplace_back();
    kinds.back().offers = frontier_of(std::move(members));
  }
  std::ranges::stable_sort(kinds, {}, [&](const AlikeKind& kind) {
    auto best = rank_of(kind.offers.front(), frontier, bounds);
    for (const Offer& each : kind.offers) best = std::min(best, rank_of(each, frontier, bounds));
    return best;
  });
  return kinds;
}

/// Whose gradients are carried out, on several threads.
class CarryingOut {
 public:
  CarryingOut(std::vector<AlikeKind>& kinds, const BudgetBase& base, const BudgetOptions& options)
      : kinds_(kinds), base_(base), options_(options) {}

  void carry_out() {
    const auto all = static_cast<std::int64_t>(std::min(kinds_.size(), kMostLearned));
    std::mutex mutex;
    std::int64_t done = 0;
    options_.learning(done, all);
    in_parallel(all, options_.threads, [&](std::int64_t number) {
      learn(kinds_[static_cast<std::size_t>(number)]);
      const std::lock_guard lock(mutex);
      options_.learning(++done, all);
    });
  }

  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  /// The first that can be simulated with gradients says after how many steps the others are there.
  void learn(AlikeKind& kind) {
    std::optional<std::int64_t> steps;
    for (Offer& offer : kind.offers) {
      if (kind.learned && !steps) {
        offer.reached = false;
        kind.timed.push_back(std::move(offer));
        continue;
      }
      const auto record =
          simulated(steps ? until(*steps, offer.scenario_case) : offer.scenario_case, offer, kind);
      if (interrupted_) return;
      if (!record) continue;
      const EvalReport* found =
          steps ? evaluation_at(*steps, *record) : first_reaching(record->evals, base_.target());
      kind.learned = true;
      offer.reached = found != nullptr;
      if (found != nullptr) {
        if (!steps) steps = found->step.value;
        offer.steps = *steps;
        offer.time_s = (record->startup + (found->time - Instant{})).seconds();
        offer.cost = cost_on(offer.scenario_case, offer.time_s);
      }
      kind.timed.push_back(std::move(offer));
    }
  }

  /// As long as it takes to see the evaluation after so many steps, for times alone: nobody finds
  /// the target, but all are ready to hear of it.
  [[nodiscard]] Case until(std::int64_t steps, Case whole) const {
    Scenario& scenario = whole.scenario;
    scenario.numerics = base_.sparse;
    scenario.training.steps = std::min(scenario.training.steps, steps + 1);
    return whole;
  }

  static const EvalReport* evaluation_at(std::int64_t steps, const Record& record) {
    const auto found = std::ranges::find_if(
        record.evals, [&](const EvalReport& each) { return each.step.value >= steps; });
    FT_CHECK(found != record.evals.end());
    return &*found;
  }

  /// Empty: it was interrupted, or could not be simulated, which is told.
  std::optional<Record> simulated(const Case& each, const Offer& offer, AlikeKind& kind) {
    if (interrupted_) return std::nullopt;
    try {
      Record record = options_.simulate(each);
      if (record.outcome == Outcome::done) return record;
      throw NotDone(record.outcome, record.failure);
    } catch (const NotDone& error) {
      interrupted_ = interrupted_ || error.outcome() == Outcome::interrupted;
      if (!interrupted_) kind.refused.push_back({offer.cluster, error.what()});
    } catch (const InputError& error) {
      kind.refused.push_back({offer.cluster, error.what()});
    }
    return std::nullopt;
  }

  std::vector<AlikeKind>& kinds_;
  const BudgetBase& base_;
  const BudgetOptions& options_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace

std::vector<Offer> offers_to_target(std::vector<Offer> offers, const BudgetBase& base,
                                    const BudgetOptions& options, BudgetAnswer& answer) {
  std::vector<AlikeKind> kinds = alike_kinds(std::move(offers), options.bounds);
  CarryingOut carrying(kinds, base, options);
  carrying.carry_out();
  std::vector<Offer> timed;
  for (AlikeKind& kind : kinds) {
    answer.learned += kind.learned ? 1 : 0;
    std::ranges::move(kind.timed, std::back_inserter(timed));
    std::ranges::move(kind.refused, std::back_inserter(answer.refused));
  }
  answer.kinds = std::ssize(kinds);
  answer.timed = std::ssize(timed);
  answer.interrupted = carrying.interrupted();
  if (answer.interrupted && timed.empty()) {
    throw NotDone(Outcome::interrupted, "interrupted before any cluster's time was known");
  }
  return timed;
}

}  // namespace foretrain
