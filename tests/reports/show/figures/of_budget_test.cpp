// Clusters to rent as a drawing, as a page.
#include "reports/show/figures/of_budget.h"

#include "reports/show/page/budget_page.h"
#include "tests/reports/studies/budget/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain::testing {
namespace {

const Series& series_called(const Figure& figure, const std::string& title) {
  const auto& all = figure.panels.front().series;
  const auto found = std::ranges::find(all, title, &Series::title);
  REQUIRE(found != all.end());
  return *found;
}

TEST_CASE("budget figure: the frontier in hours and cost, the bounds across all of it") {
  const RentedJob job;
  const Figure figure = budget_figure(find_cluster(job.plain(), two_hosts(1000, 1.5)));
  const Series& frontier = series_called(figure, "frontier");
  CHECK(frontier.x.size() == 5);
  CHECK(frontier.x.front() == 1);
  CHECK(frontier.y.front() == 1);
  CHECK(frontier.names.front() == "small x 1, all_reduce, batch 10");
  CHECK(series_called(figure, "cheapest that holds both").y.front() == 1.5);
  const Series& deadline = series_called(figure, "deadline");
  CHECK(deadline.x.front() == deadline.x.back());
  CHECK(deadline.y.back() == Approx(2.1));  // as far as what just failed
  CHECK(gnuplot_script(figure).find("budget.csv") != std::string::npos);
}

TEST_CASE("budget page: the sentence, the frontier, what just failed by what") {
  const RentedJob job;
  const Page page = budget_page(find_cluster(job.plain(), two_hosts(1000, 1.5)));
  CHECK(page.sentence.find("the cheapest that trains on 36,000 examples") != std::string::npos);
  REQUIRE(page.sections.front().tables.size() == 2);
  CHECK(page.sections.front().tables[0].rows.size() == 5);
  CHECK(page.sections.front().tables[1].rows[0].back().text == "2.833 min too long");
  CHECK(page_html(page, {}, "").find("Clusters to rent") != std::string::npos);
  BudgetOptions nothing = two_hosts(10, 0.1);
  nothing.simulate = [](const Case&) -> Record { throw InputError("no machine"); };
  CHECK(figures_of(budget_page(find_cluster(job.plain(), nothing))).empty());
}

}  // namespace
}  // namespace foretrain::testing
