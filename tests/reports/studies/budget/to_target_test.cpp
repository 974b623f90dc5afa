// A search by the time to a target with known learning, compared with sums by hand.
#include "reports/record/not_done.h"
#include "tests/reports/studies/budget/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

/// As two_hosts, with gradients, on one thread:
///
///     hosts    steps to 0.5    small: time, cost    fast: time, cost
///     1        1,800           1,800 s, 0.5         720 s, 0.6
///     2        1,200           1,320 s, 0.7333      600 s, 1
///     4        never
BudgetOptions learning_hosts(double deadline_s, double budget) {
  BudgetOptions options = two_hosts(deadline_s, budget);
  options.threads = 1;
  options.simulate = learning_by_formula;
  return options;
}

const Target kHalf{.accuracy = 0.5};

const Offer* offer_on(const std::vector<Offer>& offers, const std::string& name) {
  const auto found = std::ranges::find_if(
      offers, [&](const Offer& each) { return name_of(each.cluster) == name; });
  return found == offers.end() ? nullptr : &*found;
}

TEST_CASE("budget target: times and costs are those until it is reached") {
  const BudgetAnswer answer = find_cluster(aimed_case(kHalf), learning_hosts(1000, 0.8));
  REQUIRE(answer.cheapest() != nullptr);
  CHECK(name_of(answer.cheapest()->cluster) == "fast x 1");
  CHECK(answer.cheapest()->time_s == Approx(720));
  CHECK(answer.cheapest()->cost == Approx(0.6));
  CHECK(answer.cheapest()->steps == 1800);
  CHECK(answer.cheapest()->limit.resource == "connection");
  // The written scenario has the same target.
  CHECK(answer.cheapest()->scenario_case.scenario.training.until == kHalf);
  CHECK(answer.cheapest()->scenario_case.scenario.numerics);
  CHECK(clusters_in(answer.frontier) ==
        std::vector<std::string>{"small x 1", "fast x 1", "fast x 2"});
  const Offer* slow = offer_on(answer.frontier, "fast x 2");
  REQUIRE(slow != nullptr);
  CHECK(slow->steps == 1200);
  CHECK(slow->time_s == Approx(600));
}

TEST_CASE("budget target: one training tells of all clusters that learn alike, of async of one") {
  BudgetOptions options = learning_hosts(1000, 0.8);
  std::map<std::string, int> learned;
  options.simulate = [&](const Case& each) {
    const TrainingSpec& training = each.scenario.training;
    if (each.scenario.numerics) {
      ++learned[training.strategy + " " + std::to_string(training.workers)];
    }
    return learning_by_formula(each);
  };
  std::vector<std::int64_t> told;
  options.learning = [&](std::int64_t done, std::int64_t /*all*/) { told.push_back(done); };
  const BudgetAnswer answer = find_cluster(aimed_case(kHalf), options);
  for (const char* once : {"all_reduce 1", "all_reduce 2", "all_reduce 4", "sync 2"}) {
    CAPTURE(once);
    CHECK(learned[once] == 1);
  }
  CHECK(learned["async 2"] > 1);
  // All-reduce with 1, 2, 4 workers, sync with 2, 4; async on either host with 1, 2 servers, with
  // four hosts 1, 2, 4 servers.
  CHECK(answer.kinds == 15);
  CHECK(answer.learned == static_cast<std::int64_t>(kMostLearned));
  CHECK(answer.timed > answer.learned);
  REQUIRE(told.size() == kMostLearned + 1);
  CHECK(told.front() == 0);
  CHECK(told.back() == static_cast<std::int64_t>(kMostLearned));
}

TEST_CASE("budget target: what never comes to it is told so, in every form") {
  const BudgetAnswer answer = find_cluster(aimed_case(kHalf), learning_hosts(1000, 0.8));
  const Offer* never = offer_on(answer.not_reached, "fast x 4");
  REQUIRE(never != nullptr);
  CHECK(what_failed(*never, answer.bounds) == "accuracy 0.5 not reached in 900 steps");
  CHECK(offer_on(answer.frontier, "fast x 4") == nullptr);
  const auto json = to_json(answer);
  CHECK(json["target"]["accuracy"] == 0.5);
  CHECK(json["cheapest"]["steps_to_target"] == 1800);
  REQUIRE(!json["not_reached"].empty());
  CHECK(json["not_reached"][0]["time_s"].is_null());
  CHECK(json["not_reached"][0]["steps_to_target"].is_null());
  CHECK(first_sentence(answer).find("the cheapest that reaches accuracy 0.5 within 16.67 min for "
                                    "0.8") != std::string::npos);
}

TEST_CASE("budget target: the last evaluation counts, where none finds it nothing holds") {
  const BudgetAnswer answer = find_cluster(aimed_case({.loss = 0.001}), learning_hosts(10'000, 10));
  // The last evaluation of one worker, after all its examples, has a loss of 0.
  REQUIRE(answer.cheapest() != nullptr);
  CHECK(answer.cheapest()->steps == 3600);
  BudgetOptions several = learning_hosts(10'000, 10);
  several.simulate = [](const Case& each) {
    Record record = learning_by_formula(each);
    for (EvalReport& eval : record.evals) eval.accuracy = 0.1;
    return record;
  };
  const BudgetAnswer none = find_cluster(aimed_case({.accuracy = 0.9}), several);
  CHECK(none.cheapest() == nullptr);
  CHECK((!none.in_time() && !none.in_budget()));
  CHECK(none.timed == std::ssize(none.not_reached));
  CHECK(first_sentence(none).find("no cluster that was tried reaches accuracy 0.9") !=
        std::string::npos);
}

TEST_CASE("budget target: an interruption ends it") {
  BudgetOptions options = learning_hosts(10'000, 10);
  options.simulate = [](const Case& each) {
    Record record = learning_by_formula(each);
    const Scenario& s = each.scenario;
    if (s.numerics && s.training.workers > 1) record.outcome = Outcome::interrupted;
    return record;
  };
  CHECK_THROWS_AS(find_cluster(aimed_case(kHalf), options), NotDone);
}

}  // namespace
}  // namespace foretrain::testing
