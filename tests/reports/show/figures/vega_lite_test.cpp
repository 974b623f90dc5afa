// Figures as Vega-Lite specifications: axes, columns, marks.
#include "reports/show/figures/vega_lite.h"

#include "reports/show/figures/of_records.h"
#include "tests/reports/show/page/support.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <set>

namespace foretrain {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

Figure figure_of(Series series) { return {"f", "title", {{"p", "x [s]", "y [m]", {series}, {}}}}; }

std::set<std::string> layers_of(const Json& panel) {
  std::set<std::string> names;
  for (const Json& layer : panel["spec"]["layer"]) names.insert(layer["name"].get<std::string>());
  return names;
}

}  // namespace

TEST_CASE("Vega-Lite: a line with its axes, their units, its points column by column") {
  const Json panel = vega_lite(figure_of({"run", {0, 1, 2}, {5, 6, 7}, false, 1}))["panels"][0];
  CHECK(panel["columns"]["x"] == Json({0.0, 1.0, 2.0}));
  CHECK(panel["columns"]["y"] == Json({5.0, 6.0, 7.0}));
  CHECK(panel["columns"]["k"] == Json({0.0, 0.0, 0.0}));
  CHECK(panel["series"][0]["colour"] == "var(--series-1)");
  CHECK(panel["spec"]["encoding"]["x"]["axis"]["title"] == "x [s]");
  CHECK(panel["y_label"] == "y [m]");
  CHECK(panel["spec"]["data"]["name"] == "rows");
  CHECK(layers_of(panel) == std::set<std::string>{"line0", "points", "hover"});
}

TEST_CASE("Vega-Lite: unknown figures are null, long ones are short, near ones stay apart") {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const Json y = vega_lite(
      figure_of({"run", {0, 1, 2}, {1.0 / 3, unknown, 100}}))["panels"][0]["columns"]["y"];
  CHECK(y.dump() == "[0.333333,null,100.0]");
  const Json near =
      vega_lite(figure_of({"run", {3600.0001, 3600.0002}, {0, 0}}))["panels"][0]["columns"]["x"];
  CHECK(near[0] != near[1]);
}

TEST_CASE("Vega-Lite: bars on categories lie, each from where the one before it ended") {
  const Json panel = vega_lite(phase_bars({small_record(Mode::run, "sync")}))["panels"][0];
  CHECK(panel["columns"]["x"][1] == panel["columns"]["x_end"][0]);
  CHECK(panel["x_label"] == "time [ms]");
  CHECK(panel["columns"]["name"][0] == "sync run");
  CHECK(layers_of(panel) == std::set<std::string>{"bars", "names"});
}

TEST_CASE("Vega-Lite: a part is shown first where the figure says so") {
  const Json panel = vega_lite(timeline(long_record(1000), "t"))["panels"][0];
  const Json parameters = panel["spec"]["params"];
  CHECK(parameters[0]["name"] == "x_from");
  CHECK(parameters[0]["value"].get<double>() >= panel["extent"][0].get<double>());
  CHECK(parameters[1]["value"].get<double>() < panel["extent"][1].get<double>());
}

TEST_CASE("Vega-Lite: an axis of logarithms has room at both ends, marks where they are wanted") {
  Figure figure = figure_of({"run", {1, 2, 8}, {5, 6, 7}});
  figure.panels[0].logarithmic = Logarithmic::x;
  figure.panels[0].x_ticks = {1, 2, 8};
  const Json panel = vega_lite(figure)["panels"][0];
  CHECK(panel["extent"][0].get<double>() < 1);
  CHECK(panel["extent"][0].get<double>() > 0);
  CHECK(panel["extent"][1].get<double>() > 8);
  CHECK(panel["spec"]["encoding"]["x"]["scale"]["type"] == "log");
  CHECK(panel["spec"]["encoding"]["x"]["axis"]["values"] == Json({1.0, 2.0, 8.0}));
  CHECK_FALSE(panel["spec"]["encoding"]["y"]["scale"].contains("type"));
  CHECK(panel["spec"]["encoding"]["y"]["scale"]["padding"].get<int>() > 0);
}

TEST_CASE("Vega-Lite: every bar has its name, a long one several lines") {
  Series bars{"saved", {}, {}, false, 0, Mark::span};
  Figure figure = figure_of(bars);
  for (int i = 0; i < 21; ++i) figure.panels[0].rows.push_back("change " + std::to_string(i));
  figure.panels[0].rows[3] = "a change with a name that is too long for its line";
  const Json spec = vega_lite(figure)["panels"][0]["spec"];
  const Json& axis = spec["encoding"]["y"]["axis"];
  CHECK(axis["values"].size() == 21);
  CHECK(axis["tickCount"] == 21);
  CHECK(axis["labelOverlap"] == false);
  CHECK(spec["params"][4]["value"][3] == "a change with a name that\nis too long for its line\n");
  CHECK(spec["height"].get<int>() >= 21 * 3 * 14);
}

