// Hosts of the library, hosts based on them.
#include "scenarios/library/library.h"
#include "scenarios/spec/reference.h"
#include "tests/scenarios/messages.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"
#include "tests/support/variable.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

const std::string kHostHead = "foretrain: 1\ncluster:\n  hosts:\n    - ";

HostSpec host_like(const std::string& item, const std::vector<std::string>& overrides = {}) {
  return only(kHostHead + item + "\n", overrides).cluster.hosts.front();
}

std::string error_of_host(const std::string& item) {
  return scenario_error(kHostHead + item + "\n");
}

TEST_CASE("hardware: every host of the library is whole") {
  const std::vector<HostSpec> hosts = library_hosts();
  CHECK(hosts.size() >= 16);
  for (const HostSpec& host : hosts) {
    CAPTURE(host.name);
    CHECK(host.cores > 1);
    CHECK(host.latency.ns > 0);
    CHECK(host.send.per_item_s > 0);
    CHECK(host.receive.per_item_s > 0);
    // Gradient times are known without measuring this machine.
    CHECK((host.devices > 0 ? host.device : host.roofline).described());
    CHECK((host.devices > 0 ? host.device : host.roofline).memory_bandwidth.value > 0);
    CHECK((host.devices > 1) == (host.device_link.rate.value > 0));
    CHECK(host.flow_rate <= host.nic);
  }
}

