// Clusters to rent, as text, as JSON.
#include "reports/record/json_object.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/result_text.h"
#include "tests/reports/studies/budget/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

namespace foretrain::testing {
namespace {

std::string text_of(const BudgetAnswer& answer, bool full) {
  const auto json = to_json(answer);
  return to_text(budget_result(JsonObject(json, "budget:")), full);
}

TEST_CASE("budget text: it fits 80 columns with the answer, the frontier, what just failed") {
  const RentedJob job;
  const BudgetAnswer answer = find_cluster(job.plain(), two_hosts(1000, 1.5));
  std::string text = text_of(answer, true);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(columns_of(line) <= kTerminalColumns);
  }
  std::ranges::replace(text, '\n', ' ');
  for (const char* part :
       {"job: fast x 2, all_reduce, batch 10: 15 min (15 min to 15 min) for 1.50, the cheapest "
        "that trains on 36,000 examples within 16.67 min for 1.50. connection limits it, 60 % of "
        "the critical path.",
        " small x 4  all_reduce      10  19.5 min   1.3 2.833 min too long",
        "could not be simulated", "fast x 2: limited by: connection"}) {
    CAPTURE(part, text);
    CHECK(text.find(part) != std::string::npos);
  }
  const std::string brief = text_of(answer, false);
  CHECK(std::ranges::count(brief, '\n') <= 20);
  CHECK(brief.find("limited by") == std::string::npos);
}

TEST_CASE("budget text: what the forecast cannot tell is close, what ties is counted") {
  const RentedJob job;
  BudgetOptions options = two_hosts(1000, 1.5);
  options.simulate = [](const Case& each) {
    Record record = by_formula(each);
    record.mode = Mode::simulate;  // with a range of 15 %
    return record;
  };
  const BudgetAnswer answer = find_cluster(job.plain(), options);
  CHECK(first_sentence(answer).find("15 min (12.75 min to 17.25 min) for 1.50") !=
        std::string::npos);
  CHECK(first_sentence(answer).ends_with(
      " It is close to the deadline and the budget: within the forecast's error, 15 %."));
  options.bounds = {860, 1.6};  // 900 s are 5 % too long
  const BudgetAnswer late = find_cluster(job.plain(), options);
  CHECK(late.cheapest() == nullptr);
  CHECK(first_sentence(late).find("1.50, close to the deadline.") != std::string::npos);
  options.bounds = {5000, 2};
  const BudgetAnswer ties = find_cluster(job.plain(), options);
  CHECK(first_sentence(ties).ends_with(
      " Other clusters that are as cheap within the forecast's error, 15 %: 1."));
}

TEST_CASE("budget text: a bought host says so") {
  const RentedJob job;
  BudgetOptions options = two_hosts(1000, 1.5);
  options.names = {"fast"};
  options.library[1].bought = true;
  const BudgetAnswer answer = find_cluster(job.plain(), options);
  CHECK(first_sentence(answer).starts_with("job: fast x 2 (bought), all_reduce"));
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
  CHECK(json["frontier"].size() == 6);
  CHECK(json["just_failed"][0]["failed_by"] == "43.33 min too long");
  CHECK(json["refused"][0]["why"] == "a batch of 10 alone");
  const auto none = to_json(find_cluster(job.plain(), two_hosts(700, 1.15)));
  CHECK(none["cheapest"].is_null());
  CHECK(none["fastest_in_budget"]["host"] == "small");
}

}  // namespace
}  // namespace foretrain::testing
