// Forecasts by measured training rates of the library, on the command line.
#include "tests/cli/sandbox.h"
#include "tests/cli/told.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

constexpr const char* kMeasuredJob =
    "simulate clusters/dlperf --set training.steps=3 --set model.profile_network=";

TEST_CASE("measured: a network of the library on a host of the library takes what was measured") {
  Sandbox sandbox;
  const Called called = sandbox.call(std::string(kMeasuredJob) +
                                     "resnet50 --set 'cluster={hosts: [{like: p3.16xlarge}]}'");
  REQUIRE(called.status == 0);
  // 128 examples at 384.19 per second, independently of the data sheet.
  CHECK(testing::squeezed(called.out).find("\n step [ms] 333.2\n") != std::string::npos);
  std::string said = called.out;
  std::ranges::replace(said, '\n', ' ');
  CHECK(
      said.find(
          "Assumptions: compute times of p3.16xlarge were measured on one such device: resnet50, "
          "384.2 examples/s at a batch of 128; they are shared among layers as in the profile.") !=
      std::string::npos);
}

TEST_CASE("measured: a network that the host was not measured with is told with those that are") {
  Sandbox sandbox;
  const Called called = sandbox.call(std::string(kMeasuredJob) +
                                     "resnet500 --set 'cluster={hosts: [{like: p3.16xlarge}]}'");
  CHECK(called.status != 0);
  CHECK(called.err.find(
            "model.profile_network: resnet500 was not measured on these hosts; did you mean "
            "resnet50? measured are bert_base, bert_base_amp, resnet50, resnet50_amp") !=
        std::string::npos);
}

}  // namespace
}  // namespace foretrain