TEST_CASE("hardware: every device of the library has a name, a launch that takes its time") {
  for (const HostSpec& host : library_hosts()) {
    if (host.devices == 0) continue;
    CAPTURE(host.name);
    CHECK(!host.device_name.empty());
    CHECK(host.device.overhead >= Duration{2'000});
    CHECK(host.device.overhead <= Duration{20'000});
  }
}

TEST_CASE("hardware: hosts that NVIDIA sells are bought, those of clouds are not") {
  for (const HostSpec& host : library_hosts()) {
    CAPTURE(host.name);
    CHECK(host.bought == (host.name.starts_with("dgx") && host.price.per_hour > 0));
  }
  CHECK_THAT(error_of_host("{name: a, bought: on}"), Contains("the host has no price"));
}

TEST_CASE("hardware: a device is found by a word of what its driver calls it") {
  const std::vector<HostSpec> hosts = library_hosts();
  const auto found = [&](const std::string& called) {
    const HostSpec* host = host_with_device(hosts, called);
    return host == nullptr ? std::string("none") : host->device_name;
  };
  CHECK(found("Tesla V100-SXM2-32GB") == "V100");
  CHECK(found("NVIDIA A100-SXM4-80GB") == "A100");
  CHECK(found("NVIDIA H100 80GB HBM3") == "H100");
  CHECK(found("tesla p100-PCIE-16GB") == "P100");
  CHECK(found("Tesla K80") == "K80");
  CHECK(found("Tesla T4") == "T4");
  CHECK(found("NVIDIA A10G") == "A10G");
  CHECK(found("NVIDIA H200") == "H200");
  CHECK(found("NVIDIA B200") == "B200");
  CHECK(found("NVIDIA GeForce RTX 4090") == "RTX 4090");
  // Other chips with similar names.
  for (const char* other :
       {"Tesla V100S-PCIE-32GB", "NVIDIA A10", "NVIDIA GH200 480GB", "NVIDIA GB200", "T40", ""}) {
    CAPTURE(other);
    CHECK(found(other) == "none");
  }
}

TEST_CASE("hardware: every figure of the library says where it is from") {
  const std::regex figure("^ *(- \\{)?[a-z_]+: [^#]*[0-9a-z]");
  const std::regex source("  # (assumed: .{10,}|.*(19|20)[0-9]{2}.*)$");
  std::vector<fs::path> files;
  for (const char* folder : {"/scenarios/hardware", "/scenarios/devices"}) {
    for (const auto& file : fs::directory_iterator(source_dir() + folder)) {
      if (file.path().extension() == ".yaml") files.push_back(file.path());
    }
  }
  CHECK(files.size() >= 40);
  for (const fs::path& file : files) {
    std::ifstream lines(file);
    int figures = 0;
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(file, line);
      CHECK(line.size() <= 100);
      CHECK_FALSE(std::regex_search(line, std::regex("^(name|count|like|machine|compute):")));
      if (!std::regex_search(line, figure)) continue;
      CHECK(std::regex_search(line, source));
      ++figures;
    }
    CHECK(figures >= 5);
  }
}

TEST_CASE("hardware: networks that devices were measured with have their layers in the library") {
  const fs::path layers = fs::path(source_dir()) / "scenarios/clusters/layers";
  int rows = 0;
  for (const HostSpec& host : library_hosts()) {
    for (const MeasuredNetwork& row : host.measured) {
      CAPTURE(host.name, row.network);
      const std::string network = std::regex_replace(row.network, std::regex("_amp$"), "");
      CHECK(fs::exists(layers / (network + ".csv")));
      ++rows;
    }
  }
  CHECK(rows > 30);
}

TEST_CASE("hardware: a scenario has of a host's measured networks the one that it names") {
  const std::string job =
      "foretrain: 1\nmodel: {profile: p.csv, profile_network: resnet50}\ntraining: {steps: 5}\n"
      "cluster: {hosts: [{like: p3.16xlarge}]}\n";
  const Scenario named = only(job);
  CHECK(named.cluster.hosts.front().measured ==
        std::vector<MeasuredNetwork>{{"resnet50", 128, 384.19}});
  CHECK(only(to_yaml(named)) == named);
  const Scenario unnamed = only(job, {"model.profile_network=null"});
  CHECK(unnamed.cluster.hosts.front().measured.empty());
  CHECK(to_yaml(unnamed).find("measured") == std::string::npos);
  CHECK(only(job, {"cluster.hosts[0].like=n1-p100"}).cluster.hosts.front().measured ==
        std::vector<MeasuredNetwork>{{"resnet50", 32, 195}, {"resnet50", 64, 219}});
  CHECK_THAT(scenario_error(job, {"cluster.hosts[0].like=dgx-a100"}),
             StartsWith("x.yaml:2:42: model.profile_network: resnet50, but no host has measured:"));
}

TEST_CASE("hardware: a host is like one of the library, what stands beside it wins") {
  const HostSpec whole = host_like("{like: dgx-1}");
  CHECK(whole.name == "dgx-1");
  CHECK(whole.count == 1);
  CHECK(whole.devices == 8);
  CHECK(whole.device.gflops == 15'700);
  CHECK(whole.device_link.rate.value == 150e9);

  HostSpec changed = whole;
  changed.name = "node";
  changed.count = 4;
  changed.nic = BytesPerSecond{1.25e9};
  changed.device.gflops = 7'000;
  CHECK(host_like("{like: dgx-1, name: node, count: 4, nic: 10 Gbps, device: {gflops: 7000}}") ==
        changed);
  CHECK(host_like("{name: node, count: 4, device: {gflops: 7000}, nic: 10 Gbps, like: dgx-1}") ==
        changed);
}

TEST_CASE("hardware: names of several hosts are parted from their numbers") {
  CHECK(host_like("{like: dgx-1, count: 4}").name == "dgx-1-");
  CHECK(host_like("{like: P3.16xlarge, count: 4}").name == "p3.16xlarge");
  const std::string placed =
      kHostHead + "{like: dgx-1, count: 2}\n  placement: {workers: [dgx-1-0, dgx-1-1]}\n";
  CHECK(only(placed + "training: {strategy: all_reduce, workers: 2}\n").cluster.hosts[0].count ==
        2);
}

TEST_CASE("hardware: without devices that the library has, theirs is no mistake") {
  const HostSpec host = host_like("{like: dgx-1, devices: 0, compute: 2 ms}");
  CHECK(host.devices == 0);
  CHECK(host.device == Roofline{});
  CHECK(host.device_link == DeviceLinkSpec{});
  // A key in the scenario itself is still checked.
  CHECK_THAT(error_of_host("{like: dgx-1, devices: 0, device: {gflops: 7000}}"),
             StartsWith("x.yaml:4:") && Contains("cluster.hosts[0].device") &&
                 Contains("the host has no devices"));
}

TEST_CASE("hardware: a name that the library has not is told with those that it has") {
  CHECK_THAT(error_of_host("{like: dgx1}"),
             StartsWith("x.yaml:4:14: cluster.hosts[0].like: the library has no dgx1; did you mean "
                        "dgx-1? there are a2-highgpu-8g, a3-highgpu-8g, c220g2, "));
  for (const char* name : {"''", "[dgx-1]", "../hardware/dgx-1", "../quickstart"}) {
    CAPTURE(name);
    CHECK_THAT(error_of_host(std::string("{like: ") + name + "}"),
               StartsWith("x.yaml:4:14: cluster.hosts[0].like: "));
  }
  CHECK_THAT(error_of_host("{cores: 4}"), Contains("cluster.hosts[0].name: missing"));
  CHECK_THAT(error_of_host("{like: ~}"), Contains("cluster.hosts[0].name: missing"));
}

TEST_CASE("hardware: --set and sweeps say what a host is like, and what it has beside") {
  const std::string dgx = "{like: dgx-1}";
  CHECK(host_like(dgx, {"cluster.hosts[0].like=p2.8xlarge"}) == host_like("{like: p2.8xlarge}"));
  CHECK(host_like(dgx, {"cluster.hosts[0].device.gflops=5"}).device.gflops == 5);
  CHECK(host_like("{name: a, like: dgx-1}", {"cluster.hosts[0].like=null"}).devices == 0);
  CHECK_THAT(scenario_error(kHostHead + dgx + "\n", {"cluster.hosts[0].like=dgx1"}),
             StartsWith("--set cluster.hosts[0].like=dgx1: cluster.hosts[0].like: "));
  const auto cases = parse_scenario(
      kHostHead + dgx + "\nsweep:\n  cluster.hosts[0].like: [dgx-1, p2.8xlarge]\n", "x.yaml", {});
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].scenario.cluster.hosts[0].device.gflops == 15'700);
  CHECK(cases[1].scenario.cluster.hosts[0].device.gflops == 4'365);
}

TEST_CASE("hardware: several hosts of a name are written in short") {
  const auto hosts = [](const std::string& cluster) {
    return only("foretrain: 1\ncluster: " + cluster + "\n").cluster.hosts;
  };
  const auto four = hosts("{hosts: [{like: dgx-1, count: 4}]}");
  for (const char* cluster :
       {"4 x dgx-1", "DGX-1 x 4", "{hosts: 4 x dgx-1}", "{hosts: [4 x dgx-1]}", "[4 x dgx-1]",
        "{hosts: [{like: 4 x dgx-1}]}"}) {
    CAPTURE(cluster);
    CHECK(hosts(cluster) == four);
  }
  CHECK(hosts("{hosts: [dgx-1, 2 x xl170]}") ==
        hosts("{hosts: [{like: dgx-1}, {like: xl170, count: 2}]}"));
  CHECK_THAT(scenario_error("foretrain: 1\ncluster: 4 x dgx1\n"),
             StartsWith("x.yaml:2:10: cluster.hosts[0].like: the library has no dgx1; did you mean "
                        "dgx-1?"));
  CHECK_THAT(error_of_host("{like: 4 x dgx-1, count: 2}"),
             StartsWith("x.yaml:4:14: cluster.hosts[0].like: the library has no 4 x dgx-1; "));
  CHECK_THAT(error_of_host("0 x dgx-1"), StartsWith("x.yaml:4:7: cluster.hosts[0].count: 0 is "));
}

TEST_CASE("hardware: what concerns the user's line points there") {
  CHECK(scenario_error("foretrain: 1\nnumerics: off\ncluster: 4 x dgx-1\n"
                       "training: {strategy: all_reduce, workers: 40}\n") ==
        "x.yaml:4:43: training.workers: 40 workers: dgx-1-0 has only 8 devices; write fewer, or "
        "add hosts");
  CHECK(scenario_error("foretrain: 1\nnumerics: off\ntraining: {strategy: all_reduce, workers: 2}\n"
                       "cluster:\n  hosts: [{name: a, price: 2 EUR/h},\n"
                       "          {like: n1-v100}]\n") ==
        "x.yaml:6:11: cluster.hosts[1].price: in USD, but cluster.hosts[0].price is in EUR "
        "(x.yaml:5:28); costs are added up, so use one currency");
}

TEST_CASE("hardware: a scenario that is written out needs no library") {
  for (const std::string& name : library_names("hardware")) {
    CAPTURE(name);
    const Scenario scenario = only(kHostHead + "{like: " + name + ", count: 2}\n");
    const std::string text = to_yaml(scenario);
    CHECK(text.find("like") == std::string::npos);
    CHECK(only(text) == scenario);
  }
}

TEST_CASE("hardware: what is wrong in a file of the library is told with its place") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const TempFolder library;
  fs::create_directory(library / "hardware");
  library_variable.set(library.path());
  const auto told = [&](const std::string& text) {
    std::ofstream(library / "hardware/mine.yaml") << text;
    return error_of_host("{like: mine}");
  };
  const std::string file = library / "hardware/mine.yaml";
  CHECK_THAT(told("cores: 4\nnic: 10\n"), StartsWith(file + ":2:6: cluster.hosts[0].nic: 10 "));
  CHECK_THAT(told("cores: 4\nnicc: 10 Gbps\n"),
             StartsWith(file + ":2:1: cluster.hosts[0].nicc: unknown key; did you mean "));
  CHECK_THAT(
      told("like: mine\n"),
      StartsWith(file +
                 ":1:1: cluster.hosts[0].like: files of the library cannot build on each other"));
  CHECK_THAT(told("- 4\n"), StartsWith(file + ":1:1: cluster.hosts[0]: a list; write a mapping"));
  CHECK(told("cores: 4\nname: theirs\n") == "(no error)");
  CHECK(library_hosts().front().name == "mine");
}

TEST_CASE("hardware: the schema has like, with which a host needs no name") {
  const auto keys = scenario_keys();
  CHECK(std::ranges::find(keys, "cluster.hosts[].like") != keys.end());
  CHECK(std::ranges::find(keys, "cluster.links[].like") == keys.end());
}

}  // namespace
}  // namespace foretrain
