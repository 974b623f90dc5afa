// The figures of a record, compared with a calculation by hand.
#include "reports/record/summary.h"

#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <limits>

namespace foretrain {
namespace {

using namespace testing;
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("summary: the figures are those worked out by hand") {
  const Summary s = summarize(small_record(Mode::run, "sync"));
  CHECK(s.steps == 4);
  CHECK(s.time_s == 0.1);
  CHECK(s.startup_s == 0.25);
  CHECK(s.step_time_s_median.value() == Approx(0.025));  // of 10, 20, 30 and 50 ms
  CHECK(s.gradients_per_s.value() == Approx(40));
  CHECK(s.examples_per_s.value() == Approx(40 * 32));
  CHECK(s.updates_per_s.value() == Approx(20));
  CHECK(s.staleness_mean.value() == Approx(1.25));  // of 0, 1, 1 and 3
  CHECK(s.final_loss.value() == 0.75);
  CHECK(s.test_accuracy.value() == 0.875);
  CHECK(s.bytes_sent == Bytes{2'000});
  CHECK(s.bytes_received == Bytes{2'000});
  CHECK(s.phases.compute == Approx(0.044));
  CHECK(s.phases.push == Approx(0.011));
  CHECK(s.phases.wait == Approx(0.022));
  CHECK(s.phases.apply == Approx(0.011));
  CHECK(s.phases.pull == Approx(0.022));
  CHECK(s.phases.evaluate == Approx(0.005));
}

TEST_CASE("summary: gradients are stale where workers do not go in step") {
  CHECK(mean_staleness(small_record(Mode::run, "async")).value() == Approx(1.25));
  CHECK(mean_staleness(small_record(Mode::run, "ssp")).value() == Approx(1.25));
  CHECK_FALSE(mean_staleness(small_record(Mode::run, "sync")));
}

TEST_CASE("summary: the time of a step leaves evaluation out") {
  Record record = small_record(Mode::run, "sync");
  record.steps.resize(1);
  CHECK(summarize(record).step_time_s_median.value() == Approx(0.010));
}

TEST_CASE("summary: only the final evaluation gives the final figures") {
  Record record = small_record(Mode::run, "sync");
  record.evals.back().final = false;
  CHECK_FALSE(summarize(record).final_loss.has_value());
  CHECK_FALSE(summarize(record).test_accuracy.has_value());
}

TEST_CASE("summary: nothing is known of a record in which nothing happened") {
  const Summary s = summarize(Record{});
  CHECK_FALSE(s.step_time_s_median.has_value());
  CHECK_FALSE(s.gradients_per_s.has_value());
  CHECK_FALSE(s.staleness_mean.has_value());
}

TEST_CASE("summary: a simulation costs what the hosts do that have a node, a run nothing") {
  Record record = small_record(Mode::simulate, "sync");
  HostSpec host;
  host.name = "n";
  host.count = 9;
  host.price = {36, "EUR"};
  record.scenario_case.scenario.cluster.hosts = {host};
  CHECK_FALSE(summarize(record).cost);
  record.nodes[0].host = "n0";
  record.nodes[1].host = "n1";
  record.nodes[2].host = "n1";
  const Summary s = summarize(record);
  CHECK(s.price == Price{72, "EUR"});
  CHECK(s.cost.value() == Approx(0.002));  // 0.1 s
  const auto json = to_json(record);
  CHECK(json["cost"] == Approx(0.002));
  CHECK(json["currency"] == "EUR");
  CHECK(json["price_per_hour"] == 72);
  record.mode = Mode::run;
  CHECK_FALSE(to_json(record).contains("cost"));
}

TEST_CASE("summary as JSON: every figure of the design is there") {
  const auto json = to_json(small_record(Mode::simulate, "sync"));
  for (const char* key : {"mode",
                          "steps",
                          "updates",
                          "gradients",
                          "time_s",
                          "startup_s",
                          "step_time_s_median",
                          "examples_per_s",
                          "gradients_per_s",
                          "updates_per_s",
                          "final_loss",
                          "test_accuracy",
                          "weights_sha256",
                          "kernel_set",
                          "staleness_mean",
                          "bytes_sent",
                          "bytes_received",
                          "nodes",
                          "phases",
                          "name",
                          "settings",
                          "outcome",
                          "failure",
                          "dropped",
                          "refused"}) {
    INFO(key);
    CHECK(json.contains(key));
  }
  CHECK(json["mode"] == "simulate");
  CHECK(json["settings"]["training.strategy"] == "sync");
  CHECK(json["phases"].dump() ==
        R"({"compute_s":0.044,"push_s":0.011,"wait_s":0.022,"apply_s":0.011,"pull_s":0.022,)"
        R"("evaluate_s":0.005})");
}

TEST_CASE("summary as JSON: a node's share of a core is over the final evaluation too") {
  const auto nodes = to_json(small_record(Mode::run, "sync"))["nodes"];
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0]["cpu_percent"].get<double>() == Approx(100 * 0.075 / 0.120));
  CHECK(nodes[0]["core"] == 0);
  CHECK(nodes[2]["core"].is_null());
  CHECK(nodes[2]["rss_bytes"].is_null());
}

TEST_CASE("summary as JSON: what is not known is null, never a number") {
  Record record = small_record(Mode::simulate, "sync");
  record.weights_sha256.clear();
  record.time = {};
  for (EvalReport& e : record.evals) e.loss = e.accuracy = kNotKnown;
  const auto json = to_json(record);
  for (const char* key : {"weights_sha256", "final_loss", "test_accuracy", "failure",
                          "gradients_per_s", "updates_per_s", "examples_per_s"}) {
    INFO(key);
    CHECK(json[key].is_null());
  }
}

TEST_CASE("weights hash: it is the SHA-256 of the little-endian bytes") {
  CHECK(weights_sha256({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  // The bytes "abcdabcd", with the digest by sha256sum.
  const std::array<float, 2> weights{0x1.c6c4c2p+73F, 0x1.c6c4c2p+73F};
  CHECK(weights_sha256(weights) ==
        "3bc49b73e2fb201924d9dcce5fb6d6fd7cfbf58c49be8cc46439c05dc634b151");
}

}  // namespace foretrain
