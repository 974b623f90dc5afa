// Saved weights: a run that starts from them, their evaluation.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;
using Json = nlohmann::ordered_json;

// The steps change nothing, so the final weights are the initial ones.
constexpr const char* kFrom =
    " --set 'training.init={from: learned.safetensors}' --set "
    "'training.optimizer={name: sgd, learning_rate: 1e-30}'";

}  // namespace

TEST_CASE("weights: evaluate finds in a saved file what the run found") {
  Sandbox sandbox;
  const Called run = sandbox.call(
      "run small.yaml --json --set training.steps=40 --out r --save learned.safetensors");
  REQUIRE(run.status == 0);
  const Called evaluated = sandbox.call("evaluate small.yaml --json --weights learned.safetensors");
  REQUIRE(evaluated.status == 0);
  const Json ran = Json::parse(run.out);
  const Json found = Json::parse(evaluated.out);
  CHECK(found["accuracy"] == ran["test_accuracy"]);
  CHECK(found["loss"].get<double>() == Approx(ran["final_loss"].get<double>()));
  CHECK(found["test_examples"] == 100);
  CHECK(sandbox.call("evaluate small.yaml --weights learned.safetensors")
            .out.find("small: accuracy 0.") == 0);
}

TEST_CASE("weights: a training starts from them, whatever its strategy, in both modes") {
  Sandbox sandbox;
  REQUIRE(sandbox.call("run small.yaml --quiet --out r --save learned.safetensors").status == 0);
  const std::string learned = testing::text_of(sandbox.path("learned.safetensors"));
  for (const std::string strategy : {"single", "sync", "async", "all_reduce"}) {
    CAPTURE(strategy);
    std::string words = "small.yaml --json --force --set training.strategy=" + strategy;
    if (strategy == "single") words += " --set training.workers=1";
    words += kFrom;
    const Called run = sandbox.call("run " + words + " --out s --save again.safetensors");
    INFO(run.err);
    REQUIRE(run.status == 0);
    CHECK(testing::text_of(sandbox.path("again.safetensors")) == learned);
    const Called simulated = sandbox.call("simulate --machine machine.yaml --out t " + words);
    REQUIRE(simulated.status == 0);
    CHECK(Json::parse(simulated.out)["weights_sha256"] == Json::parse(run.out)["weights_sha256"]);
  }
}

TEST_CASE("weights: what cannot be read or kept is told with its place, before it is trained") {
  Sandbox sandbox;
  const Called kept = sandbox.call("run small.yaml --quiet --save w.pt");
  CHECK(kept.status == 2);
  CHECK(kept.err == "error: w.pt: weights are written as .safetensors; end the name with it\n");
  sandbox.write("from.yaml",
                "foretrain: 1\ndataset: {take: 300, test_take: 100}\n"
                "training: {steps: 2, init: {from: no.safetensors}}\n");
  const Called missing = sandbox.call("simulate from.yaml --machine machine.yaml");
  CHECK(missing.status == 2);
  CHECK(missing.err.find(
            "from.yaml:3:35: training.init.from: no.safetensors: cannot be read; check the "
            "path") != std::string::npos);
  sandbox.write("both.yaml",
                "foretrain: 1\ntraining: {steps: 2, init: {from: a.safetensors, kind: he}}\n");
  const Called both = sandbox.call("check both.yaml");
  CHECK(both.status == 2);
  CHECK(both.err.find("from gives the initial weights") != std::string::npos);
}

}  // namespace foretrain
