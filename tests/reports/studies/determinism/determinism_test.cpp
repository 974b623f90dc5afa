// Two records byte by byte, then a simulation against itself.
#include "reports/studies/determinism/determinism.h"

#include "tests/reports/support.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {

TEST_CASE("determinism: the first file and row that differ are named") {
  const Record first = small_record(Mode::simulate, "sync");
  CHECK(first_difference(first, first).empty());
  Record second = first;
  second.steps[2].report.staleness = 9;
  second.usage[0].rss = {1};
  CHECK(first_difference(first, second).starts_with("steps.csv:4: first `0,1,"));
  second.steps = first.steps;
  CHECK(first_difference(first, second).starts_with("usage.csv:2: "));
  second = first;
  second.evals.pop_back();
  CHECK(first_difference(first, second).starts_with("evals.csv:3: "));
}

TEST_CASE("determinism: a training that depends on its turn is found out") {
  int turn = 0;
  const auto simulated = [&](const Case&) {
    Record record = small_record(Mode::simulate, "sync");
    record.updates += turn++;
    return record;
  };
  const Twins twins = simulate_twice(case_of("sync"), simulated);
  CHECK(twins.difference.starts_with("run.json:"));
  CHECK(verdict(twins).find("two simulations DIFFER at run.json:") != std::string::npos);
}

TEST_CASE("determinism: a simulation comes out the same on another thread") {
  const std::string strategy = GENERATE("sync", "async", "all_reduce");
  CAPTURE(strategy);
  const Twins twins =
      simulate_twice(small_case(strategy, 3, 20), [](const Case& each) { return simulate(each); });
  CHECK(twins.record.outcome == Outcome::done);
  CHECK(twins.difference.empty());
  CHECK(verdict(twins).find("two simulations wrote the same bytes") != std::string::npos);
}

TEST_CASE("determinism: a replay is judged by weights of the same kernels alone") {
  const Record recorded = small_record(Mode::run, "async");
  Record replayed = recorded;
  CHECK(compare_weights(recorded, replayed).as_recorded);
  replayed.weights_sha256 = std::string(64, 'b');
  CHECK_FALSE(compare_weights(recorded, replayed).as_recorded);
  replayed.kernel_set = "avx512";
  CHECK(compare_weights(recorded, replayed).as_recorded);
}

}  // namespace
}  // namespace foretrain::testing
