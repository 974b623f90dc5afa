// Figures from records: their data, their gnuplot scripts.
#include "reports/show/figures/of_records.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"
#include "tests/support/small_files.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

namespace foretrain {
namespace {

using namespace testing;

std::vector<Record> four_records() {
  return {small_record(Mode::run, "sync"), small_record(Mode::simulate, "sync"),
          small_record(Mode::run, "async"), small_record(Mode::simulate, "async")};
}

/// Sets an environment variable until the end of the scope.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { setenv(name_, old_.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string old_;
};

bool have_gnuplot() {
  if (std::system("command -v gnuplot > /dev/null") == 0) return true;
  WARN("gnuplot was not found: no figure is drawn in this test");
  return false;
}

}  // namespace

TEST_CASE("learning curves: one colour a case, runs solid, simulations dashed") {
  const Figure figure = learning_curves(four_records());
  REQUIRE(figure.panels.size() == 2);
  const Panel& loss = figure.panels[0];
  CHECK(loss.x_label == "time [s]");
  REQUIRE(loss.series.size() == 4);
  CHECK(loss.series[0].title == "sync run");
  CHECK(loss.series[1].title == "sync simulated");
  CHECK(loss.series[3].title == "async simulated");
  CHECK(loss.series[0].colour == loss.series[1].colour);
  CHECK(loss.series[0].colour != loss.series[2].colour);
  CHECK_FALSE(loss.series[0].dashed);
  CHECK(loss.series[1].dashed);
  CHECK(loss.series[0].x == std::vector<double>{0.01, 0.1});
  CHECK(loss.series[0].y == std::vector<double>{1.5, 0.75});
  CHECK(figure.panels[1].series[2].y == std::vector<double>{0.5, 0.875});
}

TEST_CASE("learning curves: a record without numerics has no line, a panel without lines is out") {
  std::vector<Record> records = four_records();
  for (EvalReport& e : records[1].evals) e.loss = std::numeric_limits<double>::quiet_NaN();
  CHECK(learning_curves(records).panels[0].series.size() == 3);
  for (Record& record : records) record.evals.clear();
  const Figure empty = learning_curves(records);
  CHECK(empty.panels.empty());
  const TemporaryFolder folder;
  CHECK_THROWS_AS(draw(empty, folder.path()), InputError);
}

TEST_CASE("learning curves: records of several scenarios are told apart by its name") {
  std::vector<Record> records = four_records();
  records[0].scenario_case.scenario.name = "other";
  const Figure figure = learning_curves(records);
  CHECK(figure.panels[0].series[0].title == "other: sync run");
  CHECK(figure.panels[0].series[1].title == "study: sync simulated");
  CHECK(figure.panels[0].series[0].colour != figure.panels[0].series[1].colour);
}

TEST_CASE("phase bars: layers are the mean phases of a step, one bar a record") {
  const Figure figure = phase_bars(four_records());
  REQUIRE(figure.panels.size() == 1);
  const Panel& panel = figure.panels[0];
  CHECK(panel.categories ==
        std::vector<std::string>{"sync run", "sync simulated", "async run", "async simulated"});
  REQUIRE(panel.series.size() == 6);
  CHECK(panel.series[0].title == "compute");
  CHECK(panel.series[0].x == std::vector<double>{0, 1, 2, 3});
  CHECK(panel.series[0].y[0] == Approx(11));  // 44 ms in four steps
  CHECK(panel.series[5].y[0] == Approx(1.25));
}

TEST_CASE("figure data: long form, bars stand on those before them") {
  Figure figure{"f", "", {{"p, q", "", "", {}, {"bar"}}}};
  figure.panels[0].series = {{"low", {0}, {2}, false, 0}, {"high", {0}, {0.5}, false, 1}};
  CHECK(figure_csv(figure) == "panel,series,x,y,base\n\"p, q\",low,0,2,0\n\"p, q\",high,0,0.5,2\n");
  figure.panels[0].categories.clear();
  figure.panels[0].series[0].y[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(figure_csv(figure) == "panel,series,x,y,base\n\"p, q\",low,0,,0\n\"p, q\",high,0,0.5,0\n");
}

TEST_CASE("gnuplot script: text from outside stays text") {
  Figure figure = learning_curves(four_records());
  figure.title = "it's `rm -rf` \\ {/Symbol a}_2\nset output";
  const std::string script = gnuplot_script(figure);
  CHECK_THAT(script, Catch::Contains("'it''s `rm -rf` \\ {/Symbol a}_2 set output'"));
  CHECK_THAT(script, Catch::Contains("noenhanced"));
}

TEST_CASE("gnuplot script: no point lies on the frame, bars stand on their axis") {
  Figure figure{"f", "", {{"p", "x", "y", {}, {}}}};
  figure.panels[0].series = {{"points", {0, 50, 100}, {-10, 0, 10}, false, 0, Mark::points}};
  CHECK_THAT(gnuplot_script(figure),
             Catch::Contains("set xrange [-3:103]") && Catch::Contains("set yrange [-10.6:10.6]"));
  figure.panels[0].series[0].y = {20, 30, 40};
  figure.panels[0].from_zero = true;
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("set yrange [-1.2:41.2]"));
  figure.panels[0].logarithmic = Logarithmic::both;
  figure.panels[0].series[0].x = {0, 1, 1'000};  // zero cannot be shown
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("set xrange [0.81") &&
                                         Catch::Contains(":1230.2") &&
                                         Catch::Contains("set yrange [19.5"));
  const std::string bars = gnuplot_script(phase_bars(four_records()));
  CHECK_THAT(bars, Catch::Contains("set yrange [0:") && !Catch::Contains("set yrange [0:*]"));
  figure.panels[0].series[0].y.assign(3, std::numeric_limits<double>::quiet_NaN());
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("set yrange [*:*]"));
}

