// Trainings that share hosts, a network.
#include "reports/record/files.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

// One worker on node0, a server on node1, a port of 1 MB/s between them.
Case shared_port(const TempFolder& folder, const std::string& training) {
  const std::string path = folder / "other.yaml";
  std::ofstream(path) << "foretrain: 1\nmodel: softmax\ndataset: {take: 600, test_take: 200}\n"
                      << "training: " << training << "\n";
  Case scenario_case = star_case("sync", 1, 10, 100_ms);
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.nic = {1e6};
  host.cores = 4;
  scenario_case.scenario.training.overlap = false;
  ColocatedJob colocated_job;
  colocated_job.scenario = path;
  colocated_job.placement = {{"node0"}, {"node1"}};
  scenario_case.scenario.colocated_jobs = {colocated_job};
  return scenario_case;
}

double way_s() { return static_cast<double>(message_size().value) / 1e6; }

TEST_CASE("neighbours: two equal trainings halve a port that both use at a time") {
  const TempFolder folder;
  Case shared = shared_port(folder, "{strategy: sync, workers: 1, steps: 10, overlap: off}");
  const Record record = simulate(shared);
  // Until the last update, so without the transfer of the last values.
  CHECK(record.time.seconds() == Approx(10 * (0.1 + 4 * way_s()) - 2 * way_s()).epsilon(1e-6));
  REQUIRE(record.colocated_jobs.size() == 1);
  CHECK(record.colocated_jobs[0].name == "other");
  CHECK(record.colocated_jobs[0].steps >= 9);
  CHECK(record.colocated_jobs[0].scenario.find("overlap: off") != std::string::npos);
  CHECK(to_csv(result_of({record}).tables.front()).find("\nneighbours,\"other: ") !=
        std::string::npos);
  write_record(record, folder / "record");
  CHECK(read_record(folder / "record") == record);
  shared.scenario.colocated_jobs.clear();
  CHECK(simulate(shared).time.seconds() ==
        Approx(10 * (0.1 + 2 * way_s()) - way_s()).epsilon(1e-6));
}

TEST_CASE("neighbours: one that starts late disturbs only what comes after") {
  const TempFolder folder;
  Case shared = shared_port(folder, "{strategy: sync, workers: 1, steps: 100, overlap: off}");
  shared.scenario.colocated_jobs[0].starts_at = 1_s;
  const Record record = simulate(shared);
  const double alone = 0.1 + 2 * way_s();
  for (const StepRow& row : record.steps) {
    const Phases& p = row.report.phases;
    const double step = (p.compute + p.push + p.wait + p.apply + p.pull).seconds();
    const double begin = (row.report.start - Instant{}).seconds();
    if (begin + alone < 1) CHECK(step == Approx(alone).epsilon(1e-6));
    CHECK(step >= alone - 1e-6);
  }
  CHECK(!record.colocated_jobs[0].done);
}

TEST_CASE("neighbours: cores of a host are dealt on to its second training") {
  const TempFolder folder;
  Case shared = shared_port(folder, "{strategy: sync, workers: 1, steps: 10, overlap: off}");
  shared.scenario.cluster.hosts[0].nic = {1e18};
  CHECK(simulate(shared).time.seconds() == Approx(10 * 0.1).epsilon(1e-6));
  shared.scenario.cluster.hosts[0].cores = 1;
  CHECK(simulate(shared).time.seconds() > 15 * 0.1);
}

void fails(const Case& scenario_case, const std::string& with) {
  CHECK_THROWS_WITH(simulate(scenario_case), Catch::Contains(with));
}

TEST_CASE("neighbours: what is wrong with one is told at its key") {
  const TempFolder folder;
  Case many = shared_port(folder, "{strategy: sync, workers: 3, steps: 10}");
  fails(many, "neighbours[0].workers: names 1 hosts, but 3 of");
  Case swept = shared_port(folder,
                           "{strategy: sync, workers: 1, steps: 10}\n"
                           "sweep: {training.batch_size: [1, 2]}");
  fails(swept, "has a sweep of 2 cases; name a file with one");
  Case aiming =
      shared_port(folder, "{workers: 1, steps: 10, evaluate_every: 5, until: {loss: 0.5}}");
  fails(aiming, "trains until a target");
  Case nested = shared_port(folder,
                            "{workers: 1, steps: 10}\n"
                            "cluster: {hosts: [{name: a, count: 2, compute: 1 ms}]}\n"
                            "neighbours: [{scenario: x.yaml}]");
  fails(nested, "lists neighbours, too; move them into this list");
  Case fed = shared_port(folder,
                         "{workers: 1, steps: 10}\n"
                         "cluster: {hosts: [{name: a, count: 2, compute: 1 ms}]}");
  std::ofstream(fed.scenario.colocated_jobs[0].scenario)
      << "foretrain: 1\ntraining: {workers: 1, steps: 10}\ndataset: {served_by: a0}\n"
         "cluster: {hosts: [{name: a, count: 2, compute: 1 ms}]}\n";
  fails(fed, "dataset.served_by: there is no host a0 here");
  std::ofstream(fed.scenario.colocated_jobs[0].scenario)
      << "foretrain: 1\ntraining: {workers: 1, steps: 10}\nframework: {session_host: a1}\n"
         "cluster: {hosts: [{name: a, count: 2, compute: 1 ms}]}\n";
  fails(fed, "framework.session_host: there is no host a1 here");
  Case missing = shared_port(folder, "{steps: 1}");
  missing.scenario.colocated_jobs[0].scenario = folder / "none.yaml";
  fails(missing, "neighbours[0].scenario: ");
  const auto parse = [](const std::string& rest) {
    return parse_scenario("foretrain: 1\nname: x\nmodel: softmax\n" + rest, "x.yaml");
  };
  CHECK_THROWS_WITH(parse("neighbours: [{scenario: a.yaml}]\n"),
                    Catch::Contains("neighbours[0]: there is no cluster.hosts to share"));
  CHECK_THROWS_WITH(
      parse("cluster: {hosts: [{name: a, count: 2, compute: 1 ms}]}\n"
            "neighbours: [{scenario: a.yaml, workers: [b], servers: [a0]}]\n"),
      Catch::Contains("neighbours[0].workers[0]: there is no host b; there are a0, a1"));
}

}  // namespace
}  // namespace foretrain::testing
