// The recorded inputs of a node, by which a replay recognizes them.
#include "reports/record/input_row.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain {
namespace {

Received push(std::uint32_t from, std::int64_t step, std::uint32_t bucket) {
  return {NodeId(from), {.kind = MessageKind::push, .step = {step}, .bucket = bucket}};
}

TEST_CASE("input row: each input matches its own row and no other's") {
  const std::vector<Input> inputs{Started{},
                                  push(1, 2, 3),
                                  push(1, 2, 4),
                                  push(1, 3, 3),
                                  push(2, 2, 3),
                                  Received{NodeId(1), {.kind = MessageKind::enough, .step = {2}}},
                                  Computed{JobId(7), {}},
                                  Computed{JobId(8), {}},
                                  TimerFired{TimerId(7)},
                                  PeerLost{NodeId(7)},
                                  PeerBack{NodeId(7), 2}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputRow row = row_of(NodeId(9), {100}, inputs[i]);
    CHECK(row.node == 9);
    CHECK(row.time == Instant{100});
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      CAPTURE(i, j);
      CHECK(matches(row, inputs[j]) == (i == j));
    }
  }
}

TEST_CASE("input row: what a message carries is no part of it") {
  Received heavy = push(1, 2, 3);
  heavy.message.payload = Payload::sized({1'000});
  heavy.message.version = {5};
  CHECK(matches(row_of(NodeId(0), {}, push(1, 2, 3)), heavy));
}

TEST_CASE("input row: what a job took is kept") {
  const Computed computed{JobId(7), {}, Duration{1'234}};
  const InputRow row = row_of(NodeId(0), {}, computed);
  CHECK(row.took == Duration{1'234});
  CHECK(matches(row, computed));
}

}  // namespace
}  // namespace foretrain
