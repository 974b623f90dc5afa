// Invalid clusters: errors of their links name the place.
#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"

#include <string>

using namespace foretrain;

namespace {

std::string cluster_error(const std::string& cluster) {
  return scenario_error("foretrain: 1\ncluster:\n" + cluster);
}

const std::string kTwoHosts = "  hosts: [{name: a}, {name: b}]\n";

/// The error for two hosts and further lines of `cluster:`, from line 4 of the file on.
std::string error_with(const std::string& lines) { return cluster_error(kTwoHosts + lines); }

}  // namespace

TEST_CASE("cluster: a host that no link leads to is told with the one that it cannot reach") {
  CHECK(error_with("  topology: links\n"
                   "  links: [{from: a, to: switch, rate: 1 Gbps}]\n") ==
        "x.yaml:5:10: cluster.links: no link leads to b; add one");
  // Nor is there a link between the two switches.
  CHECK(error_with("  topology: links\n"
                   "  links:\n"
                   "    - {from: a, to: one, rate: 1 Gbps}\n"
                   "    - {from: b, to: other, rate: 1 Gbps}\n") ==
        "x.yaml:6:5: cluster.links: there is no path from a to b; add a link between them");
}

TEST_CASE("cluster: a lone host needs a link too") {
  CHECK(cluster_error("  hosts: [{name: a}]\n"
                      "  topology: links\n"
                      "  links: [{from: one, to: other, rate: 1 Gbps}]\n")
            .find("x.yaml:5:10: cluster.links: no link leads to a; add one") == 0);
}

