// Times of a profile on another device than the measured one.
#include "scenarios/spec/measured_networks.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {

const MeasuredDevice kMeasuredOn{10'000, {900e9}};

TEST_CASE("measured device: all layers gain what the lesser of FLOPs and bandwidth gains") {
  CHECK(time_ratio(kMeasuredOn, {40'000, {1'800e9}, {}}) == 0.5);  // bandwidth doubles
  CHECK(time_ratio(kMeasuredOn, {20'000, {9'000e9}, {}}) == 0.5);  // FLOPs double
  CHECK(time_ratio(kMeasuredOn, {5'000, {300e9}, {}}) == 3);       // a third of the bandwidth
  CHECK(time_ratio(kMeasuredOn, {10'000, {900e9}, {}}) == 1);
}

TEST_CASE("measured device: without bandwidths FLOPs count, without a description nothing") {
  CHECK(time_ratio(kMeasuredOn, {40'000, {}, {}}) == 0.25);
  CHECK(time_ratio({10'000, {}}, {40'000, {1e9}, {}}) == 0.25);
  CHECK(time_ratio({}, {40'000, {1e9}, {}}) == 1);
  CHECK(time_ratio(kMeasuredOn, {}) == 1);
}

TEST_CASE("measured device: a scenario of a profile says it, any other may not") {
  const TempFolder folder;
  std::ofstream(folder / "p.csv") << "layer,parameter_bytes,forward_ms,backward_ms\na,4,1,1\n";
  const std::string told = "profile_device: {gflops: 15700, memory_bandwidth: 900 GB/s}";
  const std::string text = "foretrain: 1\nmodel: {profile: " + (folder / "p.csv") + ", " + told +
                           "}\ntraining: {steps: 5}\n";
  const Scenario once = only(text);
  CHECK(once.model.profile_device == MeasuredDevice{15'700, {900e9}});
  CHECK(only(to_yaml(once)) == once);
  CHECK(scenario_error("foretrain: 1\nmodel: {name: lenet, " + told + "}\n")
            .find("only a profile has a device") != std::string::npos);
  CHECK(scenario_error("foretrain: 1\nmodel: {profile: " + (folder / "p.csv") +
                       ", profile_device: {memory_bandwidth: 900 GB/s}}\ntraining: {steps: 5}\n")
            .find("gflops") != std::string::npos);
}

}  // namespace
}  // namespace foretrain::testing
