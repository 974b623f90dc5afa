// The error for a training that exceeds this machine's memory.
#include "exec/launch/memory_need.h"

#include "scenarios/language/input_error.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::exec {
namespace {

using Catch::Matchers::Contains;

/// The error about the memory of this training, without creating its data set; or `fits`.
std::string told_of_memory(const std::string& dataset) {
  const Case each =
      parse_scenario("foretrain: 1\ndataset: " + dataset + "\ntraining: {workers: 2, steps: 2}\n",
                     "x.yaml")
          .front();
  const Prepared prepared = prepare(each, Need::shape);
  try {
    check_memory(prepared.scenario_case, *prepared.training, prepared.data_memory);
  } catch (const InputError& error) {
    return error.what();
  }
  return "fits";
}

TEST_CASE("memory need: a data set that no machine holds is told at its key, with its size") {
  const std::string told = told_of_memory("{take: 2000000000}");
  CHECK_THAT(told, Contains("x.yaml:2:") && Contains("dataset.take: the nodes of this training"));
  CHECK_THAT(told, Contains("3144.0 GB of that are examples, of which each worker has a copy"));
  CHECK_THAT(told_of_memory("{take: 300, test_take: 2000000000}"),
             Contains("x.yaml:2:") && Contains("dataset.test_take: the nodes of this training"));
  CHECK(told_of_memory("{take: 300, test_take: 100}") == "fits");
}

TEST_CASE("memory need: where the examples are little of it, all that takes less is named") {
  const Case each = parse_scenario(
                        "foretrain: 1\ndataset: {take: 300, test_take: 100}\n"
                        "training: {workers: 2, steps: 2, batch_size: 100}\n",
                        "x.yaml")
                        .front();
  const Prepared prepared = prepare(each, Need::shape);
  DataMemory data = prepared.data_memory;
  data.drawing = {4'000'000'000'000};
  CHECK_THROWS_WITH(check_memory(each, *prepared.training, data),
                    Contains("GB left; use fewer workers or examples, a smaller model or batch"));
}

}  // namespace
}  // namespace foretrain::exec