TEST_CASE("cluster: links may lead over switches and hosts in either direction") {
  const Scenario s = only(
      "foretrain: 1\ntraining: {workers: 2}\ncluster:\n  hosts: [{name: node, count: 3}]\n"
      "  topology: links\n"
      "  links:\n"
      "    - {from: node0, to: node1, rate: 1 Gbps}\n"
      "    - {from: core, to: node1, rate: 40 Gbps, latency: 5 us}\n"
      "    - {from: node2, to: core, rate: 10 Gbps}\n");
  REQUIRE(s.cluster.links.size() == 3);
  CHECK(s.cluster.links[1].rate.value == 5e9);
  CHECK(s.cluster.links[1].latency == Duration{5'000});
  CHECK(only(to_yaml(s)) == s);
}

TEST_CASE("cluster: a host with a price keeps it") {
  const Scenario s =
      only("foretrain: 1\ncluster:\n  hosts: [{name: a, price: 2.50 per hour}, {name: b}]\n");
  CHECK(s.cluster.hosts[0].price == Price{2.5, ""});
  CHECK(s.cluster.hosts[1].price == Price{});
  CHECK(only(to_yaml(s)) == s);
  CHECK(cluster_error("  hosts: [{name: a, price: 2.50}]\n") ==
        "x.yaml:3:28: cluster.hosts[0].price: 2.50 has no unit; write for instance 2.5 per hour");
}

TEST_CASE("cluster: a price keeps its currency, of which a cluster has one") {
  const Scenario s = only(
      "foretrain: 1\ncluster:\n  hosts:\n    - {name: a, price: 3.06 $/h}\n"
      "    - {name: b, price: 2 USD per hour}\n    - {name: free}\n");
  CHECK(s.cluster.hosts[0].price == Price{3.06, "USD"});
  CHECK(to_yaml(s).find("price: 3.06 USD per hour") != std::string::npos);
  CHECK(only(to_yaml(s)) == s);
  CHECK(cluster_error("  hosts: [{name: a, price: 3 $/h}, {name: b, price: 2 EUR/h}]\n") ==
        "x.yaml:3:53: cluster.hosts[1].price: in EUR, but cluster.hosts[0].price is in USD "
        "(x.yaml:3:28); costs are added up, so use one currency");
  CHECK(cluster_error("  hosts: [{name: a, price: 3 $/h}, {name: b, price: 2 per hour}]\n")
            .find("cluster.hosts[1].price: in no currency, but cluster.hosts[0].price is in USD") !=
        std::string::npos);
}

TEST_CASE("cluster: hosts without a node cost nothing") {
  const auto price = [](const std::string& text) {
    return price_per_hour(prepare(parse_scenario(text, "x.yaml").front(), Need::shape)).per_hour;
  };
  CHECK(
      price(
          "foretrain: 1\ntraining: {workers: 2}\ncluster:\n"
          "  hosts: [{name: node, count: 2, price: 3 per hour}, {name: rest, price: 5 per hour}]\n"
          "  placement: {workers: [node0, node1], servers: [node1]}\n") == 6);
  CHECK(price("foretrain: 1\n") == 0);
}

TEST_CASE("cluster: a second link between the same two is refused, whichever end it begins at") {
  for (const char* again : {"{from: a, to: b, rate: 2 Gbps}", "{from: b, to: a, rate: 1 Gbps}"}) {
    CHECK(error_with("  topology: links\n"
                     "  links:\n"
                     "    - {from: a, to: b, rate: 1 Gbps}\n"
                     "    - " +
                     std::string(again) + "\n")
              .find("x.yaml:7:7: cluster.links[1]: cluster.links[0] is also between ") == 0);
  }
}

TEST_CASE("cluster: a link from a place to itself is refused at its end") {
  CHECK(error_with("  topology: links\n"
                   "  links:\n"
                   "    - {from: a, to: b, rate: 1 Gbps}\n"
                   "    - {from: b, to: b, rate: 1 Gbps}\n") ==
        "x.yaml:7:21: cluster.links[1].to: both ends are this host or switch; write the other end");
}

TEST_CASE("cluster: a link misses nothing but its latency") {
  CHECK(error_with("  topology: links\n  links: [{from: a, to: b}]\n")
            .find("x.yaml:5:11: cluster.links[0].rate: ") == 0);
  CHECK(error_with("  topology: links\n  links: [{from: a, rate: 1 Gbps}]\n")
            .find("x.yaml:5:11: cluster.links[0].to: ") == 0);
  CHECK(error_with("  topology: links\n").find("cluster.links: ") != std::string::npos);
}

TEST_CASE("cluster: a topology without hosts is refused") {
  CHECK(cluster_error("  topology: leaf_spine\n") ==
        "x.yaml:3:13: cluster.topology: there is no cluster.hosts; list them, or remove topology");
  CHECK(cluster_error("  topology: links\n  links: [{from: a, to: b, rate: 1 Gbps}]\n") ==
        "x.yaml:3:13: cluster.topology: there is no cluster.hosts; list them, or remove topology");
}

TEST_CASE("cluster: keys of another topology are refused with the one that has them") {
  CHECK(error_with("  topology: leaf_spine\n"
                   "  links: [{from: a, to: b, rate: 1 Gbps}]\n") ==
        "x.yaml:5:10: cluster.links: set to [{from: a, to: b, rate: 1 Gbps}], but no case uses it "
        "(only topology links lists them); remove it");
  CHECK(error_with("  leaf_spine: {spines: 2}\n") ==
        "x.yaml:4:15: cluster.leaf_spine: set to {spines: 2}, but no case uses it (only topology "
        "leaf_spine has leaves); remove it");
  // One case that uses the links is enough; the other cases drop them.
  const auto cases = parse_scenario(
      "foretrain: 1\ncluster:\n  hosts: [{name: a}, {name: b}]\n"
      "  links: [{from: a, to: b, rate: 1 Gbps}]\nsweep: {cluster.topology: [star, links]}\n",
      "x.yaml");
  CHECK(cases.at(0).scenario.cluster.links.empty());
  CHECK(cases.at(1).scenario.cluster.links.size() == 1);
}

TEST_CASE("cluster: no rate is zero or less or without a unit") {
  CHECK(cluster_error("  hosts: [{name: a, nic: 0 bps}]\n")
            .find("x.yaml:3:26: cluster.hosts[0].nic: ") == 0);
  CHECK(cluster_error("  hosts: [{name: a, nic: -1 Gbps}]\n")
            .find("x.yaml:3:26: cluster.hosts[0].nic: ") == 0);
  for (const std::string rate : {"0 bps", "-1 Gbps", "1", "fast", ".nan", "1e99 Gbps"}) {
    CAPTURE(rate);
    CHECK(error_with("  topology: links\n  links: [{from: a, to: b, rate: " + rate + "}]\n")
              .find("x.yaml:5:34: cluster.links[0].rate: ") == 0);
  }
  for (const std::string factor : {"0", "-2", ".nan", "1e9", "much"}) {
    CAPTURE(factor);
    CHECK(error_with("  topology: leaf_spine\n  leaf_spine: {oversubscription: " + factor + "}\n")
              .find("x.yaml:5:34: cluster.leaf_spine.oversubscription: ") == 0);
  }
  CHECK(error_with("  topology: leaf_spine\n  leaf_spine: {spines: 0}\n")
            .find("x.yaml:5:24: cluster.leaf_spine.spines: ") == 0);
  CHECK(error_with("  topology: leaf_spine\n  leaf_spine: {hosts_per_leaf: 0}\n")
            .find("x.yaml:5:32: cluster.leaf_spine.hosts_per_leaf: ") == 0);
  CHECK(error_with("  topology: leaf_spine\n  leaf_spine: {latency: -1 us}\n")
            .find("x.yaml:5:25: cluster.leaf_spine.latency: ") == 0);
}

TEST_CASE("cluster: a burst too small for a packet is refused but not one left out") {
  CHECK(cluster_error("  hosts: [{name: a, burst: 0 B}]\n")
            .find("x.yaml:3:28: cluster.hosts[0].burst: ") == 0);
  CHECK(cluster_error("  hosts: [{name: a, burst: 1 kB}]\n")
            .find("x.yaml:3:28: cluster.hosts[0].burst: ") == 0);
  CHECK(only("foretrain: 1\ncluster: {hosts: [{name: a}]}\n").cluster.hosts[0].burst == Bytes{});
}

TEST_CASE("cluster: devices with their links, what a connection carries") {
  const Scenario scenario = only(
      "foretrain: 1\ntraining: {strategy: all_reduce, workers: 2}\ncluster:\n  connections: 4\n"
      "  hosts:\n    - {name: a, devices: 2, flow_rate: 8 Gbps,\n"
      "       device: {gflops: 100, memory_bandwidth: 10 GB/s, overhead: 5 us},\n"
      "       device_link: {rate: 80 Gbps, latency: 2 us, shared: on}}\n");
  const HostSpec& host = scenario.cluster.hosts.front();
  CHECK(host.devices == 2);
  CHECK(host.device == Roofline{100, {10e9}, Duration{5'000}});
  CHECK(host.device_link == DeviceLinkSpec{{10e9}, Duration{2'000}, true});
  CHECK(host.flow_rate == BytesPerSecond{1e9});
  CHECK(scenario.cluster.connections == 4);
  CHECK(parse_scenario(to_yaml(scenario), "x.yaml").front().scenario == scenario);
}

TEST_CASE("cluster: a host has a device for each of its workers") {
  const std::string text =
      "foretrain: 1\ntraining: {strategy: all_reduce, workers: 4}\ncluster:\n"
      "  hosts: [{name: box, count: 2, devices: 2}]\n"
      "  placement: {workers: [box0, box0, box0, box1]}\n";
  CHECK(scenario_error(text) ==
        "x.yaml:5:24: cluster.placement.workers: 4 workers: box0 has only 2 devices; write fewer, "
        "or add hosts");
  CHECK(scenario_error(text, {"cluster.hosts[0].devices=3"}) == "(no error)");
}

TEST_CASE("cluster: more connections are useless where one carries all there is") {
  CHECK(scenario_error("foretrain: 1\ncluster: {connections: 2, hosts: [{name: a}]}\n")
            .find("no host has a flow_rate") != std::string::npos);
}

TEST_CASE("cluster: what devices there are says is useless without them") {
  CHECK(scenario_error("foretrain: 1\ncluster: {hosts: [{name: a, device: {gflops: 1}}]}\n")
            .find("the host has no devices") != std::string::npos);
}
