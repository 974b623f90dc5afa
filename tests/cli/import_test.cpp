// A trace that becomes a scenario, whose forecast is the step that was traced.
#include "tests/cli/sandbox.h"
#include "tests/scenarios/import/made_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {
using testing::Called;
using testing::Sandbox;
using Json = nlohmann::json;

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
}

}  // namespace
}  // namespace foretrain
