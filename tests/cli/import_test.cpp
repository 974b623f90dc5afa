// A trace imported as a scenario, whose forecast equals the traced step.
#include "tests/cli/sandbox.h"
#include "tests/scenarios/import/made_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {
using testing::Called;
using testing::Sandbox;
using Json = nlohmann::ordered_json;

TEST_CASE("import: what one worker does in a step is what its job is forecast to take") {
  Sandbox sandbox;
  sandbox.write("t.json", testing::two_layers().text());
  const Called imported = sandbox.call("import t.json --out job --json");
  INFO(imported.err);
  REQUIRE(imported.status == 0);
  const Json job = Json::parse(imported.out);
  CHECK(job["parameters"] == 21);
  CHECK(job["forecast_step_s"].is_null());
  for (const std::string place : {".", "job"}) {
    const Called simulated = sandbox.call("simulate " + sandbox.path("job/job.yaml").string() +
                                              " --json --quiet --out " + sandbox.path("s").string(),
                                          "cd " + place);
    INFO(simulated.err);
    REQUIRE(simulated.status == 0);
    const double step_s = Json::parse(simulated.out)["step_time_s_median"];
    CHECK(step_s == Approx(job["step_s"].get<double>()).margin(5e-9));
  }
}

TEST_CASE("import: the strategies that a job names simulate it") {
  Sandbox sandbox;
  sandbox.write("t.json", testing::two_layers().text());
  REQUIRE(sandbox.call("import t.json --out job --quiet").status == 0);
  for (const std::string strategy : {"sync", "async", "ssp"}) {
    CAPTURE(strategy);
    const Called simulated = sandbox.call(
        "simulate job/job.yaml --quiet --out s --force --set training.workers=3 --set "
        "training.servers=1"
        " --set training.strategy=" +
        strategy);
    INFO(simulated.err);
    CHECK(simulated.status == 0);
  }
  CHECK(sandbox
            .call("simulate job/job.yaml --quiet --out s --force --set training.workers=3 --set "
                  "training.strategy=local_sgd")
            .status == 0);
}

TEST_CASE("import: of a trace of several workers the forecast of as many is told") {
  Sandbox sandbox;
  sandbox.write("t.json",
                testing::two_layers().text(R"("distributedInfo": {"rank": 0, "world_size": 2}, )"));
  const Called imported = sandbox.call("import t.json --out job");
  INFO(imported.err);
  REQUIRE(imported.status == 0);
  CHECK(imported.out.find("one of 2 workers") != std::string::npos);
  CHECK(imported.out.find("  forecast ") != std::string::npos);
  const Called again = sandbox.call("import t.json --out job");
  CHECK(again.status == 2);
  CHECK(again.err.find("--force") != std::string::npos);
  CHECK(sandbox.call("import t.json --out job --force").status == 0);
}

TEST_CASE("import: a job that no forecast would read is refused, and no file is left of it") {
  Sandbox sandbox;
  sandbox.write("t.json",
                testing::replaced(testing::two_layers().text(), "[3, 4]", "[3000000000, 100]"));
  const Called imported = sandbox.call("import t.json --out job");
  CHECK(imported.status == 2);
  CHECK_THAT(imported.err, Catch::Contains("model.profile: layers.csv:2:") &&
                               Catch::Contains("is too large; write up to 1000000000000"));
  CHECK(!sandbox.has("job/layers.csv"));
  CHECK(!sandbox.has("job/job.yaml"));
}

TEST_CASE("import: of a step that was measured a job is made whose step takes as long") {
  Sandbox sandbox;
  sandbox.write(
      "mine.yaml",
      "foretrain: 1\nname: mine\nquestion: What do sixteen workers give?\n"
      "training: {strategy: all_reduce, workers: 2, batch_size: 32, epochs: 3}\n"
      "cluster:\n  hosts:\n"
      "    - {name: node, count: 16, cores: 8, nic: 10 GbE, latency: 20 us, compute: 1 s}\n");
  const std::string words =
      "import mine.yaml --parameters 2.5M --step '35 ms' --workers 4 --out job";
  const Called imported = sandbox.call(words + " --json");
  INFO(imported.err);
  REQUIRE(imported.status == 0);
  const Json job = Json::parse(imported.out);
  CHECK(job["parameters"] == 2'500'000);
  CHECK(job["workers"] == 4);
  // 10 MB, of which 3/4 go in and out twice at 1.25 GB/s: at least 12 ms.
  CHECK(job["step_without_compute_s"] >= 12e-3);
  CHECK(job["gradient_s"] > 35e-3 - job["step_without_compute_s"].get<double>());
  CHECK(job["gradient_s"] < 35e-3);
  const Called simulated = sandbox.call("simulate job/job.yaml --json --quiet --out s");
  INFO(simulated.err);
  REQUIRE(simulated.status == 0);
  const Json forecast = Json::parse(simulated.out);
  CHECK(forecast["step_time_s_median"].get<double>() == Approx(35e-3).epsilon(5e-3));
  CHECK(sandbox.call("simulate job/job.yaml --quiet --out s --force --set training.workers=16")
            .status == 0);

  CHECK(sandbox.call(words).status == 2);  // it exists already
  const Called short_step =
      sandbox.call("import mine.yaml --parameters 2.5M --step '5 ms' --workers 4 --out other");
  CHECK(short_step.status == 2);
  CHECK_THAT(short_step.err,
             Catch::Contains("--step: 0.005 s, but messages and other overhead of the ") &&
                 Catch::Contains("described cluster alone take"));
  CHECK(!sandbox.has("other/layers.csv"));
  const Called bare =
      sandbox.call("import small.yaml --parameters 2.5M --step '35 ms' --out other");
  CHECK(bare.status == 2);
  CHECK_THAT(bare.err, Catch::Contains("small.yaml: has no cluster"));
  CHECK(sandbox.call("import mine.yaml --step '35 ms'").status != 0);
  const Called unit = sandbox.call("import mine.yaml --parameters 2.5X --step '35 ms' --out other");
  CHECK_THAT(unit.err, Catch::Contains("--parameters: X is no unit here"));
}

}  // namespace
}  // namespace foretrain
