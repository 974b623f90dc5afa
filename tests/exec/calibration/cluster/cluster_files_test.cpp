// The files that describe a measured cluster.
#include "exec/calibration/cluster/cluster_files.h"

#include "scenarios/language/input_error.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"
#include "tests/exec/calibration/cluster/made_up.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain::testing {
namespace {

Scenario trained_there() { return small_case("sync", 3, 10).scenario; }

TEST_CASE("cluster files: the scenario that is written is read, with its hosts by kind") {
  exec::ClusterFound found = made_up_cluster(3);
  found.hosts[1].processor.name = "Intel(R) Xeon(R) Platinum";
  found.pairs[0].bytes_ps = {1e6, 1e6, 1e6};
  const std::string text = exec::cluster_yaml(found, trained_there());
  CAPTURE(text);
  const auto cases = parse_scenario(text, "cluster.yaml");
  REQUIRE(cases.size() == 1);
  const auto& hosts = cases.front().scenario.cluster.hosts;
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].name == "amd-epyc-7b13");
  CHECK(hosts[0].count == 2);
  CHECK(hosts[0].cores == 4);
  CHECK(hosts[0].nic == BytesPerSecond{25e6});
  CHECK(hosts[0].flow_rate == BytesPerSecond{});
  CHECK(hosts[0].latency == Duration{2'000'000});
  CHECK(hosts[0].machine == "amd-epyc-7b13.yaml");
  CHECK(hosts[1].name == "intel-xeon-platinum");
  CHECK(hosts[1].count == 1);
  CHECK(text.starts_with("# 3 hosts of 2 kinds, 6 pairs measured in turn, 2026-11-25"));
  CHECK(text.find("# amd-epyc-7b13: node0, node2.\n") != std::string::npos);
  CHECK(text.find("# Slower than the rest: node0 to node1: ") != std::string::npos);
  CHECK(text.find("# If all hosts send at once, each to the next, a pair has at least 100 %") !=
        std::string::npos);
}

TEST_CASE("cluster files: what is written in a folder is read there with its machine files") {
  const TempFolder folder;
  write_cluster(made_up_cluster(2), trained_there(), folder.path());
  const auto cases = read_scenario(folder / "cluster.yaml", {});
  const HostSpec& host = cases.front().scenario.cluster.hosts.front();
  CHECK(host.count == 2);
  const Machine machine = read_machine(host.machine);
  CHECK(machine.name == "amd-epyc-7b13, as node1");
  CHECK(machine.models == made_up_cluster(2).hosts[0].machine.models);
}

TEST_CASE("cluster files: a folder that is not there cannot be written") {
  CHECK_THROWS_AS(write_cluster(made_up_cluster(2), trained_there(), "/proc/no/such"), InputError);
}

TEST_CASE("cluster files: the summary is a screen that says what is slow") {
  exec::ClusterFound found = made_up_cluster(4);
  for (exec::PairFound& pair : found.pairs) pair.bytes_ps.front() /= 10;
  found.ring[0] /= 2;
  const std::string text = exec::cluster_summary(found);
  CAPTURE(text);
  CHECK(text.find("4 hosts of 1 kind, 12 pairs measured in turn") == 0);
  CHECK(text.find("200 Mbps") != std::string::npos);
  CHECK(text.find("19.69 Mbps") != std::string::npos);
  CHECK(text.find("2 ms") != std::string::npos);
  CHECK(text.find("down to 50 %") != std::string::npos);
  CHECK(std::ranges::count(text, '\n') < 24);
}

}  // namespace
}  // namespace foretrain::testing
