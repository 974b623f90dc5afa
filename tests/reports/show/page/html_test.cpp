// The text of a page: complete, self-contained, small.
#include "reports/show/page/assets.h"
#include "reports/show/page/page.h"
#include "reports/show/page/page_report.h"
#include "reports/show/page/sections.h"
#include "tests/reports/show/page/support.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace foretrain {
namespace {

using namespace testing;

constexpr const char* kScript = "let page;";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("page: every section that has something, in order, with links") {
  const Page page = page_of_everything();
  const std::string html = page_html(page, {}, kScript);
  for (const char* id : {"summary", "validation", "sweep", "whatif", "learning", "phases",
                         "resources", "timeline", "steps", "staleness"}) {
    CAPTURE(id);
    CHECK(count(html, std::string("<section id=\"") + id + "\"") == 1);
    CHECK(count(html, std::string("href=\"#") + id + "\"") == 1);
  }
  CHECK_THAT(html, Catch::Contains("sync is forecast 10 % too fast."));
  CHECK(count(html, "data-figure=") == figures_of(page).size());
}

TEST_CASE("page: text from outside stays text, in markup and in data") {
  Found found;
  found.records = {small_record(Mode::run, "sync")};
  found.records[0].scenario_case.scenario.name = "</script><b>&\"x\"";
  found.sentences = {"a < b & c"};
  const std::string html = page_html(page_of(found), {}, kScript);
  CHECK_THAT(html, !Catch::Contains("<b>"));
  CHECK_THAT(html, Catch::Contains("&lt;/script&gt;&lt;b&gt;&amp;&quot;x&quot;"));
  CHECK_THAT(html, Catch::Contains("a &lt; b &amp; c"));
  CHECK(count(html, "</script>") == 2);
  const auto begin = html.find("id=\"drawn-figures\">") + 19;
  const auto json =
      nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  CHECK_THAT(json["figures"][0]["title"].get<std::string>(), Catch::StartsWith("</script><b>&"));
}

TEST_CASE("page: a word of the field in a heading has its meaning, also for the keyboard") {
  CHECK_THAT(page_html(page_of_everything(), {}, kScript),
             Catch::Contains("><abbr title=\"updates of the parameters between the pull and the "
                             "push of a gradient\" tabindex=\"0\">staleness</abbr>"));
}

TEST_CASE("page: its own policy forbids whatever would leave the file") {
  const std::string html = page_html(page_of_everything(), {}, kScript);
  CHECK_THAT(html, Catch::Contains("default-src 'none'"));
  CHECK_THAT(html, !Catch::Contains("http://") && !Catch::Contains("https://"));
}

TEST_CASE("page: without a script pictures stand in the figures' places, or how to get them") {
  const Page page = page_of_everything();
  Pictures pictures;
  pictures["learning_curves"] = "<svg>Man</svg>";
  const std::string html = page_html(page, pictures, "");
  CHECK(count(html, "<script") == 0);
  CHECK_THAT(html, Catch::Contains("data:image/svg+xml;base64,PHN2Zz5NYW48L3N2Zz4="));
  CHECK(count(html, "is not drawn: gnuplot") == figures_of(page).size() - 1);
}

TEST_CASE("page: base64 ends in as many equals signs as it has to") {
  Page page;
  page.sections = {{"a", "A", "", {}, {{"one", "", {{}}}, {"two", "", {{}}}}}};
  const std::string html = page_html(page, {{"one", "M"}, {"two", "Ma"}}, "");
  CHECK_THAT(html, Catch::Contains("base64,TQ==\"") && Catch::Contains("base64,TWE=\""));
}

TEST_CASE("page: ten thousand steps of two workers fit into 2 MB, script and all") {
  Found found;
  found.records = {long_record(10'000), long_record(10'000), long_record(10'000),
                   long_record(10'000)};
  const std::string html = page_html(page_of(found));
  CHECK(html.size() <= 2'000'000);
  if (!page_is_interactive()) WARN("the script is not in it: this build had no npm");
}

TEST_CASE("page: the same report is the same page") {
  CHECK(page_html(page_of_everything()) == page_html(page_of_everything()));
}

TEST_CASE("page: the script cannot end the element that holds it, has its licences") {
  if (!page_is_interactive()) {
    WARN("this build had no npm: there is no script");
    return;
  }
  const std::string script(page_script());
  CHECK_THAT(script, !Catch::Contains("</script"));
  CHECK_THAT(script, Catch::Contains("vega-lite") && Catch::Contains("Redistribution and use"));
}

TEST_CASE("summary of records: what a narrow screen shows is time, range, accuracy") {
  const Table table = sections_of(records_with_usage()).at(0).tables.at(0);
  CHECK(table.columns.at(0).name == "record");
  CHECK(table.columns.at(1).name == "time [s]");
  CHECK(table.columns.at(2).name == "range [s]");
  CHECK(table.columns.at(3).name == "accuracy");
  CHECK(table.rows.at(0).at(1).text == "0.1");
  CHECK(table.rows.at(0).at(3).text == "0.875");
  CHECK(table.columns.back().name == "from");
}

TEST_CASE("summary of records: what forecasts stand on is told, cost has its currency") {
  Record record = small_record(Mode::simulate, "sync");
  record.basis = {{ComputeBasis::From::given, "20 ms", "", 0, 0, false, {"n"}}};
  HostSpec host;
  host.name = "n";
  host.price = {36, "EUR"};
  record.scenario_case.scenario.cluster.hosts = {host};
  record.nodes[0].host = "n";
  const Section summary = sections_of({record}).at(0);
  CHECK_THAT(summary.text,
             Catch::StartsWith("Assumptions: compute times of n are given by the scenario") &&
                 Catch::EndsWith("with real runs."));
  const Table& table = summary.tables.at(0);
  const auto cost =
      std::ranges::find(table.rows, "cost", [](const auto& row) { return row.at(0).text; });
  REQUIRE(cost != table.rows.end());
  CHECK(cost->at(1).text == "0.001 EUR");
  CHECK_THAT(page_html(page_of({{record}, {}, {}, {}, "", ""}), {}, kScript),
             !Catch::Contains(", calibrated"));
}

}  // namespace foretrain
