// `validate --against` on the command line: a table of measurements with forecasts.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;
using testing::text_of;

constexpr const char* kJob =
    "foretrain: 1\nname: job\nmodel: {profile: layers.csv}\n"
    "training: {strategy: all_reduce, workers: 2, batch_size: 8, steps: 4}\n"
    "cluster: {hosts: [{name: n, count: 4, cores: 2, nic: 1 Gbps, compute: 30 ms}]}\n"
    "numerics: off\n";
constexpr const char* kLayersOfJob =
    "layer,parameter_bytes,forward_ms,backward_ms\none,1000000,10,20\n";

TEST_CASE("validate --against called: one's own table, in text, files, JSON") {
  Sandbox sandbox;
  sandbox.write("job.yaml", kJob);
  sandbox.write("layers.csv", kLayersOfJob);
  sandbox.write("mine.csv",
                "set,quantity,value,unit\n"
                "training.workers=2,step_time,40,ms\ntraining.workers=4,step_time,45,ms\n");
  const Called called = sandbox.call("validate job.yaml --against mine.csv --out m");
  INFO(called.err);
  REQUIRE(called.status == 0);
  CHECK_THAT(called.out, Contains("2 of 2 figures are forecast: off by") &&
                             Contains("training.workers=4") && Contains("page:    m/report.html"));
  CHECK_THAT(text_of(sandbox.path("m/figures.csv")), Contains("job,training.workers=4,ms,45,"));
  const Called json = sandbox.call("validate job.yaml --against mine.csv --json --out m");
  CHECK(nlohmann::json::parse(json.out)["figures"].size() == 2);
  CHECK(sandbox.call("validate job.yaml --against mine.csv --fail-above 1 --out m").status == 1);
}

TEST_CASE("validate --against called: others' clusters, one of them by its scenario") {
  Sandbox sandbox;
  const Called called = sandbox.call(
      "validate scenarios/clusters/multiverso.yaml --against scenarios/clusters/clusters.csv "
      "--quiet --out c");
  INFO(called.err);
  REQUIRE(called.status == 0);
  CHECK_THAT(called.out, Contains("8 x Theano") && !Contains("cmdare"));
}

TEST_CASE("validate --against called: what makes no sense is refused with what to do") {
  Sandbox sandbox;
  sandbox.write("mine.csv", "quantity,value\nstep_time,1\n");
  const auto refused = [&](const std::string& words) {
    const Called called = sandbox.call("validate " + words);
    CAPTURE(words, called.err);
    CHECK(called.status == 2);
    CHECK(!sandbox.has("out"));
    return called.err;
  };
  CHECK_THAT(refused("--against mine.csv"),
             Contains("mine.csv:2: the scenario is not known; name it"));
  CHECK_THAT(refused("--against none.csv"), Contains("none.csv"));
  CHECK_THAT(refused("--against mine.csv --repeat 2"), Contains("--repeat"));
  CHECK_THAT(refused(""), Contains("name a scenario file"));
}

}  // namespace
}  // namespace foretrain
