// Faults in a scenario, the errors of wrong ones.
#include "scenarios/resolve/faults.h"

#include "scenarios/resolve/stragglers.h"
#include "tests/scenarios/messages.h"

#include <string>

using namespace foretrain;

namespace {

const std::string kHead =
    "foretrain: 1\ntraining: {workers: 3, servers: 2}\n"
    "cluster: {hosts: [{name: node, count: 5, compute: 1 ms}]}\n";

// The error of a single fault, without the place of the list.
std::string fault_error(const std::string& fault) {
  const std::string told = scenario_error(kHead + "faults: [{" + fault + "}]\n");
  const std::string place = "x.yaml:4:";
  return told.starts_with(place) ? told.substr(told.find(": ") + 2) : told;
}

TEST_CASE("faults: each kind is read, and written as it was") {
  const Scenario scenario = only(
      kHead +
      "faults: [{at: 20 s, kill: worker1}, {at: 30 s, cut: [worker0, server0], for: 2 s},\n"
      "         {at: 5 s, slow: worker1, to: 1 %, for: 3 s}, {at: 1 s, stop: server0, for: 2 s},\n"
      "         {at: 3 s, join: worker2},\n"
      "         {at: 9 s, cut: [server0, worker1], one_way: on, for: 2 s}]\n");
  REQUIRE(scenario.faults.size() == 6);
  CHECK(!scenario.faults[1].one_way);
  CHECK(scenario.faults[5].one_way);
  CHECK(scenario.faults[0].kill == "worker1");
  CHECK(scenario.faults[1].cut == std::vector<std::string>{"worker0", "server0"});
  CHECK(scenario.faults[1].lasting == Duration{2'000'000'000});
  CHECK(scenario.faults[2].to == 0.01);
  CHECK(scenario.faults[3].stop == "server0");
  CHECK(scenario.faults[4].join == "worker2");
  CHECK(only(to_yaml(scenario)) == scenario);
}

TEST_CASE("faults: nodes are called as records call them, workers counted first") {
  const Scenario scenario = only(kHead);
  CHECK(node_called(scenario, "worker2") == 2);
  CHECK(node_called(scenario, "server1") == 4);
  for (const char* name : {"worker3", "server2", "worker", "worker01", "worker-1", "Worker0", ""}) {
    CAPTURE(name);
    CHECK_FALSE(node_called(scenario, name).has_value());
  }
}

TEST_CASE("faults: a node is there from its latest joining to its earliest death") {
  const Scenario scenario =
      only(kHead +
           "faults: [{at: 2 s, join: worker1}, {at: 5 s, join: worker1},\n"
           "  {at: 20 s, kill: worker1}, {at: 10 s, kill: worker1}, {at: 1 s, kill: server1}]\n");
  CHECK(fault_schedule_of(scenario, 0).joins_at == Duration{});
  CHECK(fault_schedule_of(scenario, 0).deaths.empty());
  CHECK(fault_schedule_of(scenario, 1).joins_at == Duration{5'000'000'000});
  REQUIRE(fault_schedule_of(scenario, 1).deaths.size() == 2);
  CHECK(fault_schedule_of(scenario, 1).deaths[0].at == Duration{10'000'000'000});
  CHECK(fault_schedule_of(scenario, 1).deaths[1].at == Duration{20'000'000'000});
  CHECK_FALSE(fault_schedule_of(scenario, 1).deaths[0].restart_after.has_value());
  CHECK(fault_schedule_of(scenario, 4).deaths.at(0).at == Duration{1'000'000'000});
  CHECK(death_at(Duration{10'000'000'000}) == "was killed at 10 s, as faults: says");
}

TEST_CASE("faults: who is killed may be started again, where its strategy takes it back") {
  const std::string head = "foretrain: 1\ntraining: {workers: 3, strategy: ";
  const auto fault = [](const std::string& node) {
    return "}\nfaults: [{at: 1 s, kill: " + node + ", restart_after: 0 s}]\n";
  };
  const Scenario scenario = only(head + "async" + fault("worker1"));
  REQUIRE(fault_schedule_of(scenario, 1).deaths.size() == 1);
  CHECK(fault_schedule_of(scenario, 1).deaths[0].restart_after == Duration{});
  CHECK(only(to_yaml(scenario)) == scenario);
  CHECK(scenario_error(head + "sync" + fault("worker1"))
            .find("training.strategy: here sync lets no lost worker return, only sync with "
                  "backup_workers or rejoin_limit, async, ssp, all_reduce with rejoin_limit, "
                  "local_sgd with rejoin_limit, gather_scatter with rejoin_limit do; remove "
                  "faults[0].restart_after") != std::string::npos);
  CHECK(fault_schedule_of(only(head + "sync, backup_workers: 1" + fault("worker1")), 1)
            .deaths[0]
            .restart_after.has_value());
  const Scenario waits = only(head + "sync, rejoin_limit: 5 s" + fault("worker1"));
  CHECK(waits.training.rejoin_limit == Duration{5'000'000'000});
  CHECK(fault_schedule_of(waits, 1).deaths[0].restart_after.has_value());
  CHECK(only(to_yaml(waits)) == waits);
  for (const char* node : {"worker0", "server0"}) {
    CHECK(scenario_error(head + "ssp" + fault(node))
              .find(std::string("faults[0].restart_after: nobody can take the place of ") + node) !=
          std::string::npos);
  }
  // With rejoin_limit, servers, the chief and workers of rings can come back, too.
  for (const char* node : {"worker0", "server0"}) {
    const Scenario begins = only(head + "ssp, rejoin_limit: 5 s" + fault(node));
    CHECK(begins.faults.at(0).restart_after == Duration{});
  }
  for (const char* ring : {"all_reduce", "local_sgd"}) {
    const Scenario begins = only(head + ring + ", rejoin_limit: 5 s" + fault("worker1"));
    CHECK(begins.faults.at(0).restart_after == Duration{});
    CHECK(only(to_yaml(begins)) == begins);
  }
  // In a sweep some cases support it.
  const auto cases = parse_scenario(
      head + "async" + fault("worker1") + "sweep: {training.strategy: [sync, async]}\n", "x.yaml",
      {});
  REQUIRE(cases.size() == 2);
  CHECK_FALSE(cases[0].scenario.faults.at(0).restart_after.has_value());
  CHECK(cases[1].scenario.faults.at(0).restart_after.has_value());
  CHECK(scenario_error(head + "async}\nfaults: [{at: 1 s, stop: worker1, for: 1 s, "
                              "restart_after: 1 s}]\n")
            .find("only a killed node is restarted") != std::string::npos);
}

TEST_CASE("faults: where nobody is left to wait for a lost node, that is said, and what to do") {
  const auto said = [](const std::string& training) {
    return scenario_error("foretrain: 1\ntraining: {" + training + ", rejoin_limit: 5 s}\n");
  };
  for (const char* several : {"sync", "sync, backup_workers: 1", "async", "all_reduce"}) {
    CAPTURE(several);
    CHECK(said("workers: 3, strategy: " + std::string(several)) == "(no error)");
  }
  const std::string error = said("strategy: single");
  CAPTURE(error);
  CHECK(error.find("training.rejoin_limit") != std::string::npos);
  CHECK(error.find("a single worker has nobody who waits for it") != std::string::npos);
  CHECK(error.find("run --max-restarts restarts from the newest checkpoint") != std::string::npos);
}

TEST_CASE("faults: a stop is a pause of its node alone") {
  const Scenario scenario = only(kHead + "faults: [{at: 2 s, stop: server0, for: 1 s}]\n");
  PauseDraws server(scenario, 3);
  const auto pause = server.next();
  REQUIRE(pause.has_value());
  CHECK(pause->begin == Instant{2'000'000'000});
  CHECK(pause->length == Duration{1'000'000'000});
  CHECK_FALSE(server.next().has_value());
  CHECK_FALSE(PauseDraws(scenario, 0).next().has_value());
  CHECK(is_stopped(scenario, 3));
  CHECK_FALSE(is_stopped(scenario, 4));
}

TEST_CASE("faults: what cannot be is refused, with its key") {
  CHECK(fault_error("at: 1 s") ==
        "faults[0]: has no event; write one of kill, join, stop, cut, slow");
  CHECK(fault_error("at: 1 s, kill: worker0, join: worker1") ==
        "faults[0]: kill, join in one fault; write one for each");
  CHECK(fault_error("kill: worker0").find("faults[0].at: missing") != std::string::npos);
  CHECK(fault_error("at: 0 s, kill: worker0").find("faults[0].at: ") == 0);
  CHECK(fault_error("at: 20, kill: worker0").find("has no unit") != std::string::npos);
  CHECK(fault_error("at: 1 s, kill: worker3") ==
        "faults[0]: there is no worker3; the nodes are worker0 to worker2, server0 to server1");
  CHECK(fault_error("at: 1 s, join: server0").find("faults[0].join: a missing server") == 0);
  CHECK(fault_error("at: 1 s, stop: server0").find("faults[0].for: missing") != std::string::npos);
  CHECK(fault_error("at: 1 s, kill: server0, for: 1 s").find("faults[0].for: ") == 0);
  CHECK(fault_error("at: 1 s, slow: server0, for: 1 s").find("faults[0].to: missing") !=
        std::string::npos);
  CHECK(fault_error("at: 1 s, slow: server0, to: 0.5, for: 1 s").find("write for instance 0.5 %") !=
        std::string::npos);
  CHECK(fault_error("at: 1 s, slow: server0, to: 200 %, for: 1 s").find("up to 100 %") !=
        std::string::npos);
  CHECK(fault_error("at: 1 s, stop: server0, one_way: on, for: 1 s").find("faults[0].one_way: ") ==
        0);
  CHECK(fault_error("at: 1 s, cut: [server0], for: 1 s").find("faults[0].cut: names 1 nodes") == 0);
  CHECK(fault_error("at: 1 s, cut: [server0, server0], for: 1 s").find("both are on node3") !=
        std::string::npos);
  CHECK(fault_error("at: 2 s, join: worker1}, {at: 2 s, kill: worker1") ==
        "faults: worker1 would join at 2 s, but be killed at 2 s; let it join earlier");
}

TEST_CASE("faults: without hosts there is no link") {
  const std::string text = "foretrain: 1\ntraining: {workers: 2}\nfaults: [{at: 1 s, ";
  for (const char* fault : {"cut: [worker0, server0]", "slow: worker0, to: 1 %"}) {
    CHECK(scenario_error(text + fault + ", for: 1 s}]\n").find("list cluster.hosts") !=
          std::string::npos);
  }
}

TEST_CASE("faults: a sweep may have cases without the node") {
  const std::string text =
      "foretrain: 1\nfaults: [{at: 1 s, kill: worker2}]\nsweep: {training.workers: [2, 3]}\n";
  const auto cases = parse_scenario(text, "x.yaml", {});
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].scenario.faults.empty());
  CHECK(cases[1].scenario.faults.size() == 1);
}

TEST_CASE("faults: the keys that stragglers had for it are told to be gone") {
  const std::string text = "foretrain: 1\ntraining: {workers: 2}\nstragglers: [{";
  CHECK(scenario_error(text + "dies_at: 5 s}]\n") ==
        "x.yaml:3:15: stragglers[0].dies_at: this key was removed; write faults: [{at: 20 s, kill: "
        "worker1}] at the top level");
  CHECK(scenario_error(text + "joins_at: 5 s}]\n").find("join: worker1") != std::string::npos);
}

}  // namespace
