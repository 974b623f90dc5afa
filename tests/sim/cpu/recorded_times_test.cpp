// Job times of a recorded run, used again in a simulation.
#include "sim/cpu/recorded_times.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;

InputRow computed_row(std::uint32_t node, std::uint64_t id, Duration took) {
  InputRow row;
  row.kind = InputRow::Kind::computed;
  row.node = node;
  row.id = id;
  row.took = took;
  return row;
}

Job numbered(std::uint64_t id) {
  Job job;
  job.id = JobId{id};
  return job;
}

TEST_CASE("recorded times: each number has its own sequence, each node its own jobs") {
  const std::vector<InputRow> inputs{computed_row(0, 1, 10_us), computed_row(1, 1, 500_us),
                                     computed_row(0, 2, 70_us), computed_row(0, 1, 30_us),
                                     InputRow{}};
  RecordedTimes times(inputs, NodeId(0));
  CHECK(times.begin(numbered(1)) == 10_us);
  CHECK(times.begin(numbered(2)) == 70_us);
  CHECK(times.begin(numbered(1)) == 30_us);
  CHECK(RecordedTimes(inputs, NodeId(1)).begin(numbered(1)) == 500_us);
}

TEST_CASE("recorded times: more jobs than the run had take the median of them") {
  const std::vector<InputRow> inputs{computed_row(0, 1, 10_us), computed_row(0, 1, 900_us),
                                     computed_row(0, 1, 30_us)};
  RecordedTimes times(inputs, NodeId(0));
  for (int i = 0; i < 3; ++i) CHECK(times.begin(numbered(1)).has_value());
  CHECK(times.begin(numbered(1)) == 30_us);
  CHECK(times.begin(numbered(1)) == 30_us);
}

TEST_CASE("recorded times: one that is not known takes the median, in its place") {
  const std::vector<InputRow> inputs{computed_row(0, 1, 10_us), computed_row(0, 1, {}),
                                     computed_row(0, 1, 20_us), computed_row(0, 1, 90_us)};
  RecordedTimes times(inputs, NodeId(0));
  for (const Duration took : {10_us, 20_us, 20_us, 90_us}) CHECK(times.begin(numbered(1)) == took);
}

TEST_CASE("recorded times: of what nobody measured nothing is known") {
  const std::vector<InputRow> inputs{computed_row(0, 1, {})};
  CHECK_FALSE(RecordedTimes(inputs, NodeId(0)).begin(numbered(1)).has_value());
  CHECK_FALSE(RecordedTimes(inputs, NodeId(0)).begin(numbered(2)).has_value());
  CHECK_FALSE(RecordedTimes().begin(numbered(1)).has_value());
}

}  // namespace
}  // namespace foretrain::sim