TEST_CASE("gnuplot script: a short axis of logarithms has figures, a long one gnuplot's own") {
  Figure figure{"f", "", {{"p", "x", "y", {}, {}, Logarithmic::both}}};
  Series& points = figure.panels[0].series.emplace_back();
  points = {"points", {1, 24}, {0.1, 0.9}, false, 0, Mark::points};
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("set xlabel 'x (log scale)'") &&
                                         Catch::Contains("set title 'p (log scale)'"));
  // Neither 10 alone for 1 to 24 nor 0.1 alone for 0.1 to 0.9.
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("  set xtics (0.5, 1, 2, 5, 10, 20, 50)\n") &&
                                         Catch::Contains("  set ytics (0.05, 0.1, 0.2, 0.5, 1)\n"));
  points.y = {310, 440};  // no 1, 2, 5 of any power
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("  set ytics (300, 350, 400, 450)\n"));
  points.y = {7, 7};
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("  set ytics (6.5, 7, 7.5, 8)\n"));
  points.x = {2, 1'500};
  points.y = {1e-300, 1e-298};
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("  set xtics auto\n  set yrange") &&
                                         Catch::Contains("  set ytics auto\n"));
  points.x = {2, 15};
  figure.panels[0].x_ticks = {2, 15};
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("  set xtics (2, 15)\n"));
  figure.panels[0].x_ticks.clear();
  figure.panels[0].logarithmic = Logarithmic::none;
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("  set xtics auto\n"));
}

TEST_CASE("figure data: arrows have a row from which, a row to which they go") {
  Figure figure{"f", "", {{"p", "x", "", {}, {}}}};
  Panel& panel = figure.panels[0];
  panel.rows = {"worker0", "server0"};
  panel.series = {{"messages", {1}, {0}, false, 0, Mark::arrow, {2}, {}, {"a gradient"}, {1}}};
  CHECK(figure_csv(figure) == "panel,series,x,y,base,x_end,value,y_end\np,messages,1,0,0,2,,1\n");
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("with vectors head"));
}

TEST_CASE("draw: SVG, PNG, PDF beside the data with its script") {
  if (!have_gnuplot()) return;
  const TemporaryFolder folder;
  Figure figure = learning_curves(four_records());
  figure.title = "a_title 'quoted' \"twice\" {braces} `x` $HOME %d ü";
  figure.panels[0].series[0].title = "it's_{odd}";
  const auto svg = draw(figure, folder.path() / "figures");
  CHECK(svg == folder.path() / "figures" / "learning_curves.svg");
  CHECK_THAT(read_text(svg), Catch::StartsWith("<?xml") && Catch::Contains("a_title") &&
                                 Catch::Contains("{braces}") && Catch::Contains("</svg>"));
  CHECK(read_text(folder.path() / "figures/learning_curves.png").substr(0, 4) == "\x89PNG");
  CHECK(read_text(folder.path() / "figures/learning_curves.pdf").substr(0, 5) == "%PDF-");
}

TEST_CASE("draw: the same figure is the same SVG") {
  if (!have_gnuplot()) return;
  const TemporaryFolder folder;
  const auto one = draw(phase_bars(four_records()), folder.path() / "one");
  const auto two = draw(phase_bars(four_records()), folder.path() / "two");
  CHECK(read_text(one) == read_text(two));
}

TEST_CASE("draw: a full disk is told, and leaves no part of a drawing") {
  if (!have_gnuplot()) return;
  const TemporaryFolder folder;
  const Figure figure = phase_bars(four_records());
  const std::string before = read_text(draw(figure, folder.path()));
  const auto script = std::filesystem::file_size(folder.path() / (figure.name + ".gp"));
  const auto data = std::filesystem::file_size(folder.path() / (figure.name + ".csv"));
  const auto fits = std::max(script, data);
  REQUIRE(before.size() > fits);
  {
    const SmallFiles full(fits);
    CHECK_THROWS_AS(draw(figure, folder.path()), WriteError);
  }
  CHECK(read_text(folder.path() / (figure.name + ".svg")) == before);
  CHECK_FALSE(std::filesystem::exists(folder.path() / ".drawn"));
}

TEST_CASE("gnuplot script: a per cent sign in a name at an axis is no format") {
  Panel panel{"changes", "saved [%]", "", {}, {}};
  panel.rows = {"one worker 30 % slower", "top-k 1 %"};
  panel.series.push_back({"saved", {0, 0}, {0, 1}, false, 0, Mark::span});
  panel.series.back().x_end = {10, 20};
  const Figure figure{"changes", "50 % saved", {panel}, "simulated"};
  CHECK_THAT(gnuplot_script(figure), Catch::Contains("'one worker 30 %% slower' 0"));
  if (!have_gnuplot()) return;
  const TemporaryFolder folder;
  CHECK_NOTHROW(draw(figure, folder.path()));
}

TEST_CASE("draw: without gnuplot the message says how to get it") {
  const TemporaryFolder folder;
  const Environment no_programs("PATH", folder.path().string());
  CHECK_THROWS_WITH(draw(learning_curves(four_records()), folder.path()),
                    Catch::Contains("apt-get install gnuplot-nox"));
}

TEST_CASE("draw: where gnuplot fails, what it said is told") {
  const TemporaryFolder folder;
  const auto program = folder.path() / "gnuplot";
  write_text(program, "#!/bin/sh\necho 'no such terminal' >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Environment only_this("PATH", folder.path().string());
  CHECK_THROWS_WITH(draw(learning_curves(four_records()), folder.path()),
                    Catch::Contains("learning_curves.gp: no such terminal"));
}

}  // namespace foretrain