TEST_CASE("Vega-Lite: an axis of logarithms says so, has round numbers at its ends") {
  Figure figure = figure_of({"run", {1, 2}, {3, 700}});
  figure.panels[0].logarithmic = Logarithmic::both;
  const Json panel = vega_lite(figure)["panels"][0];
  CHECK(panel["y_note"] == " (log scale)");
  CHECK(panel["spec"]["encoding"]["x"]["axis"]["title"] == "x [s] (log scale)");
  const Json& y = panel["spec"]["encoding"]["y"];
  CHECK(y["axis"]["values"] == Json({2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0}));
  CHECK(y["scale"]["domain"] == Json({2.0, 1000.0}));
  figure.panels[0].series[0] = {"run", {1}, {7}};  // a single value
  CHECK(vega_lite(figure)["panels"][0]["spec"]["encoding"]["y"]["axis"]["values"].size() >= 3);
  figure.panels[0].series[0] = {"run", {1}, {0}};  // nothing that it can show
  CHECK_FALSE(vega_lite(figure)["panels"][0]["spec"]["encoding"]["y"]["scale"].contains("domain"));
}

TEST_CASE("Vega-Lite: an axis begins at zero, or says that it does not") {
  const auto panel_of = [](std::vector<double> y) {
    return vega_lite(figure_of({"run", {0, 1}, std::move(y)}))["panels"][0];
  };
  CHECK(panel_of({0.4, 2.3})["spec"]["encoding"]["y"]["scale"]["zero"] == true);
  CHECK(panel_of({0.4, 2.3})["y_note"] == "");
  CHECK(panel_of({0.8, 0.9})["spec"]["encoding"]["y"]["scale"]["zero"] == false);
  CHECK(panel_of({0.8, 0.9})["y_note"] == " (not from 0)");
  CHECK(panel_of({-0.8, 0.9})["y_note"] == "");
}

TEST_CASE("Vega-Lite: series differ in the shape of their marks, not in colour alone") {
  std::set<std::string> shapes;
  for (int colour = 0; colour < 7; ++colour) {
    const Json panel = vega_lite(figure_of({"run", {0}, {1}, true, colour}))["panels"][0];
    shapes.insert(panel["series"][0]["shape"].get<std::string>());
    CHECK(panel["spec"]["layer"][1]["encoding"]["shape"]["scale"]["range"][0] ==
          panel["series"][0]["shape"]);
  }
  CHECK(shapes.size() == 7);
}

TEST_CASE("Vega-Lite: no point lies on the frame, columns stand on their axis") {
  const auto y_scale_of = [](const Figure& figure) {
    return vega_lite(figure)["panels"][0]["spec"]["encoding"]["y"]["scale"];
  };
  Figure figure = figure_of({"run", {0, 5, 10}, {0, 50, 100}});
  const Json panel = vega_lite(figure)["panels"][0];
  CHECK(panel["extent"][0].get<double>() < 0);
  CHECK(panel["extent"][1].get<double>() > 10);
  CHECK(panel["spec"]["params"][0]["value"] == panel["extent"][0]);
  CHECK(y_scale_of(figure)["padding"].get<int>() > 0);
  figure.panels[0].from_zero = true;
  CHECK(y_scale_of(figure)["padding"].get<int>() > 0);
  CHECK(y_scale_of(figure)["zero"] == true);
  CHECK(y_scale_of(figure)["nice"] == false);
  figure.panels[0].series[0].mark = Mark::column;
  figure.panels[0].series[0].x_end = {1, 6, 11};
  CHECK_FALSE(y_scale_of(figure).contains("padding"));
  CHECK(y_scale_of(figure)["domainMax"].get<double>() > 100);
}

TEST_CASE("Vega-Lite: an arrow goes from one row to another, its head says which way") {
  Series arrows{"messages", {1, 4}, {0, 1}, false, 0, Mark::arrow, {2, 6}, {}, {"down", "up"}};
  arrows.y_end = {1, 0};
  Figure figure = figure_of(arrows);
  figure.panels[0].rows = {"worker0", "server0"};
  const Json panel = vega_lite(figure)["panels"][0];
  CHECK(layers_of(panel) == std::set<std::string>{"arrows", "heads"});
  CHECK(panel["columns"]["x_end"] == Json({2.0, 6.0}));
  CHECK(panel["columns"]["y_end"] == Json({1.0, 0.0}));
  CHECK(panel["series"][0]["mark"] == "arrow");
  CHECK(panel["series"][0]["colour"] == "var(--guide-0)");
  const Json& heads = panel["spec"]["layer"][1];
  CHECK(heads["encoding"]["shape"]["scale"]["range"] == Json({"triangle-down", "triangle-up"}));
  CHECK(heads["transform"].back() == Json{{"calculate", "datum.x_end"}, {"as", "x"}});
}

TEST_CASE("Vega-Lite: colours of cells say their value, which is written into few") {
  Series cells{"rate", {0, 1}, {0, 0}, false, 0, Mark::cell, {}, {10, 20}, {"a", "b"}};
  Figure figure = figure_of(cells);
  figure.panels[0].value_label = "gradients/s";
  figure.panels[0].categories = {"1", "2"};
  figure.panels[0].rows = {"32"};
  const Json panel = vega_lite(figure)["panels"][0];
  CHECK(layers_of(panel) == std::set<std::string>{"cells", "figures"});
  CHECK(panel["y_label"] == "gradients/s");
  CHECK(panel["columns"]["value"] == Json({10.0, 20.0}));
}

}  // namespace foretrain
