// Clusters to rent as people read them.
#include "reports/record/text.h"
#include "reports/show/terminal/tables.h"
#include "tests/reports/studies/budget/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace foretrain::testing {
namespace {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

TEST_CASE("budget table: it fits 80 columns with the answer, the frontier, what just failed") {
  const RentedJob job;
  const std::string text = budget_table(find_cluster(job.plain(), two_hosts(1000, 1.5)));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(columns_of(line) <= kTerminalColumns);
  }
  const std::string all = one_line(text);
  for (const char* part :
       {"job: fast x 2, all_reduce, batch 10: 15 min for 1.50, the cheapest that trains on 36,000 "
        "examples within 16.67 min for 1.50. connection limits it, 60 % of the critical path.",
        "small x 4, all_reduce, batch 10: 19.5 min for 1.30, 2.833 min too long",
        "could not be simulated", "  fast x 2   all_reduce     10    15 min  1.50  holds",
        "too long", "holds"}) {
    CAPTURE(part);
    CHECK(all.find(part) != std::string::npos);
  }
}

TEST_CASE("budget table: columns stay apart, ways to train are whole") {
  const RentedJob job;
  BudgetAnswer answer = find_cluster(job.plain(), two_hosts(1000, 1.5));
  REQUIRE(!answer.frontier.empty());
  Offer& offer = answer.frontier.front();
  offer.cluster.batch_size = 1280;
  offer.cluster.group = 16;
  offer.time_s = 0.003735;
  offer.cost = 2.967e-6;
  const std::string text = budget_table(answer);
  CHECK(text.find("all_reduce, groups of 16   1280  0.003735 s  2.967e-06  holds\n") !=
        std::string::npos);
}

TEST_CASE("budget table: a bought host says so") {
  const RentedJob job;
  BudgetOptions options = two_hosts(1000, 1.5);
  options.names = {"fast"};
  options.library[1].bought = true;
  const BudgetAnswer answer = find_cluster(job.plain(), options);
  const std::string all = one_line(budget_table(answer));
  for (const char* part :
       {"job: fast x 2 (bought), all_reduce", "bought, its price over the years that it is kept",
        "Bought, not rented: fast. The price of an hour is what it cost new"}) {
    CAPTURE(part);
    CHECK(all.find(part) != std::string::npos);
  }
  CHECK(to_json(answer)["cheapest"]["bought"] == true);
}

TEST_CASE("budget json: bounds, offers, what they fail by, null where there is none") {
  const RentedJob job;
  const auto json = to_json(find_cluster(job.plain(), two_hosts(1000, 1.5)));
  CHECK(json["cheapest"]["host"] == "fast");
  CHECK(json["cheapest"]["hosts"] == 2);
  CHECK(json["cheapest"]["bought"] == false);
  CHECK(json["cheapest"]["failed_by"].is_null());
  CHECK(json["cheapest"]["limit"]["share"] == 0.6);
  CHECK(json["cheapest_in_time"].is_null());
  CHECK(json["frontier"].size() == 5);
  CHECK(json["just_failed"][0]["failed_by"] == "2.833 min too long");
  CHECK(json["refused"][0]["why"] == "a batch of 10 alone");
  const auto none = to_json(find_cluster(job.plain(), two_hosts(700, 1.15)));
  CHECK(none["cheapest"].is_null());
  CHECK(none["fastest_in_budget"]["host"] == "small");
}

}  // namespace
}  // namespace foretrain::testing
