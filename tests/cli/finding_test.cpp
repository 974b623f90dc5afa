// Costs, the best case, the basis of a forecast in the program's output.
#include "tests/cli/sandbox.h"
#include "tests/cli/told.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

/// Workers on hosts without measurements, with prices; sync and async give equal times.
void write_described(Sandbox& sandbox) {
  sandbox.write("described.yaml",
                "foretrain: 1\nname: described\nquestion: How many workers?\nnumerics: off\n"
                "dataset: {take: 600, test_take: 100}\n"
                "training: {workers: 2, batch_size: 16, steps: 20}\n"
                "cluster:\n  hosts:\n"
                "    - {name: n, count: 5, nic: 1 Gbps, compute: 20 ms, price: 3.60 $/h}\n");
}

const std::string kWorkersSwept = " --set 'sweep.training.workers=[1, 2, 4]' ";

/// Both outputs of a command.
std::string told(const Called& called) { return called.out + called.err; }

/// The same on one line, because sentences are wrapped at 80 columns.
std::string told_flat(const Called& called) {
  std::string text = told(called);
  std::ranges::replace(text, '\n', ' ');
  const auto gap = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::ranges::unique(text, gap).begin(), text.end());
  return text;
}

TEST_CASE("finding: sweep shows its table, names and marks the best case, leaves a page's words") {
  Sandbox sandbox;
  write_described(sandbox);
  const Called swept = sandbox.call("sweep described.yaml" + kWorkersSwept + "--out s");
  INFO(swept.err);
  REQUIRE(swept.status == 0);
  const std::string text = told_flat(swept);
  CHECK(text.find("Of 3 cases workers=4 is the fastest, ") != std::string::npos);
  CHECK(text.find(" workers=4 best ") != std::string::npos);
  for (const char* part :
       {"speed-up", "effic.", "cost [USD]", "20 ms a gradient", "No variation of compute times",
        "The forecast's error is unknown: forecasts of this kind were never compared with real "
        "runs."}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(sandbox.has("s/sweep.json"));
  const Called report = sandbox.call("report s --out r");
  INFO(report.err);
  REQUIRE(report.status == 0);
  const std::string page = testing::text_of(sandbox.path("r/report.html"));
  CHECK(page.find("<h1>described: foretrain report</h1>") != std::string::npos);
  CHECK(page.find("How many workers?") != std::string::npos);
  CHECK(page.find("<p class=\"sentence\">Of 3 cases workers=4 is the fastest, ") !=
        std::string::npos);
  CHECK(page.find("cost [USD]") != std::string::npos);
}

TEST_CASE("finding: cases of a sweep that are equal are called a tie, for people and programs") {
  Sandbox sandbox;
  write_described(sandbox);
  const Called swept = sandbox.call(
      "sweep described.yaml --set 'sweep.training.strategy=[sync, async]' --json --out s");
  INFO(swept.err);
  REQUIRE(swept.status == 0);
  const auto json = nlohmann::json::parse(swept.out);
  CHECK(json.at("best").size() == 2);
  CHECK(json.at("sentence").get<std::string>().find("it is a tie between ") != std::string::npos);
  const Called simulated =
      sandbox.call("simulate described.yaml --set 'sweep.training.strategy=[sync, async]' --out m");
  CHECK(told_flat(simulated).find("Of 2 trainings none is clearly the fastest: ") !=
        std::string::npos);
  CHECK(told_flat(simulated).find(
            " examples/s (no difference within the forecast's error, 10 %)") != std::string::npos);
}

TEST_CASE("finding: a simulation says what it costs, a host in two currencies is refused") {
  Sandbox sandbox;
  write_described(sandbox);
  const Called called = sandbox.call("simulate described.yaml --json --out r");
  INFO(called.err);
  REQUIRE(called.status == 0);
  const auto json = nlohmann::json::parse(called.out);
  // Two workers and a server, each on its own host.
  CHECK(json.at("price_per_hour") == Approx(3 * 3.6));
  CHECK(json.at("currency") == "USD");
  CHECK(json.at("cost") == Approx(3 * 0.001 * json.at("time_s").get<double>()));
  CHECK(testing::squeezed(sandbox.call("simulate described.yaml --full --out t").out)
            .find("\n price per hour 10.8\n") != std::string::npos);
  const Called mixed = sandbox.call(
      "simulate described.yaml --set 'cluster.hosts=[{name: a, compute: 1 ms, price: 1 $/h}, "
      "{name: b, compute: 1 ms, price: 1 EUR/h}]' --out x");
  CHECK(mixed.status == 2);
  CHECK(mixed.err.find("cluster.hosts[1].price: in EUR, but cluster.hosts[0].price is in USD") !=
        std::string::npos);
}

TEST_CASE("finding: what a forecast stands on is always told, nothing is calibrated by hearsay") {
  Sandbox sandbox;
  write_described(sandbox);
  const std::string given = told_flat(sandbox.call("simulate described.yaml --out r"));
  CHECK(given.find("compute times of n are given by the scenario: 20 ms a gradient") !=
        std::string::npos);
  CHECK(given.find("async gains nothing") != std::string::npos);
  REQUIRE(sandbox.call("report r --out p").status == 0);
  const std::string page = testing::text_of(sandbox.path("p/report.html"));
  CHECK(page.find("simulated with compute: 20 ms") != std::string::npos);
  const std::string body = page.substr(page.find("<body>"));
  CHECK(body.substr(0, body.find("<script")).find("calibrated") == std::string::npos);
  const std::string silent = told_flat(sandbox.call(
      "simulate small.yaml --machine machine.yaml --set 'cluster.hosts=[{name: n, count: 3}]' "
      "--out q"));
  CHECK(silent.find("are those of a core of made-up") != std::string::npos);
  CHECK(silent.find("neither compute: nor machine:") != std::string::npos);
  const std::string asked = told_flat(sandbox.call("whatif described.yaml --out w"));
  CHECK(asked.find("20 ms a gradient") != std::string::npos);
  REQUIRE(sandbox.call("report w --out v").status == 0);
}

TEST_CASE("finding: bands over seeds say that they are no prediction intervals") {
  Sandbox sandbox;
  write_described(sandbox);
  const Called called = sandbox.call("simulate described.yaml --seeds 3 --json --out r");
  INFO(called.err);
  REQUIRE(called.status == 0);
  const auto json = nlohmann::json::parse(called.out);
  CHECK(json.at("what_bands_are").get<std::string>().find("no prediction intervals") !=
        std::string::npos);
  CHECK(json.at("stands_on").get<std::string>().find("20 ms a gradient") != std::string::npos);
  CHECK(told_flat(sandbox.call("simulate described.yaml --seeds 3 --out s"))
            .find("These are no prediction intervals") != std::string::npos);
}

TEST_CASE("finding: lines of sweep and simulate fit a terminal") {
  Sandbox sandbox;
  write_described(sandbox);
  const std::vector<std::string> commands{"sweep described.yaml" + kWorkersSwept + "--out a",
                                          "simulate described.yaml --out b",
                                          "simulate described.yaml --seeds 2 --out c"};
  for (const std::string& arguments : commands) {
    const std::string wide = testing::too_wide(told(sandbox.call(arguments)));
    CAPTURE(arguments, wide);
    CHECK(wide.empty());
  }
}

}  // namespace
}  // namespace foretrain
