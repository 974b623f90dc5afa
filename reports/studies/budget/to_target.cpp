// The times until a target: gradients for the clusters that are worth them.
#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/studies/budget/search.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
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

/// As long as it takes to see the evaluation after so many steps, for times alone: nobody finds the
/// target, but all are ready to hear of it.
Case cut_after(std::int64_t steps, Case whole, const BudgetBase& base) {
  Scenario& scenario = whole.scenario;
  scenario.numerics = base.sparse;
  scenario.training.steps = std::min(scenario.training.steps, steps + 1);
  return whole;
}

const EvalReport* evaluation_at(std::int64_t steps, const Record& record) {
  const auto found = std::ranges::find_if(
      record.evals, [&](const EvalReport& each) { return each.step.value >= steps; });
  FT_CHECK(found != record.evals.end());
  return &*found;
}

/// The first that can be simulated with gradients says after how many steps the others are there.
void learn(AlikeKind& kind, const BudgetBase& base, const BudgetOptions& options) {
  std::optional<std::int64_t> steps;
  for (Offer& offer : kind.offers) {
    Record record;
    offer.reached = !kind.learned || steps;
    if (offer.reached) {
      const Case& whole = offer.scenario_case;
      try {
        record = options.simulate(steps ? cut_after(*steps, whole, base) : whole);
        if (record.outcome != Outcome::done) throw NotDone(record.outcome, record.failure);
      } catch (const NotDone& error) {
        if (error.outcome() == Outcome::interrupted) throw;
        kind.refused.push_back({offer.cluster, error.what()});
        continue;
      } catch (const InputError& error) {
        kind.refused.push_back({offer.cluster, error.what()});
        continue;
      }
      const EvalReport* found =
          steps ? evaluation_at(*steps, record) : first_reaching(record.evals, base.target());
      kind.learned = true;
      offer.reached = found != nullptr;
      if (found != nullptr) {
        steps = steps.value_or(found->step.value);
        offer.steps = *steps;
        offer.time_s = (record.startup + (found->time - Instant{})).seconds();
        offer.cost = cost_on(whole, offer.time_s);
      }
    }
    kind.timed.push_back(std::move(offer));
  }
}

}  // namespace

std::vector<Offer> offers_to_target(std::vector<Offer> offers, const BudgetBase& base,
                                    const BudgetOptions& options, BudgetAnswer& answer) {
  std::vector<AlikeKind> kinds = alike_kinds(std::move(offers), options.bounds);
  const auto all = static_cast<std::int64_t>(std::min(kinds.size(), kMostLearned));
  std::mutex mutex;
  std::int64_t done = 0;
  options.learning(done, all);
  in_parallel(all, options.threads, [&](std::int64_t number) {
    learn(kinds[static_cast<std::size_t>(number)], base, options);
    const std::lock_guard lock(mutex);
    options.learning(++done, all);
  });
  std::vector<Offer> timed;
  for (AlikeKind& kind : kinds) {
    answer.learned += kind.learned ? 1 : 0;
    std::ranges::move(kind.timed, std::back_inserter(timed));
    std::ranges::move(kind.refused, std::back_inserter(answer.refused));
  }
  answer.kinds = std::ssize(kinds);
  answer.timed = std::ssize(timed);
  return timed;
}

}  // namespace foretrain
