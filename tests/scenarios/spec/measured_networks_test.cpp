// Measured training rates of devices: tables over batch sizes, the rows that a case has.
#include "scenarios/spec/measured_networks.h"

#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

const std::string kRow64 = "        - {network: resnet50, batch_size: 64, examples_per_s: 256}\n";
const std::string kRow32 = "        - {network: resnet50, batch_size: 32, examples_per_s: 320}\n";
const std::string kRowVgg = "        - {network: vgg16, batch_size: 64, examples_per_s: 154}\n";

/// A profile on a host with two devices, whose rows begin on line 9.
std::string measured_scenario(const std::string& rows, const std::string& network,
                              const std::string& rest = {}) {
  const std::string named = network.empty() ? "" : ", profile_network: " + network;
  return "foretrain: 1\nmodel: {profile: p.csv" + named +
         "}\ntraining: {steps: 5}\ncluster:\n  hosts:\n    - name: box\n      devices: 2\n" +
         (rows.empty() ? "" : "      measured:\n" + rows) + rest;
}

std::vector<MeasuredNetwork> rows_read(const std::string& text) {
  const Scenario once = only(text);
  CHECK(only(to_yaml(once)) == once);
  return once.cluster.hosts.front().measured;
}

TEST_CASE("measured networks: a batch takes its size over the rate, straight between two rows") {
  const std::vector<MeasuredNetwork> rows{
      {"resnet50", 64, 256}, {"vgg16", 16, 1}, {"resnet50", 32, 320}};
  CHECK(measured_gradient(rows, "resnet50", 32) == 100_ms);
  CHECK(measured_gradient(rows, "resnet50", 64) == 250_ms);
  CHECK(measured_gradient(rows, "resnet50", 48) == 175_ms);
  CHECK(measured_gradient(rows, "resnet50", 128) == 550_ms);  // extrapolated from the last two
  CHECK(measured_gradient(rows, "vgg16", 8) == 8'000_ms);     // one row: in proportion
  CHECK_FALSE(measured_gradient(rows, "alexnet", 8).has_value());
  CHECK_FALSE(measured_gradient(rows, "", 8).has_value());
}

TEST_CASE("measured networks: rows are told in the order of their batches") {
  const std::vector<MeasuredNetwork> rows{
      {"resnet50", 128, 384.19}, {"vgg16", 16, 1}, {"resnet50", 32, 320}};
  CHECK(measured_text(rows, "resnet50") ==
        "resnet50, 320 examples/s at a batch of 32, 384.2 at 128");
  CHECK(measured_text(rows, "alexnet").empty());
  CHECK(networks_in(rows) == std::vector<std::string>{"resnet50", "vgg16"});
}

TEST_CASE("measured networks: a case has the rows of the network that it names") {
  CHECK(rows_read(measured_scenario(kRow64 + kRowVgg + kRow32, "resnet50")) ==
        std::vector<MeasuredNetwork>{{"resnet50", 64, 256}, {"resnet50", 32, 320}});
  CHECK(rows_read(measured_scenario(kRow64 + kRowVgg, "")).empty());
  CHECK(to_yaml(only(measured_scenario(kRow64, ""))).find("measured") == std::string::npos);
  // Neighbours may use the rows of other networks.
  CHECK(rows_read(measured_scenario(kRow64 + kRowVgg, "resnet50",
                                    "neighbours: [{scenario: other.yaml}]\n"))
            .size() == 2);
}

TEST_CASE("measured networks: a batch size that is there twice is told with both places") {
  CHECK(scenario_error(measured_scenario(kRow64 + kRowVgg + kRow32, "resnet50")) == "(no error)");
  for (const char* network : {"resnet50", ""}) {
    CHECK(scenario_error(measured_scenario(kRow64 + kRow64, network)) ==
          "x.yaml:10:43: cluster.hosts[0].measured[1].batch_size: a second row of resnet50 at 64 "
          "(the first: x.yaml:9:43); keep one");
  }
}

TEST_CASE("measured networks: a network that nobody measured is told with those that are known") {
  CHECK(scenario_error(measured_scenario(kRow64 + kRowVgg, "resnet5")) ==
        "x.yaml:2:42: model.profile_network: resnet5 was not measured on these hosts; did you mean "
        "resnet50? measured are resnet50, vgg16");
  CHECK(scenario_error(measured_scenario("", "resnet50")) ==
        "x.yaml:2:42: model.profile_network: resnet50, but no host has measured: rates; write "
        "measured: for a host, or remove it");
  // Hosts with rows may be added later: whatif --deadline tries those of the library.
  CHECK(scenario_error("foretrain: 1\nmodel: {profile: p.csv, profile_network: resnet50}\n"
                       "training: {steps: 5}\n") == "(no error)");
  const std::string beside = "    - {name: other, devices: 1}\n";
  CHECK(scenario_error(measured_scenario(kRow64, "resnet50", beside)) == "(no error)");
}

TEST_CASE(
    "measured networks: without devices, without a profile, without a rate nothing is known") {
  const std::string head = "foretrain: 1\ncluster:\n  hosts:\n    - {name: n, ";
  CHECK_THAT(scenario_error(head + "measured: [{network: a, batch_size: 1, examples_per_s: 1}]}\n"),
             StartsWith("x.yaml:4:27: cluster.hosts[0].measured: set to ") &&
                 Contains("the host has no devices"));
  CHECK_THAT(
      scenario_error(head + "devices: 1, measured: [{network: a, batch_size: 1}]}\n"),
      StartsWith("x.yaml:4:") && Contains("cluster.hosts[0].measured[0].examples_per_s: missing"));
  CHECK_THAT(scenario_error("foretrain: 1\nmodel: {name: lenet, profile_network: resnet50}\n"),
             Contains("model.profile_network: set to resnet50, but no case uses it (only a profile "
                      "has shares of layers)"));
}

/// The error of preparing the scenario with one layer of these times.
std::string preparing_error(const std::string& times, const std::string& rows, int batch_size) {
  const TempFolder folder;
  std::ofstream(folder / "p.csv") << "layer,parameter_bytes,forward_ms,backward_ms\na,4000,"
                                  << times << "\n";
  return error_of([&] {
    prepare(parse_scenario(measured_scenario(rows, "resnet50"), "x.yaml",
                           {"model.profile=" + (folder / "p.csv"),
                            "training.batch_size=" + std::to_string(batch_size)})
                .front(),
            Need::shape);
  });
}

TEST_CASE("measured networks: rows that make no time, or none that could be counted, are refused") {
  CHECK(preparing_error("1,2", kRow32 + kRow64, 16) == "(no error)");
  CHECK_THAT(preparing_error("0,0", kRow32, 32),
             Contains("model.profile: all its times are 0, so the measured time cannot be shared "
                      "among layers"));
  CHECK_THAT(preparing_error("1,2", kRow32 + kRow64, 2),
             StartsWith("x.yaml:") &&
                 Contains(": cluster.hosts[0].measured: by these rows a batch of 2 of resnet50 "
                          "takes no time; "));
  const std::string slow = "        - {network: resnet50, batch_size: 64, examples_per_s: 1e-9}\n";
  CHECK_THAT(preparing_error("1,2", slow, 64),
             Contains("cluster.hosts[0].measured: by these rows 64 examples of resnet50 take "
                      "longer than 1000000 s; check examples_per_s"));
}

}  // namespace
}  // namespace foretrain::testing
