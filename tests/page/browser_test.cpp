// The page of a report in headless Chromium.
#include "tests/page/browser.h"

#include "reports/show/figures/downsample.h"
#include "reports/show/page/page.h"
#include "reports/show/page/page_report.h"
#include "tests/reports/show/page/support.h"
#include "tests/reports/support.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace foretrain {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The number of marks of each kind in a panel, as in its specification.
Json marks_of(const Panel& panel) {
  int bars = 0;
  int columns = 0;
  int cells = 0;
  int arrows = 0;
  int hover = 0;
  for (const Series& s : panel.series) {
    const auto points = static_cast<int>(s.x.size());
    if (panel.stacks(s) || s.mark == Mark::span) {
      bars += points;
    } else if (s.mark == Mark::column) {
      columns += points;
    } else if (s.mark == Mark::cell) {
      cells += points;
    } else if (s.mark == Mark::arrow) {
      arrows += points;
    } else if (s.mark != Mark::guide) {
      hover += points;
    }
  }
  return {{"bars", bars},     {"columns", columns}, {"cells", cells},
          {"arrows", arrows}, {"heads", arrows},    {"hover", hover}};
}

/// Writes the page with its expected content, then inspects it in the browser.
void look_at(const Page& page, const std::string& name) {
  const fs::path out = build_dir() / "tests/page";
  fs::create_directories(out);
  const auto figures = figures_of(page);
  Json expected = Json::object();
  for (const Figure& figure : figures) {
    const Figure shown = thinned(figure, line_share(figures.size()));
    for (const Panel& panel : shown.panels) expected[figure.name].push_back(marks_of(panel));
  }
  const fs::path html = out / (name + ".html");
  write_text(html, page_html(page));
  write_text(out / (name + ".expected.json"), expected.dump());
  const fs::path log = out / (name + ".log");
  const std::string command = fmt::format(
      "node '{}/tests/page/check.mjs' '{}/reports/show/page' '{}' '{}' \"$(command -v chromium)\" "
      "> '{}' 2>&1",
      source_dir(), build_dir().string(), html.string(), (out / name).string(), log.string());
  const int status = std::system(command.c_str());
  INFO(read_text(log));
  REQUIRE(status == 0);
  for (const char* shot : {"-400-light.png", "-1600-light.png", "-1600-dark.png"}) {
    CHECK(fs::file_size(out / (name + shot)) > 20'000);
  }
}

}  // namespace

TEST_CASE("page in a browser: every section is drawn, alive, silent") {
  if (!can_test_in_browser()) return;
  look_at(page_of_everything(), "everything");
}

TEST_CASE("page in a browser: ten thousand steps of two workers") {
  if (!can_test_in_browser()) return;
  Found found;
  found.records = {long_record(10'000)};
  look_at(page_of(found), "ten_thousand_steps");
}

}  // namespace foretrain
