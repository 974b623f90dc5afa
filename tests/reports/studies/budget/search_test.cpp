// A search over clusters with known times, compared with sums by hand.
#include "models/base/random.h"
#include "reports/record/not_done.h"
#include "reports/studies/budget/first_steps.h"
#include "tests/reports/studies/budget/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

using Clusters = std::vector<std::string>;

TEST_CASE("budget: the cheapest that holds both, equal to a bound is within it") {
  const RentedJob job;
  const BudgetAnswer at_deadline = find_cluster(job.plain(), two_hosts(3600, 1.2));
  REQUIRE(at_deadline.cheapest() != nullptr);
  CHECK(name_of(at_deadline.cheapest()->cluster) == "small x 1");
  CHECK(at_deadline.cheapest()->time_s == 3600);
  CHECK(at_deadline.cheapest()->cost == 1);
  CHECK(at_deadline.cheapest()->limit.resource == "connection");
  CHECK(at_deadline.base.examples == 36'000);
  const BudgetAnswer at_budget = find_cluster(job.plain(), two_hosts(900, 1.5));
  REQUIRE(at_budget.cheapest() != nullptr);
  CHECK(name_of(at_budget.cheapest()->cluster) == "fast x 2");
  CHECK(at_budget.cheapest()->cost == 1.5);
  const BudgetAnswer below = find_cluster(job.plain(), two_hosts(3599, 1.2));
  REQUIRE(below.cheapest() != nullptr);
  CHECK(name_of(below.cheapest()->cluster) == "small x 2");
}

TEST_CASE("budget: the frontier is what no other beats in both, the cheapest first") {
  const RentedJob job;
  const BudgetAnswer answer = find_cluster(job.plain(), two_hosts(1000, 1.5));
  CHECK(clusters_in(answer.frontier) ==
        Clusters{"small x 1", "small x 2", "fast x 1", "small x 4", "fast x 2", "fast x 4"});
  CHECK(answer.frontier[3].time_s == Approx(1170));
  CHECK(answer.frontier[3].cost == Approx(1.3));
}

TEST_CASE("budget: what fails is told with what it fails by") {
  const RentedJob job;
  const BudgetAnswer answer = find_cluster(job.plain(), two_hosts(1000, 1.5));
  CHECK(what_failed(answer.frontier.at(3), answer.bounds) == "2.833 min too long");
  CHECK(what_failed(answer.frontier.at(4), answer.bounds).empty());
  CHECK(what_failed(answer.frontier.at(5), answer.bounds) == "0.6 over the budget");
  const BudgetAnswer both = find_cluster(job.plain(), two_hosts(3700, 1.05));
  CHECK(what_failed({{}, 3760, 2.3}, both.bounds) == "1 min too long, 1.25 over the budget");
  CHECK(what_failed({{}, 3700, 1.05}, both.bounds).empty());
  const Offer unsure{{}, 3760, 2.3, {}, {0.9, 1.1}};
  CHECK(what_failed(unsure, both.bounds) == "close to the deadline, 1.25 over the budget");
}

TEST_CASE("budget: amounts have the currency of the prices") {
  const RentedJob job;
  BudgetOptions options = two_hosts(1000, 1.5);
  for (HostSpec& host : options.library) host.price.currency = "USD";
  const BudgetAnswer answer = find_cluster(job.plain(), options);
  CHECK(answer.bounds.currency == "USD");
  CHECK(what_failed(answer.frontier.at(5), answer.bounds) == "0.6 USD over the budget");
  CHECK_THAT(first_sentence(answer), Catch::Contains(" for 1.50 USD"));
  options.bounds.currency = "EUR";
  CHECK_THROWS_WITH(find_cluster(job.plain(), options), Catch::Contains("is in USD"));
}

TEST_CASE("budget: where none holds both, the nearest of both kinds are told") {
  const RentedJob job;
  const BudgetAnswer answer = find_cluster(job.plain(), two_hosts(700, 1.15));
  CHECK(answer.cheapest() == nullptr);
  REQUIRE((answer.in_time() && answer.in_budget()));
  CHECK(name_of(answer.in_time()->cluster) == "fast x 4");
  CHECK(name_of(answer.in_budget()->cluster) == "small x 2");
  const BudgetAnswer neither = find_cluster(job.plain(), two_hosts(10, 0.1));
  CHECK((!neither.cheapest() && !neither.in_time() && !neither.in_budget()));
  CHECK(first_sentence(neither).find("Cheapest within the deadline: none.") != std::string::npos);
}

TEST_CASE("budget: a cluster that cannot be simulated is told, an interruption ends all") {
  const RentedJob job;
  const BudgetAnswer answer = find_cluster(job.plain(), two_hosts(3600, 9));
  REQUIRE(!answer.refused.empty());
  CHECK(answer.refused.front().refused == "a batch of 10 alone");
  BudgetOptions options = two_hosts(3600, 9);
  options.simulate = [](const Case& each) {
    Record record = by_formula(each);
    record.outcome = Outcome::interrupted;
    return record;
  };
  options.names = {"small"};
  options.most_hosts = 1;
  CHECK_THROWS_AS(find_cluster(job.plain(), options), NotDone);
}

TEST_CASE("budget: a training goes on as its steps after the warm ones") {
  const RentedJob job;
  Case each = job.plain();
  each.scenario.training.steps = kBudgetSteps;
  each.scenario.training.workers = 2;
  Record record = even_steps(each, {1'000'000'000});
  // The first steps take twice as long; the others end later by the same time.
  const Duration late{kBudgetWarmSteps * 1'000'000'000LL};
  for (StepRow& row : record.steps) {
    if (row.report.step.value < kBudgetWarmSteps) {
      row.report.start = Instant{} + Duration{2'000'000'000} * row.report.step.value;
      row.report.phases.compute = {2'000'000'000};
    } else {
      row.report.start = row.report.start + late;
    }
  }
  record.time = record.time + late;
  record.startup = {5'000'000'000};
  const double so_far_s = 5 + kBudgetSteps + kBudgetWarmSteps;
  CHECK(whole_time_s(record, 2 * 1016) == Approx(so_far_s + 1000));
  CHECK(whole_time_s(record, 2 * kBudgetSteps) == so_far_s);
}

TEST_CASE("budget: steps that repeat are simulated as long as it takes to see it") {
  const RentedJob job;
  BudgetOptions options = two_hosts(1000, 1.5);
  options.names = {"small"};
  options.most_hosts = 1;
  const auto first_steps = [&] {
    return find_cluster(job.plain(), options).frontier.at(0).first_steps;
  };
  CHECK(first_steps() == kBudgetEvenSteps);
  // A step that takes a hundredth longer than the one before.
  options.simulate = [](const Case& each) {
    Record record = by_formula(each);
    for (StepRow& row : record.steps) {
      const std::int64_t step = row.report.step.value;
      row.report.phases.compute = Duration{1'000'000'000 + 10'000'000 * step};
      row.report.start = Instant{} + Duration{1'000'000'000 * step + 5'000'000 * step * (step - 1)};
    }
    return record;
  };
  CHECK(first_steps() == kBudgetSteps);
}

// Hosts with drawn prices and speeds, whose steps take a drawn part longer than their computation.
struct DrawnHosts {
  BudgetOptions options;
  std::map<std::string, double> compute_s;  // of a batch of 10
  std::atomic<int> simulated = 0;

  explicit DrawnHosts(std::uint64_t seed) {
    Stream draws(seed, "hosts");
    const auto between = [&](double low, double high) {
      return low + (high - low) * draws.uniform();
    };
    for (int number = 0; number < 6; ++number) {
      HostSpec host = priced_host("h" + std::to_string(number), 0, 1 + number % 3);
      compute_s[host.name] = between(0.05, 1);
      host.price.per_hour = host.devices * between(0.5, 2) / compute_s[host.name];
      options.library.push_back(host);
    }
    options.bounds = {between(500, 4000), between(1, 6)};
    options.most_hosts = 4;
    options.threads = 2;
    options.simulate = [this](const Case& each) {
      ++simulated;
      return record_of(each);
    };
  }
  // As simulated: with a range that differs from host to host.
  [[nodiscard]] Record record_of(const Case& each) const {
    const Scenario& s = each.scenario;
    const std::string name = s.cluster.hosts.front().name.substr(0, 2);
    const double computed_s = compute_s.at(name) * s.training.batch_size / 10;
    const std::string way =
        fmt::format("{} {} {} {} {}", name, s.cluster.hosts.front().count, s.training.strategy,
                    s.training.servers, s.training.batch_size);
    const double more = Stream(0, way).uniform();
    const bool alone = s.training.strategy == protocol_alone().name;
    Record record = even_steps(each, Duration::from_seconds(computed_s * (alone ? 1 : 1 + more)));
    record.mode = Mode::simulate;
    record.basis.emplace_back();
    if (name < "h3") record.basis.back().from = ComputeBasis::From::described;
    return record;
  }
};

std::string told(const Offer& offer) {
  return fmt::format("{}, {}, {}", name_of(offer.cluster), way_of(offer.cluster),
                     offer.cluster.batch_size);
}

TEST_CASE("budget: what is not simulated, for its computation alone, changes nothing") {
  const RentedJob job;
  std::int64_t clusters = 0;
  std::int64_t simulated = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    DrawnHosts hosts(seed);
    const BudgetAnswer answer = find_cluster(job.plain(), hosts.options);
    std::vector<Offer> all;
    for (const int count : host_counts(4)) {
      for (const HostSpec& host : hosts.options.library) {
        for (const RentedCluster& cluster : clusters_of(job.plain(), host, count)) {
          const Case on = case_on(job.plain(), host, cluster, 36'000);
          const Record record = hosts.record_of(on);
          const double time_s = record.time.seconds();
          all.push_back({cluster, time_s, host.price.per_hour * count * time_s / 3600, on,
                         forecast_range(record)});
        }
      }
    }
    Clusters expected;
    for (const Offer& one : all) {
      const auto beats = [&](const Offer& other) {
        return other.time_s <= one.time_s && other.cost <= one.cost &&
               (other.time_s < one.time_s || other.cost < one.cost);
      };
      if (std::ranges::none_of(all, beats)) expected.push_back(told(one));
    }
    Clusters found;
    for (const Offer& one : answer.frontier) found.push_back(told(one));
    std::ranges::sort(expected);
    std::ranges::sort(found);
    CHECK(found == expected);
    CHECK(answer.clusters == std::ssize(all));
    if (const Offer* cheapest = answer.cheapest()) {
      const auto as_cheap = std::ranges::count_if(all, [&](const Offer& one) {
        return one.holds(answer.bounds) && one.range.close(one.cost, cheapest->cost);
      });
      CHECK(answer.as_cheap == as_cheap - 1);
    }
    clusters += answer.clusters;
    simulated += answer.simulated;
    // One more for each host and batch size, alone.
    CHECK(hosts.simulated == answer.simulated + 6 * 3);
  }
  CHECK(3 * simulated < 2 * clusters);
}

}  // namespace
}  // namespace foretrain::testing
