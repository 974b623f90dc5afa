// The search itself: waves of ever more hosts, each wave on several threads.
#include "models/base/check.h"
#include "reports/record/caveats.h"
#include "reports/record/not_done.h"
#include "reports/studies/budget/assumptions.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/budget/choice.h"
#include "reports/studies/budget/to_target.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/input_error.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace foretrain {
namespace {

/// A cluster with what became of it.
struct Candidate {
  enum class State : std::uint8_t { waiting, dropped, offered, refused };

  const HostSpec* host = nullptr;
  RentedCluster cluster;
  std::optional<std::size_t> smaller;  ///< of its kind with fewer hosts
  State state = State::waiting;
  Offer offer;
  std::string why_refused;
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

class Searching {
 public:
  Searching(const BudgetBase& base, const HostsToTry& hosts, const BudgetOptions& options)
      : base_(base), options_(options) {
    std::size_t wave_begins = 0;
    for (const int count : host_counts(options.most_hosts)) {
      const std::size_t smaller_begin = std::exchange(wave_begins, candidates_.size());
      for (const HostSpec& host : hosts.hosts) add(host, count, smaller_begin, wave_begins);
      waves_.emplace_back(wave_begins, candidates_.size());
    }
  }

  void search() {
    for (const auto& [begin, end] : waves_) {
      for (std::size_t i = begin; i < end; ++i) {
        Candidate& each = candidates_[i];
        if (each.smaller && too_dear(candidates_[*each.smaller])) {
          each.state = Candidate::State::dropped;
          ++done_;
        }
      }
      simulate(begin, end, Candidate::State::waiting);
    }
    if (std::ranges::any_of(candidates_, [&](const Candidate& each) { return holds(each); })) {
      return;
    }
    done_ -= count(Candidate::State::dropped);
    simulate(0, candidates_.size(), Candidate::State::dropped);
  }

  [[nodiscard]] std::int64_t count(Candidate::State state) const {
    return std::ranges::count(candidates_, state, &Candidate::state);
  }

  /// Those that could be simulated; of the others the answer tells why.
  std::vector<Offer> give(BudgetAnswer& answer) {
    answer.clusters = std::ssize(candidates_);
    answer.dropped = count(Candidate::State::dropped);
    answer.simulated = answer.clusters - answer.dropped;
    std::vector<Offer> offers;
    offers.reserve(candidates_.size());
    for (Candidate& each : candidates_) {
      if (each.state == Candidate::State::offered) offers.push_back(std::move(each.offer));
      if (each.state == Candidate::State::refused) {
        answer.refused.push_back({each.cluster, each.why_refused});
      }
    }
    return offers;
  }

 private:
  void add(const HostSpec& host, int hosts, std::size_t smaller_begin, std::size_t smaller_end) {
    for (RentedCluster& cluster : clusters_of(base_.scenario_case, host, hosts)) {
      Candidate candidate;
      candidate.host = &host;
      candidate.smaller = smaller_of(cluster, smaller_begin, smaller_end);
      candidate.cluster = std::move(cluster);
      candidates_.push_back(std::move(candidate));
    }
  }

  /// Of the same kind in the wave before; with as many servers, or else with the most that it has.
  [[nodiscard]] std::optional<std::size_t> smaller_of(const RentedCluster& cluster,
                                                      std::size_t begin, std::size_t end) const {
    std::optional<std::size_t> found;
    for (std::size_t i = begin; i < end; ++i) {
      const RentedCluster& other = candidates_[i].cluster;
      const bool alike = other.host == cluster.host && other.strategy == cluster.strategy &&
                         other.batch_size == cluster.batch_size && other.servers <= cluster.servers;
      if (!alike) continue;
      if (!found || candidates_[*found].cluster.servers < other.servers) found = i;
    }
    return found;
  }

  /// Where it ends at a target its cost is known later: so far it is that of all its steps.
  [[nodiscard]] bool too_dear(const Candidate& smaller) const {
    if (base_.target().wanted()) return false;
    if (smaller.state == Candidate::State::dropped) return true;
    return smaller.state == Candidate::State::offered && !smaller.offer.in_budget(options_.bounds);
  }

  [[nodiscard]] bool holds(const Candidate& each) const {
    return each.state == Candidate::State::offered && each.offer.holds(options_.bounds);
  }

  /// The first one by itself: a machine may have to be measured for it.
  void simulate(std::size_t begin, std::size_t end, Candidate::State state) {
    std::vector<Candidate*> chosen;
    for (std::size_t i = begin; i < end; ++i) {
      if (candidates_[i].state == state) chosen.push_back(&candidates_[i]);
    }
    const auto one = [&](std::int64_t number) {
      offer(*chosen[static_cast<std::size_t>(number)]);
      const std::lock_guard lock(mutex_);
      options_.progress(++done_, std::ssize(candidates_));
    };
    if (chosen.empty()) return;
    one(0);
    in_parallel(std::ssize(chosen) - 1, options_.threads, [&](std::int64_t i) { one(i + 1); });
  }

  void offer(Candidate& candidate) const {
    const RentedCluster& cluster = candidate.cluster;
    Case whole = case_on(base_.scenario_case, *candidate.host, cluster, base_.examples);
    const std::int64_t steps = whole.scenario.training.steps;
    candidate.state = Candidate::State::refused;
    try {
      const Record record = options_.simulate(begun_of(whole, base_));
      if (record.outcome == Outcome::interrupted) throw NotDone(record.outcome, record.failure);
      if (record.outcome != Outcome::done) {
        candidate.why_refused = record.failure;
        return;
      }
      const double time_s = whole_time_s(record, steps * cluster.workers);
      candidate.offer = {cluster, time_s, cost_on(whole, time_s), {}, std::move(whole)};
      candidate.offer.uneven_share = uneven_share(record);
      candidate.state = Candidate::State::offered;
    } catch (const InputError& error) {
      candidate.why_refused = error.what();
    }
  }

  const BudgetBase& base_;
  const BudgetOptions& options_;
  std::vector<Candidate> candidates_;  // fewer hosts first
  std::vector<std::pair<std::size_t, std::size_t>> waves_;
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
  Searching searching(base, hosts, options);
  searching.search();
  BudgetAnswer answer;
  answer.scenario_case = base.scenario_case;
  answer.bounds = options.bounds;
  answer.examples = base.examples;
  answer.notes = assumptions(base, hosts);
  std::vector<Offer> offers = searching.give(answer);
  if (base.target().wanted()) {
    offers = offers_to_target(std::move(offers), base, options, answer);
  }
  choose_offers(std::move(offers), answer);
  if (base.target().wanted()) answer.notes.insert(answer.notes.begin() + 1, search_note(answer));
  if (answer.interrupted) return answer;
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
