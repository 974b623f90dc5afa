// The search for a cluster: first steps of all clusters, then gradients for the best.
#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/caveats.h"
#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/studies/budget/budget.h"
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

Record simulated(const Case& scenario_case, const BudgetOptions& options) {
  Record record = options.simulate(scenario_case);
  if (record.outcome != Outcome::done) throw NotDone(record.outcome, record.failure);
  return record;
}

/// @throws InputError if a network known by its shape does not fit into the devices
void refuse_too_large(const Case& scenario_case) {
  if (!scenario_case.scenario.model.by_shape()) return;
  const std::string why = does_not_fit(prepare(scenario_case, Need::shape));
  if (!why.empty()) throw InputError(why);
}

void set_time(Offer& offer, double time_s) {
  const HostSpec& host = offer.scenario_case.scenario.cluster.hosts.front();
  offer.time_s = time_s;
  offer.cost = host.price.per_hour * host.count * time_s / 3600;
}

/// Its first steps only, for their times.
Case begun_of(Case whole, const BudgetBase& base) {
  Scenario& scenario = whole.scenario;
  scenario.numerics = scenario.numerics && base.sparse;
  scenario.training.until = {};
  scenario.training.evaluate_every = 0;
  scenario.training.steps = std::min<std::int64_t>(scenario.training.steps, kBudgetSteps);
  return whole;
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

/// The offers that could be simulated. The first is simulated alone, since the machine may have to
/// be calibrated for it.
Offers time_all(std::vector<Offer>& all, const BudgetOptions& options, BudgetAnswer& answer) {
  std::mutex mutex;
  std::int64_t done = 0;
  const auto one = [&](std::int64_t number) {
    Offer& offer = all[static_cast<std::size_t>(number)];
    const TrainingSpec& training = offer.scenario_case.scenario.training;
    offer.refused = why_not([&] {
      refuse_too_large(offer.scenario_case);
      const Record record = simulated(begun_of(offer.scenario_case, answer.base), options);
      set_time(offer, whole_time_s(record, training.steps * training.workers));
      offer.range = forecast_range(record);
      offer.uneven_share = uneven_share(record);
    });
    const std::lock_guard lock(mutex);
    options.progress(++done, answer.clusters);
  };
  if (!all.empty()) one(0);
  in_parallel(answer.clusters - 1, options.threads, [&](std::int64_t i) { one(i + 1); });
  Offers offers;
  offers.reserve(all.size());
  for (Offer& each : all) offers.push_back(&each);
  return without_refused(offers, answer);
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

double whole_time_s(const Record& record, std::int64_t gradients) {
  const double so_far_s = (record.startup + record.time).seconds();
  const auto done = std::ssize(record.steps);
  std::vector<std::int64_t> ends;
  ends.reserve(record.steps.size());
  int workers = 0;
  for (const StepRow& row : record.steps) {
    ends.push_back((row.report.start + length_of(row.report.phases)).ns);
    workers = std::max(workers, row.worker + 1);
  }
  const std::int64_t warm = std::int64_t{kBudgetWarmSteps} * workers;
  if (gradients <= done || done <= warm) return so_far_s;
  std::ranges::sort(ends);
  const Duration steady{ends.back() - ends[static_cast<std::size_t>(warm - 1)]};
  const double each_s = steady.seconds() / static_cast<double>(done - warm);
  return so_far_s + static_cast<double>(gradients - done) * each_s;
}

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
  for (const Offer* each : frontier_of(tried)) {
    answer.frontier.push_back(*each);
    answer.frontier.back().limit = options.limit(begun_of(each->scenario_case, answer.base));
  }
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
