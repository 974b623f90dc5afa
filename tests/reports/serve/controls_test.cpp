// The overrides of the page's controls, as --set takes them.
#include "reports/serve/controls.h"

#include "scenarios/language/input_error.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/read.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;
using Overrides = std::vector<std::string>;

constexpr const char* kStar =
    "foretrain: 1\nname: star\n"
    "training: {strategy: ssp, staleness: 2, workers: 4, servers: 2, batch_size: 32, steps: 10}\n"
    "cluster:\n  hosts: [{name: node, count: 6, nic: 10 Gbps, latency: 20 us, compute: 5 ms}]\n"
    "  placement: {workers: [node0, node1, node2, node3], servers: [node4, node5]}\n"
    "numerics: off\nstragglers: [{workers: [3], slowdown: 4}]\n";

Case case_of_text(const std::string& text, const Overrides& overrides = {}) {
  return parse_scenario(text, "star.yaml", overrides).front();
}

/// The overrides for controls as the page sends them.
Overrides laid(const std::string& text, const Json& controls) {
  return overrides_of(read_controls(controls), case_of_text(text));
}

TEST_CASE("controls: where nothing was moved, or moved back, nothing is laid over") {
  CHECK(laid(kStar, Json::object()).empty());
  CHECK(laid(kStar, {{"workers", 4}, {"servers", 2}, {"batch_size", 32}, {"strategy", "ssp"}})
            .empty());
}

TEST_CASE("controls: other nodes are placed in turn, of another batch nothing else changes") {
  CHECK(laid(kStar, {{"workers", 8}, {"servers", 1}}) ==
        Overrides{"training.workers=8", "cluster.placement=null", "training.servers=1"});
  CHECK(laid(kStar, {{"batch_size", 64}}) == Overrides{"training.batch_size=64"});
}

TEST_CASE("controls: another strategy takes along what it reads alone") {
  const Overrides ring = laid(kStar, {{"strategy", "all_reduce"}, {"servers", 3}});
  CHECK(ring == Overrides{"training.strategy=all_reduce", "training.servers=null",
                          "training.staleness=null", "cluster.placement=null"});
  CHECK(node_counts(case_of_text(kStar, ring).scenario).servers == 0);
  const std::string even(kStar, std::string(kStar).find("stragglers"));  // without worker 3's
  const Overrides alone = laid(even, {{"strategy", "single"}, {"workers", 8}});
  CHECK(node_counts(case_of_text(even, alone).scenario).nodes() == 1);
}

TEST_CASE("controls: wires of the scenario's own hosts, or of hosts of the library") {
  const Overrides wires = laid(kStar, {{"nic_gbps", 2.5}, {"latency_us", 100}});
  CHECK(wires == Overrides{"cluster.hosts[0].nic=2.5 Gbps", "cluster.hosts[0].latency=100 us"});
  const Overrides rented =
      laid(kStar, {{"host", "p3.16xlarge"}, {"workers", 12}, {"nic_gbps", 50}});
  CHECK(rented.back() == "cluster={hosts: [{like: p3.16xlarge, count: 2, nic: 50 Gbps}]}");
  const Case moved = case_of_text(kStar, rented);
  REQUIRE(moved.scenario.cluster.hosts.size() == 1);
  CHECK(moved.scenario.cluster.hosts[0].devices == 8);
  CHECK(moved.scenario.cluster.hosts[0].nic.value == 6.25e9);
  CHECK(laid(kStar, {{"host", "p3.16xlarge"}, {"hosts", 3}}).back() ==
        "cluster={hosts: [{like: p3.16xlarge, count: 3}]}");
}

TEST_CASE("controls: hosts of one kind are as many as is said, as devices have workers") {
  CHECK(laid(kStar, {{"hosts", 3}}) ==
        Overrides{"cluster.placement=null", "cluster.hosts[0].count=3"});
  CHECK(laid(kStar, {{"workers", 12}}) ==
        Overrides{"training.workers=12", "cluster.placement=null"});
  const std::string devices =
      "foretrain: 1\nnumerics: off\ntraining: {strategy: all_reduce, workers: 8, steps: 10}\n"
      "cluster: {hosts: [{like: p3.16xlarge}]}\n";
  CHECK(laid(devices, {{"workers", 20}}) ==
        Overrides{"training.workers=20", "cluster.hosts[0].count=3"});
  CHECK(laid(devices, {{"workers", 20}, {"hosts", 4}}).back() == "cluster.hosts[0].count=4");
  CHECK(laid(devices, {{"workers", 4}}) == Overrides{"training.workers=4"});
}

TEST_CASE("controls: straggling takes the place of the scenario's own") {
  const Overrides some = laid(kStar, {{"straggling", 0.3}});
  REQUIRE(some.size() == 2);
  const Case changed = case_of_text(kStar, some);
  REQUIRE(changed.scenario.stragglers.size() == 1);
  CHECK(changed.scenario.stragglers[0].sigma == 0.3);
  CHECK(case_of_text(kStar, laid(kStar, {{"straggling", 0}})).scenario.stragglers.empty());
}

TEST_CASE("controls: whatever else is set comes last") {
  CHECK(laid(kStar, {{"batch_size", 8}, {"set", {"training.steps=5", "seed=2"}}}) ==
        Overrides{"training.batch_size=8", "training.steps=5", "seed=2"});
}

TEST_CASE("controls: what makes no sense is refused by its name") {
  for (const auto& [json, what] :
       std::vector<std::pair<Json, std::string>>{{{{"workers", 0}}, "workers"},
                                                 {{{"workers", 2.5}}, "workers"},
                                                 {{{"nic_gbps", "fast"}}, "nic_gbps"},
                                                 {{{"strategy", 3}}, "strategy"},
                                                 {{{"set", "a=b"}}, "set"},
                                                 {Json::array(), "object"}}) {
    CAPTURE(json.dump());
    CHECK_THROWS_WITH(read_controls(json), Catch::Contains(what));
  }
  CHECK_THROWS_WITH(laid(kStar, {{"strategy", "magic"}}), Catch::Contains("'magic'"));
  CHECK_THROWS_WITH(laid(kStar, {{"host", "../x"}}), Catch::Contains("'../x'"));
}

TEST_CASE("controls: they stand where the case has them") {
  const Json stand = controls_of(case_of_text(kStar));
  CHECK(stand.at("strategy") == "ssp");
  CHECK(stand.at("workers") == 4);
  CHECK(stand.at("servers") == 2);
  CHECK(stand.at("hosts") == 6);
  CHECK(stand.at("nic_gbps") == 10.0);
  CHECK(stand.at("latency_us") == 20.0);
  CHECK(stand.at("straggling").is_null());  // not expressible by the slider
  CHECK(stand.at("has_servers") == true);
  const Json jitter = controls_of(case_of_text(kStar, laid(kStar, {{"straggling", 0.3}})));
  CHECK(jitter.at("straggling") == 0.3);
  const Json here = controls_of(case_of_text("foretrain: 1\ntraining: {steps: 10}\n"));
  CHECK(here.at("nic_gbps").is_null());
  CHECK(here.at("hosts") == 0);
  CHECK(here.at("straggling") == 0);
}

}  // namespace
}  // namespace foretrain::serve
