// The cheapest cluster within a deadline or a budget, on the command line.
#include "tests/cli/sandbox.h"
#include "tests/scenarios/import/made_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace foretrain {
namespace {
using testing::Called;
using testing::Sandbox;
using Json = nlohmann::ordered_json;
using Catch::Matchers::Contains;

// A gradient of 32 examples takes 100 ms on a V100; the training takes ten hours on one.
void write_priced_job(Sandbox& sandbox) {
  sandbox.write("layers.csv",
                "layer,parameter_bytes,forward_ms,backward_ms\na,4000000,20,40\nb,400000,10,30\n");
  sandbox.write("job.yaml",
                "foretrain: 1\nname: job\nmodel: {profile: layers.csv, profile_batch: 32,\n"
                "  profile_device: {gflops: 15700, memory_bandwidth: 900 GB/s}}\n"
                "training: {strategy: all_reduce, workers: 1, batch_size: 32, steps: 360000,\n"
                "  bucket_rule: ddp, bucket_size: 26214400 B}\n");
}

TEST_CASE("budget command: the cheapest cluster is found, written as a scenario that simulates") {
  Sandbox sandbox;
  write_priced_job(sandbox);
  const Called asked = sandbox.call(
      "whatif job.yaml --deadline 3h --budget 40 --hosts n1-v100,p3.16xlarge --max-hosts 2 --json "
      "--out found");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const Json json = Json::parse(asked.out);
  CHECK(json["cheapest"]["host"] == "p3.16xlarge");
  CHECK(json["cheapest"]["hosts"] == 1);
  CHECK(json["cheapest"]["time_s"] <= 3 * 3600);
  CHECK(json["cheapest"]["cost"] <= 40);
  CHECK(json["cheapest"]["limit"]["share"] > 0);
  CHECK(json["frontier"].size() > 1);
  const std::string table = testing::text_of(sandbox.path("found/budget.txt"));
  CHECK_THAT(table, Contains("11,520,000 examples"));
  CHECK_THAT(table, Contains("device limits it"));
  CHECK_THAT(table, Contains("too long"));
  for (const char* file : {"budget.txt", "budget.json", "cluster.yaml"}) {
    CHECK(sandbox.has(std::string("found/") + file));
  }
  const Called simulated =
      sandbox.call("simulate found/cluster.yaml --set training.steps=20 --json --quiet --out s");
  INFO(simulated.err);
  REQUIRE(simulated.status == 0);
  const Json begun = Json::parse(simulated.out);
  // The whole training takes the steps of all workers at that rate.
  const double rate = begun["examples_per_s"];
  CHECK(json["cheapest"]["time_s"].get<double>() == Approx(11'520'000 / rate).epsilon(0.05));
}

TEST_CASE("budget command: what an imported job was measured on puts hosts in order") {
  Sandbox sandbox;
  sandbox.write("t.json", testing::two_layers().text(
                              R"("deviceProperties": [{"name": "Tesla V100-SXM2-32GB"}], )"));
  REQUIRE(sandbox.call("import t.json --out job --quiet").status == 0);
  const Called asked = sandbox.call(
      "whatif job/job.yaml --deadline 1h --budget 1 --hosts n1-k80,n1-v100 --max-hosts 1 --json "
      "--set framework=null --out found");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  // A K80's memory is 3.75 times slower, its price 3.45 times lower.
  CHECK(Json::parse(asked.out)["cheapest"]["host"] == "n1-v100");
  CHECK_THAT(asked.out, Contains("(model.profile_device)"));
  CHECK_THAT(asked.out, !Contains("The profile does not say which device"));
}

TEST_CASE("budget command: what it writes is read from any folder") {
  Sandbox sandbox;
  write_priced_job(sandbox);
  const std::string bounds = " --deadline 11h --budget 40 --hosts n1-v100 --max-hosts 2 --quiet ";
  const Called below =
      sandbox.call("whatif ../job.yaml --out found" + bounds, "mkdir -p work && cd work");
  INFO(below.err);
  REQUIRE(below.status == 0);
  // The question itself names no hosts.
  for (const auto& [file, more] : {std::pair<std::string, std::string>{"cluster.yaml", ""},
                                   {"scenario.yaml", " --set 'cluster.hosts=[{like: n1-v100}]'"}}) {
    CAPTURE(file);
    CHECK_THAT(testing::text_of(sandbox.path("work/found/" + file)),
               Contains("profile: ../../layers.csv"));
    const Called simulated = sandbox.call("simulate work/found/" + file +
                                          " --set training.steps=5 --quiet --force --out s" + more);
    INFO(simulated.err);
    CHECK(simulated.status == 0);
  }
  // The same question, asked from another folder.
  const Called above = sandbox.call("whatif job.yaml --out work/found" + bounds);
  INFO(above.err);
  CHECK(above.status == 0);
}

TEST_CASE("budget command: where no cluster holds both the status says so") {
  Sandbox sandbox;
  write_priced_job(sandbox);
  const std::string words =
      "whatif job.yaml --deadline 1min --budget '1 USD' --hosts n1-v100 --max-hosts 2";
  const Called asked = sandbox.call(words + " --json");
  INFO(asked.err);
  CHECK(asked.status == 1);
  CHECK(Json::parse(asked.out)["cheapest"].is_null());
  const Called told = sandbox.call(words);
  CHECK(told.status == 1);
  CHECK_THAT(told.out, Contains("no cluster that was tried"));
}

// Sixty steps of one worker, evaluated every five.
void write_learning_job(Sandbox& sandbox) {
  sandbox.write("soft.yaml",
                "foretrain: 1\nname: soft\ndataset: {take: 300, test_take: 100}\n"
                "training: {strategy: all_reduce, workers: 1, batch_size: 16, steps: 60,\n"
                "  evaluate_every: 5, optimizer: {name: sgd, learning_rate: 0.05}}\n");
}

TEST_CASE("budget command: with a target the time is that until a simulation reaches it") {
  Sandbox sandbox;
  write_learning_job(sandbox);
  const std::string words =
      "whatif soft.yaml --deadline 1h --budget 20 --hosts n1-v100,n1-p100 --max-hosts 1 ";
  const Called asked = sandbox.call(words + "--target loss=2.1 --json --out found");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const Json json = Json::parse(asked.out);
  CHECK(json["target"]["loss"] == 2.1);
  CHECK(json["learned"] == 3);  // batch sizes 16, 32, 8
  CHECK(json["cheapest"]["steps_to_target"] > 0);
  CHECK_THAT(testing::text_of(sandbox.path("found/budget.txt")), Contains("reaches loss 2.1"));
  const Called simulated = sandbox.call("simulate found/cluster.yaml --json --quiet --out s");
  INFO(simulated.err);
  REQUIRE(simulated.status == 0);
  const double time_s = Json::parse(simulated.out)["time_to_target_s"];
  CHECK(json["cheapest"]["time_s"].get<double>() == Approx(time_s).epsilon(1e-6));
  const Called never = sandbox.call(words + "--target loss=0.001 --out never");
  CHECK(never.status == 1);
  CHECK_THAT(never.out, Contains("no cluster that was tried reaches loss 0.001"));
  CHECK_THAT(testing::text_of(sandbox.path("never/budget.txt")),
             Contains("loss 0.001 not reached in"));
}

TEST_CASE("budget command: a target that nobody could find is refused with the reason") {
  Sandbox sandbox;
  write_priced_job(sandbox);
  write_learning_job(sandbox);
  const auto error = [&](const std::string& words) {
    const Called called = sandbox.call("whatif " + words);
    CHECK(called.status == 2);
    return called.err;
  };
  const std::string bounds = " --deadline 1h --budget 20 --target ";
  CHECK_THAT(error("job.yaml" + bounds + "accuracy=0.9"), Contains("a profile has times alone"));
  CHECK_THAT(error("soft.yaml" + bounds + "loss=0.1 --set numerics=off"),
             Contains("numerics: off knows times alone"));
  CHECK_THAT(error("soft.yaml" + bounds + "loss=0.1 --set training.evaluate_every=0"),
             Contains("evaluated only at the end"));
  for (const char* wrong : {"accuracy", "accuracy=", "speed=3", "=1"}) {
    CAPTURE(wrong);
    CHECK_THAT(error("soft.yaml" + bounds + wrong), Contains("write accuracy=0.97"));
  }
  CHECK_THAT(error("soft.yaml" + bounds + "accuracy=2"), Contains("training.until.accuracy"));
  CHECK_THAT(error("soft.yaml" + bounds + "loss=-1"), Contains("training.until.loss"));
  const Called alone = sandbox.call("whatif soft.yaml --target loss=0.1");
  CHECK(alone.status != 0);
  CHECK_THAT(alone.err, Contains("--deadline"));
}

TEST_CASE("budget command: what is asked wrong is refused with the reason") {
  Sandbox sandbox;
  write_priced_job(sandbox);
  const auto error = [&](const std::string& words) {
    const Called called = sandbox.call("whatif job.yaml " + words);
    CHECK(called.status != 0);
    return called.err;
  };
  CHECK_THAT(error("--deadline 1h"), Contains("--budget"));
  CHECK_THAT(error("--budget 20"), Contains("--deadline"));
  CHECK_THAT(error("--deadline 1h --budget 0"), Contains("--budget 0: is no amount of money"));
  CHECK_THAT(error("--deadline 1h --budget '50 EUR'"),
             Contains("--budget: the price of ") && Contains(" is in USD; "));
  CHECK_THAT(error("--deadline 1 --budget 20"), Contains("--deadline 1: "));
  CHECK_THAT(error("--deadline 1h --budget 20 --hosts p3.16xlrge"),
             Contains("did you mean p3.16xlarge?"));
  CHECK_THAT(error("--deadline 1h --budget 20 --crossover"), Contains("--crossover"));
  CHECK_THAT(error("--hosts dgx-1"), Contains("--deadline"));
  CHECK_THAT(error("--deadline 1h --budget 20 --set 'sweep.seed=[1,2]'"),
             Contains("name a scenario without a sweep"));
}

}  // namespace
}  // namespace foretrain
