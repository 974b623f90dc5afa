// Figures of steps, resources, time from records.
#include "reports/show/figures/of_records.h"

#include "reports/show/figures/axes.h"
#include "reports/show/figures/downsample.h"
#include "tests/reports/show/page/support.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

namespace foretrain {
namespace {

using namespace testing;

double most(const Series& series) { return *std::ranges::max_element(series.y); }

}  // namespace

TEST_CASE("step by step: a million rows are thinned, one slow step stays") {
  const Figure figure = step_by_step({long_record(500'000)});
  REQUIRE(figure.panels.size() == 2);
  const Series& times = figure.panels[0].series.at(0);
  CHECK(times.x.size() <= kMostPoints);
  CHECK(most(times) > 780);  // ms: it waited for 777
  CHECK(most(figure.panels[1].series.at(0)) == 9.5);
  CHECK(*std::ranges::min_element(figure.panels[1].series.at(1).y) == 0.25);
  CHECK(figure.stacked);
}

TEST_CASE("step by step: of one record a colour a worker, of several a colour a record") {
  Record record = long_record(10);
  for (StepRow& row : record.steps) {
    if (row.worker == 1) row.report.phases.compute = {40'000'000};
  }
  const Figure one = step_by_step({record});
  REQUIRE(one.panels.at(0).series.size() == 2);
  CHECK(one.panels[0].series[0].title == "worker0");
  CHECK(one.panels[0].series[1].title == "worker1");
  CHECK(one.panels[0].series[0].colour != one.panels[0].series[1].colour);
  CHECK_THAT(one.title, Catch::StartsWith("study: sync, step by step, worker1 is slowest, 42 ms"));
  const Figure both = step_by_step({record, small_record(Mode::run, "sync")});
  CHECK(both.panels.at(0).series.at(0).title == "sync simulated");
  CHECK_THAT(both.title, Catch::StartsWith("study: step by step, the longest "));
  Record many = record;
  many.steps.front().worker = 7;
  CHECK(steps_by_worker(many, "s").panels.empty());
  CHECK(step_by_step({many}).panels.at(0).series.size() == 1);
}

TEST_CASE("step by step: one step that took long does not flatten the others") {
  CHECK_FALSE(step_by_step({small_record(Mode::run, "sync")}).panels.at(0).log_y());
  Panel panel = step_by_step({long_record(1'000)}).panels.at(0);
  CHECK(panel.log_y());
  CHECK_FALSE(panel.log_x());
  CHECK_FALSE(panel.from_zero);
  panel.logarithmic = Logarithmic::none;
  panel.series[0].y[0] = 0;  // cannot be shown on such an axis
  spread_outliers(panel);
  CHECK_FALSE(panel.log_y());
}

TEST_CASE("titles of figures say what they show") {
  const std::vector<Record> records = records_with_usage();
  CHECK(learning_curves({records[0]}).title ==
        "study: learning against time, accuracy 0.8750 after 0.1 s");
  CHECK(learning_curves(records).title ==
        "study: learning against time, all reach accuracy 0.8750");
  std::vector<Record> other = records;
  other[2].evals.back().accuracy = 0.9;
  CHECK(learning_by_step(other).title ==
        "study: learning against steps, async run has the best final accuracy, 0.9000 after 0.1 s");
  CHECK(phase_bars(records).title == "study: compute takes 38 % of the mean step");
  CHECK(staleness_histogram(records).title == "study: staleness of the gradients, 2 at most");
}

TEST_CASE("staleness: shares of the steps, of the records in which a gradient was late") {
  const Figure figure = staleness_histogram(records_with_usage());
  REQUIRE(figure.panels.size() == 1);
  const auto& series = figure.panels[0].series;
  REQUIRE(series.size() == 2);
  CHECK(series[0].title == "async run");
  CHECK(series[0].y == std::vector<double>{50, 25, 25});
  CHECK(series[0].names == std::vector<std::string>{"0", "1", "2"});
  CHECK(series[0].x_end[0] == Approx(series[1].x[0]));
  CHECK(staleness_histogram({records_with_usage()[0]}).panels.empty());
}

TEST_CASE("staleness: more values than columns share them") {
  Record record = records_with_usage()[0];
  record.steps[0].report.staleness = 100;
  const Figure figure = staleness_histogram({record});
  const Series& series = figure.panels.at(0).series.at(0);
  CHECK(series.x.size() <= 40);
  CHECK(series.names[1] == "3 to 5");
  CHECK(series.y.back() == 25);
}

TEST_CASE("resources: rates of each node's intervals, over one axis") {
  const Figure figure = resources(records_with_usage()[0], "resources");
  REQUIRE(figure.panels.size() == 4);
  CHECK(figure.stacked);
  CHECK(figure.source == "run on bench, avx2 kernels");
  const Panel& cpu = figure.panels[0];
  REQUIRE(cpu.series.size() == 3);
  CHECK(cpu.series[2].title == "server0");
  REQUIRE(cpu.series[0].x.size() == 4);
  CHECK(cpu.series[0].x[2] == Approx(0.075));
  CHECK(cpu.series[0].y[1] == Approx(44));               // 11 ms of 25
  CHECK(figure.panels[1].series[2].y[0] == 3);           // MB
  CHECK(figure.panels[2].series[0].y[3] == Approx(10));  // 250 kB in 25 ms
}

TEST_CASE("resources: of many nodes the mean, the most") {
  Record record = records_with_usage()[0];
  for (int node = 3; node < 20; ++node) {
    record.nodes.push_back(record.nodes[0]);
    record.nodes.back().role = "worker" + std::to_string(node);
    record.usage.push_back({Instant{100'000'000}, node, 0.1, 0, {-1}, {0}, {0}});
  }
  const Panel cpu = resources(record, "resources").panels.at(0);
  REQUIRE(cpu.series.size() == 4);
  CHECK(cpu.series[0].title == "workers, mean");
  CHECK(cpu.series[1].title == "workers, most of any");
  CHECK(cpu.series[1].y.back() == Approx(100));
  CHECK(cpu.series[0].y.back() < 100);
}

TEST_CASE("timeline: phases stand one after another, a row a worker, the server below") {
  const Record record = records_with_usage()[0];
  const Figure figure = timeline(record, "timeline");
  REQUIRE(figure.panels.size() == 1);
  CHECK(figure.title.find(" % of the workers' time") != std::string::npos);
  const Panel& panel = figure.panels[0];
  CHECK(panel.rows == std::vector<std::string>{"worker0", "worker1", "server0"});
  const Series& compute = panel.series[0];
  const Series& push = panel.series[1];
  CHECK(compute.title == "compute");
  CHECK(compute.x_end[0] == Approx(push.x[0]));
  CHECK(compute.x[0] == Approx(record.steps[0].report.start.seconds() * 1e3));
  REQUIRE(panel.view);
  CHECK(panel.view->first <= compute.x[0]);
}

TEST_CASE("timeline: arrows are the messages between workers and servers") {
  const Record record = records_with_usage()[0];
  const Panel panel = timeline(record, "timeline").panels.at(0);
  const auto found = std::ranges::find(panel.series, "messages", &Series::title);
  REQUIRE(found != panel.series.end());
  CHECK(found->mark == Mark::arrow);
  REQUIRE(found->x.size() == 8);  // two steps of two workers, in both directions
  // Step 0 of worker0: computed at 4 ms, pushed by 5, applied at 8, pulled by 10.
  CHECK(found->x[0] == Approx(4));
  CHECK(found->x_end[0] == Approx(5));
  CHECK(found->y[0] == 0);
  CHECK(found->y_end[0] == 2);
  CHECK(found->names[0] == "gradient of step 0, worker0 to server0");
  CHECK(found->x[1] == Approx(8));
  CHECK(found->x_end[1] == Approx(10));
  CHECK(found->y[1] == 2);
  CHECK(found->y_end[1] == 0);
  CHECK(found->names[1] == "parameters after step 0, server0 to worker0");
  CHECK(found->y[2] == 1);
  for (std::size_t i = 0; i < found->x.size(); ++i) CHECK(found->x[i] < found->x_end[i]);
}

TEST_CASE("timeline: of many messages those of some steps, without servers none") {
  Record record = long_record(1'000);
  const std::vector<StepRow> two = record.steps;
  for (int worker = 2; worker < 8; worker += 2) {
    for (StepRow row : two) {
      row.worker += worker;
      record.steps.push_back(row);
    }
  }
  const auto messages_in = [](const Record& shown) {
    const Panel panel = timeline(shown, "timeline").panels.at(0);
    const auto found = std::ranges::find(panel.series, "messages", &Series::title);
    return found == panel.series.end() ? Series{} : *found;
  };
  const Series messages = messages_in(record);
  CHECK(messages.x.size() >= 80);
  CHECK(messages.x.size() <= 176);
  CHECK(std::ranges::count(messages.y, 7) > 0);
  std::erase_if(record.nodes, [](const NodeTotals& node) { return node.role == "server0"; });
  CHECK(messages_in(record).x.empty());
}

TEST_CASE("timeline: of a long training the middle, with less of it in view at first") {
  const Panel panel = timeline(long_record(10'000), "timeline").panels.at(0);
  CHECK(panel.series[0].x.front() > 40'000);
  CHECK(panel.series[0].x.size() <= 82);
  REQUIRE(panel.view);
  CHECK(panel.view->second < panel.series[0].x_end.back());
}

TEST_CASE("phases: a record without rows has its bar, too") {
  Record record = small_record(Mode::simulate, "sync");
  record.step_totals = StepTotals{2, {{4'000'000}, {}, {}, {}, {}, {}}, 0, {2'000'000}};
  record.steps.clear();
  const Figure figure = phase_bars({record});
  REQUIRE(figure.panels.size() == 1);
  CHECK(figure.panels[0].series[0].y[0] == Approx(2));
}

TEST_CASE("legend: the same case twice has two names, two colours") {
  const Record run = small_record(Mode::run, "sync");
  const Legend legend = legend_of({run, run, small_record(Mode::simulate, "sync")});
  CHECK(legend.titles == std::vector<std::string>{"sync run", "sync (2) run", "sync simulated"});
  CHECK(legend.colours == std::vector<int>{0, 1, 0});
}

TEST_CASE("figures of records: gnuplot draws each of them") {
  if (std::system("command -v gnuplot > /dev/null") != 0) {
    WARN("gnuplot was not found: no figure is drawn in this test");
    return;
  }
  const TemporaryFolder folder;
  const std::vector<Record> records = records_with_usage();
  const auto figures = {step_by_step(records), staleness_histogram(records),
                        resources(records[0], "resources"), timeline(records[0], "timeline")};
  for (const Figure& figure : figures) {
    CAPTURE(figure.name);
    CHECK_THAT(read_text(draw(figure, folder.path())),
               Catch::Contains("run on bench") && Catch::Contains("</svg>"));
  }
}

}  // namespace foretrain
