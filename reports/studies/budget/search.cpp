// The search for a cluster: first steps of all clusters, then gradients for the best.
#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/budget/first_steps.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/memory_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace foretrain {
namespace {

using Offers = std::vector<Offer*>;

/// Why the work failed; empty if it succeeded. An interruption is rethrown.
std::string why_not(const std::function<void()>& work) {
  try {
    work();
  } catch (const NotDone& error) {
    if (error.outcome() == Outcome::interrupted) throw;
    return error.what();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// @throws InputError if a network known by its shape does not fit into the devices
void refuse_too_large(const Case& scenario_case) {
  if (!scenario_case.scenario.model.by_shape()) return;
  const std::string why = does_not_fit(prepare(scenario_case, Need::shape));
  if (!why.empty()) throw InputError(why);
}

/// An offer for each cluster, fewer hosts first.
std::vector<Offer> all_offers(const BudgetBase& base, const std::vector<LibraryHost>& hosts,
                              int most_hosts) {
  std::vector<Offer> all;
  for (const int count : host_counts(most_hosts)) {
    for (const LibraryHost& each : hosts) {
      if (!each.why_not.empty()) continue;
      for (const RentedCluster& cluster : clusters_of(base.scenario_case, each.host, count)) {
        Case on = case_on(base.scenario_case, each.host, cluster, base.examples);
        all.push_back({cluster, 0, 0, std::move(on)});
      }
    }
  }
  return all;
}

Offers without_refused(const Offers& offers, BudgetAnswer& answer) {
  Offers others;
  for (Offer* each : offers) {
    if (each->refused.empty()) {
      others.push_back(each);
    } else {
      answer.refused.push_back(*each);
    }
  }
  return others;
}

/// The least times of all, from one simulation for each host and batch size. The first is made
/// alone, since the machine may have to be calibrated for it.
void bound_times(std::vector<Offer>& all, const BudgetOptions& options,
                 const BudgetAnswer& answer) {
  std::map<std::pair<std::string, int>, Offers> by_computation;
  for (Offer& each : all)
    by_computation[{each.cluster.host, each.cluster.batch_size}].push_back(&each);
  std::vector<const Offers*> kinds;
  for (const auto& [computation, offers] : by_computation) kinds.push_back(&offers);
  const auto one = [&](std::int64_t number) {
    const Offers& offers = *kinds[static_cast<std::size_t>(number)];
    const auto named = [&](const LibraryHost& h) {
      return h.host.name == offers.front()->cluster.host;
    };
    const HostSpec& host = std::ranges::find_if(answer.hosts, named)->host;
    // Nothing is known of what cannot be simulated alone.
    why_not([&] { set_least_times(offers, host, answer.base, options); });
  };
  if (!kinds.empty()) one(0);
  in_parallel(std::ssize(kinds) - 1, options.threads, [&](std::int64_t i) { one(i + 1); });
}

/// Another is faster than the offer can be, and cheaper by more than the forecast's error.
bool is_beaten(const Offer& offer, const Offers& others) {
  const double least_cost = cost_of(offer, offer.least_s);
  return std::ranges::any_of(others, [&](const Offer* other) {
    return other->refused.empty() && other->time_s <= offer.least_s && other->cost < least_cost &&
           !offer.range.close(other->cost, least_cost);
  });
}

/// The offers that could be simulated. After each block of them those that are beaten are dropped,
/// so the answer does not depend on the number of threads. A dropped offer is neither on the
/// frontier nor as cheap as the cheapest. Offers without servers come first: their simulations are
/// shortest; among them those that may cost least.
Offers time_all(std::vector<Offer>& all, const BudgetOptions& options, BudgetAnswer& answer) {
  constexpr std::ptrdiff_t kBlock = 32;
  bound_times(all, options, answer);
  Offers left;
  left.reserve(all.size());
  for (Offer& each : all) left.push_back(&each);
  std::ranges::stable_sort(left, {}, [](const Offer* each) {
    return std::pair(each->cluster.servers > 0, cost_of(*each, each->least_s));
  });
  std::mutex mutex;
  std::int64_t done = 0;
  Offers tried;
  while (!left.empty()) {
    // The first is simulated alone, as above.
    const auto block = left.begin() + (tried.empty() ? 1 : std::min(std::ssize(left), kBlock));
    in_parallel(block - left.begin(), options.threads, [&](std::int64_t number) {
      Offer& offer = *left[static_cast<std::size_t>(number)];
      offer.refused = why_not([&] {
        refuse_too_large(offer.scenario_case);
        time_offer(offer, answer.base, options);
      });
      const std::lock_guard lock(mutex);
      options.progress(++done, answer.clusters);
    });
    tried.insert(tried.end(), left.begin(), block);
    left.erase(left.begin(), block);
    std::erase_if(left, [&](const Offer* each) { return is_beaten(*each, tried); });
    done = answer.clusters - std::ssize(left);
    options.progress(done, answer.clusters);
  }
  answer.simulated = std::ssize(tried);
  std::ranges::sort(tried);  // as they stand in `all`
  return without_refused(tried, answer);
}

/// The Pareto front: offers that no other beats in both time and cost, cheapest first.
Offers frontier_of(Offers offers) {
  std::ranges::stable_sort(offers, {},
                           [](const Offer* o) { return std::pair(o->cost, o->time_s); });
  Offers frontier;
  for (Offer* each : offers) {
    if (frontier.empty() || each->time_s < frontier.back()->time_s) frontier.push_back(each);
  }
  return frontier;
}

/// A text that is equal for clusters that learn alike. The grouping of workers and the number of
/// servers are left out, since they change at most the last bits of a sum.
std::string kind_of(const Offer& offer) {
  const RentedCluster& cluster = offer.cluster;
  std::string kind =
      fmt::format("{}, {}, {}", cluster.strategy, cluster.workers, cluster.batch_size);
  const ProtocolOptions& options = offer.scenario_case.scenario.training.protocol;
  if (protocol_called(cluster.strategy).deterministic(options)) return kind;
  return fmt::format("{}, {}, {}", kind, name_of(cluster), way_of(cluster));
}

/// The frontier of each kind, in the order in which gradients of the kinds are computed.
std::vector<Offers> alike_kinds(const Offers& offers, const Bounds& bounds) {
  const Offers frontier = frontier_of(offers);
  std::map<std::string, Offers> by_kind;
  for (Offer* each : offers) by_kind[kind_of(*each)].push_back(each);
  std::vector<Offers> kinds;
  kinds.reserve(by_kind.size());
  for (auto& [name, members] : by_kind) kinds.push_back(frontier_of(std::move(members)));
  const auto rank = [&](const Offer* offer) {  // smaller is earlier
    const bool beaten = std::ranges::find(frontier, offer) == frontier.end();
    const bool holds = offer->holds(bounds);
    const double miss = std::max(offer->time_s / bounds.deadline_s, offer->cost / bounds.budget);
    return std::tuple(beaten, !holds, holds ? offer->cost : miss);
  };
  std::ranges::stable_sort(kinds, {}, [&](const Offers& kind) {
    return rank(*std::ranges::min_element(kind, {}, rank));
  });
  return kinds;
}

/// Computes the gradients of the first offer that can be simulated; the others reach the target
/// after as many steps, each in its own time. Returns whether one could be simulated.
bool learn(const Offers& kind, const BudgetBase& base, const BudgetOptions& options) {
  const Offer* learned = nullptr;
  double share = 0;  // share of the time of all steps
  for (Offer* offer : kind) {
    if (learned != nullptr) {
      offer->reached = learned->reached;
      offer->steps = learned->steps;
      if (offer->reached) set_time(*offer, offer->time_s * share);
      continue;
    }
    offer->refused = why_not([&] {
      const Record record = simulated(offer->scenario_case, options);
      learned = offer;
      const EvalReport* found = first_reaching(record.evals, base.target());
      offer->reached = found != nullptr;
      if (found == nullptr) return;
      offer->steps = found->step.value;
      const double time_s = (record.startup + (found->time - Instant{})).seconds();
      share = time_s / offer->time_s;
      set_time(*offer, time_s);
    });
  }
  return learned != nullptr;
}

/// Offers of the kinds whose gradients were computed, with time and cost until the target.
Offers time_to_target(const Offers& offers, const BudgetOptions& options, BudgetAnswer& answer) {
  std::vector<Offers> kinds = alike_kinds(offers, options.bounds);
  answer.kinds = std::ssize(kinds);
  if (kinds.size() > kMostLearned) kinds.resize(kMostLearned);
  std::mutex mutex;
  std::int64_t done = 0;
  options.learning(done, std::ssize(kinds));
  in_parallel(std::ssize(kinds), options.threads, [&](std::int64_t number) {
    const bool learned = learn(kinds[static_cast<std::size_t>(number)], answer.base, options);
    const std::lock_guard lock(mutex);
    answer.learned += learned ? 1 : 0;
    options.learning(++done, std::ssize(kinds));
  });
  Offers timed;
  for (const Offers& kind : kinds) timed.insert(timed.end(), kind.begin(), kind.end());
  timed = without_refused(timed, answer);
  answer.timed = std::ssize(timed);
  return timed;
}

}  // namespace

BudgetAnswer find_cluster(const Case& scenario_case, const BudgetOptions& options) {
  FT_CHECK(options.bounds.deadline_s > 0 && options.bounds.budget > 0 && options.most_hosts > 0);
  BudgetAnswer answer;
  answer.base = base_of(scenario_case);
  answer.bounds = options.bounds;
  answer.hosts = hosts_to_try(answer.base.scenario_case, options.library, options.names);
  for (const auto& [host, why_not] : answer.hosts) {
    const std::string& price = host.price.currency;
    if (!why_not.empty() || price.empty()) continue;
    if (answer.bounds.currency.empty()) answer.bounds.currency = price;
    if (price == answer.bounds.currency) continue;
    throw InputError(
        fmt::format("--budget: the price of {} is in {}; write it in that", host.name, price));
  }
  std::vector<Offer> all = all_offers(answer.base, answer.hosts, options.most_hosts);
  answer.clusters = std::ssize(all);
  Offers tried = time_all(all, options, answer);
  if (answer.base.target().wanted()) tried = time_to_target(tried, options, answer);
  for (const Offer* each : tried) {
    if (!each->reached) answer.not_reached.push_back(*each);
  }
  std::erase_if(tried, [](const Offer* each) { return !each->reached; });
  for (const Offer* each : frontier_of(tried)) answer.frontier.push_back(*each);
  in_parallel(std::ssize(answer.frontier), options.threads, [&](std::int64_t number) {
    Offer& each = answer.frontier[static_cast<std::size_t>(number)];
    each.limit = options.limit(begun_of(each.scenario_case, answer.base, each.first_steps));
  });
  if (const Offer* cheapest = answer.cheapest()) {
    answer.as_cheap = std::ranges::count_if(tried,
                                            [&](const Offer* each) {
                                              return each->holds(answer.bounds) &&
                                                     each->range.close(each->cost, cheapest->cost);
                                            }) -
                      1;
  }
  return answer;
}

const Offer* BudgetAnswer::cheapest() const {
  const Offer* offer = in_time();
  return offer != nullptr && offer->in_budget(bounds) ? offer : nullptr;
}

const Offer* BudgetAnswer::in_time() const {
  const auto found =
      std::ranges::find_if(frontier, [&](const Offer& o) { return o.in_time(bounds); });
  return found == frontier.end() ? nullptr : &*found;
}

const Offer* BudgetAnswer::in_budget() const {
  const Offer* fastest = nullptr;
  for (const Offer& each : frontier) {
    if (each.in_budget(bounds)) fastest = &each;
  }
  return fastest;
}

}  // namespace foretrain
