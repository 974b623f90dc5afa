// A profile cannot be run.
#include "exec/launch/run.h"
#include "scenarios/input_error.h"
#include "scenarios/read.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::exec {
namespace {

TEST_CASE("run: a profile is refused before anything is opened") {
  const Case scenario_case =
      parse_scenario("foretrain: 1\nmodel: {profile: p.csv}\ntraining: {steps: 1}\n", "x.yaml")
          .front();
  std::string message;
  try {
    run(scenario_case, {});
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message ==
        "x.yaml:2:18: model.profile: a profile has times, no layers to train; simulate it");
}

}  // namespace
}  // namespace foretrain::exec
