// The search itself: waves of ever more hosts, each wave on several threads.
#include "reports/studies/budget/search.h"

#include "models/base/check.h"
#include "reports/record/caveats.h"
#include "reports/record/not_done.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/input_error.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <utility>

namespace foretrain {
namespace {

/// A cluster to try.
struct Candidate {
  const HostSpec* host = nullptr;
  RentedCluster cluster;
};

/// Its first steps, for their times alone.
Case begun_of(Case whole, const BudgetBase& base) {
  Scenario& scenario = whole.scenario;
  scenario.numerics = scenario.numerics && base.sparse;
  scenario.training.until = {};
  scenario.training.evaluate_every = 0;
  scenario.training.steps = std::min<std::int64_t>(scenario.training.steps, kBudgetSteps);
  return whole;
}

/// @throws InputError, NotDone where it cannot be simulated
Offer offer_of(const Candidate& candidate, const BudgetBase& base, const BudgetOptions& options) {
  const RentedCluster& cluster = candidate.cluster;
  Case whole = case_on(base.scenario_case, *candidate.host, cluster, base.examples);
  const std::int64_t steps = whole.scenario.training.steps;
  const Record record = options.simulate(begun_of(whole, base));
  if (record.outcome != Outcome::done) throw NotDone(record.outcome, record.failure);
  const double time_s = whole_time_s(record, steps * cluster.workers);
  Offer offer{cluster, time_s, cost_on(whole, time_s), {}, std::move(whole)};
  offer.uneven_share = uneven_share(record);
  return offer;
}

class Searching {
 public:
  Searching(const BudgetBase& base, const HostsToTry& hosts, const BudgetOptions& options,
            BudgetAnswer& answer)
      : base_(base), hosts_(hosts), options_(options), answer_(answer) {}

  /// Those that could be simulated, fewer hosts first; of the others the answer tells why.
  std::vector<Offer> search() {
    std::vector<std::vector<Candidate>> waves;
    for (const int count : host_counts(options_.most_hosts)) {
      std::vector<Candidate>& wave = waves.emplace_back();
      for (const HostSpec& host : hosts_.hosts) {
        for (RentedCluster& cluster : clusters_of(base_.scenario_case, host, count)) {
          wave.push_back({&host, std::move(cluster)});
        }
      }
      answer_.clusters += std::ssize(wave);
    }
    std::vector<Candidate> dropped;
    std::set<std::string> dear;  // hosts of which fewer cost too much, however they train
    for (std::vector<Candidate>& wave : waves) {
      const auto kept = std::stable_partition(wave.begin(), wave.end(), [&](const Candidate& each) {
        return !dear.contains(each.cluster.host);
      });
      std::move(kept, wave.end(), std::back_inserter(dropped));
      wave.erase(kept, wave.end());
      note_dear(simulate(wave), dear);
    }
    const auto holds = [&](const Offer& each) { return each.holds(options_.bounds); };
    if (std::ranges::none_of(offers_, holds)) {
      simulate(dropped);
      dropped.clear();
    }
    if (!dropped.empty()) options_.progress(answer_.clusters, answer_.clusters);
    answer_.dropped = std::ssize(dropped);
    answer_.simulated = answer_.clusters - answer_.dropped;
    return std::move(offers_);
  }

 private:
  /// Where a training ends at a target, its cost is known later: so far it is that of all its
  /// steps.
  void note_dear(std::span<const Offer> offers, std::set<std::string>& dear) const {
    if (base_.target().wanted()) return;
    for (const Offer& each : offers) dear.insert(each.cluster.host);
    for (const Offer& each : offers) {
      if (each.in_budget(options_.bounds)) dear.erase(each.cluster.host);
    }
  }

  /// The first one by itself: a machine may have to be measured for it. Returns what was offered.
  std::span<const Offer> simulate(const std::vector<Candidate>& candidates) {
    std::vector<std::optional<Offer>> found(candidates.size());
    std::vector<std::string> refusals(candidates.size());
    const auto one = [&](std::int64_t number) {
      const auto i = static_cast<std::size_t>(number);
      try {
        found[i] = offer_of(candidates[i], base_, options_);
      } catch (const NotDone& error) {
        if (error.outcome() == Outcome::interrupted) throw;
        refusals[i] = error.what();
      } catch (const InputError& error) {
        refusals[i] = error.what();
      }
      const std::lock_guard lock(mutex_);
      options_.progress(++done_, answer_.clusters);
    };
    if (candidates.empty()) return {};
    one(0);
    in_parallel(std::ssize(candidates) - 1, options_.threads, [&](std::int64_t i) { one(i + 1); });
    const std::size_t before = offers_.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (found[i]) {
        offers_.push_back(std::move(*found[i]));
      } else {
        answer_.refused.push_back({candidates[i].cluster, refusals[i]});
      }
    }
    return std::span(offers_).subspan(before);
  }

  const BudgetBase& base_;
  const HostsToTry& hosts_;
  const BudgetOptions& options_;
  BudgetAnswer& answer_;
  std::vector<Offer> offers_;
  std::mutex mutex_;
  std::int64_t done_ = 0;
};

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
  const BudgetBase base = base_of(scenario_case);
  const HostsToTry hosts = hosts_to_try(base.scenario_case, options.library, options.names);
  BudgetAnswer answer;
  answer.scenario_case = base.scenario_case;
  answer.bounds = options.bounds;
  answer.examples = base.examples;
  answer.notes = assumptions(base, hosts);
  std::vector<Offer> offers = Searching(base, hosts, options, answer).search();
  if (base.target().wanted()) {
    offers = offers_to_target(std::move(offers), base, options, answer);
  }
  choose_offers(std::move(offers), answer);
  if (base.target().wanted()) answer.notes.insert(answer.notes.begin() + 1, search_note(answer));
  const auto add_limit = [&](Offer& offer) {
    offer.limit = options.limit(begun_of(offer.scenario_case, base));
  };
  for (std::optional<Offer>* each : {&answer.cheapest, &answer.in_time, &answer.in_budget}) {
    if (*each) add_limit(**each);
  }
  for (Offer& each : answer.frontier) add_limit(each);
  return answer;
}

}  // namespace foretrain
