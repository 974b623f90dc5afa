// The order of messages of collectives.
#include "models/protocol/collective_turns.h"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

namespace foretrain {
namespace {

Send send(MessageKind kind, std::uint32_t bucket, std::int64_t step = 0) {
  return {NodeId{1}, {.kind = kind, .step = {step}, .bucket = bucket}};
}

/// The buckets of the messages that are sent.
std::vector<std::uint32_t> passed(CollectiveTurns& turns, std::vector<Send> sends) {
  Effects effects{SpentCost{}};
  for (Send& each : sends) effects.emplace_back(std::move(each));
  turns.pass(effects);
  REQUIRE(std::holds_alternative<SpentCost>(effects.front()));
  std::vector<std::uint32_t> buckets;
  for (std::size_t i = 1; i < effects.size(); ++i) {
    const Message& message = std::get<Send>(effects[i]).message;
    CHECK(message.in_order);
    buckets.push_back(message.bucket);
  }
  return buckets;
}

using Buckets = std::vector<std::uint32_t>;

TEST_CASE("collective turns: messages wait for those of the collectives before theirs") {
  constexpr auto kGathered = MessageKind::parameters;
  constexpr auto kSum = MessageKind::partial;
  CollectiveTurns turns(true);
  turns.begin(MessageKind::partial, {0}, {4, 3}, 2);
  turns.begin(MessageKind::parameters, {}, {}, 2);
  turns.begin(MessageKind::partial, {1}, {4, 3}, 1);
  CHECK(passed(turns, {send(kGathered, 0), send(kSum, 5)}) == Buckets{5});
  CHECK(passed(turns, {send(kSum, 4, 1)}).empty());
  CHECK(passed(turns, {send(kSum, 6), send(kGathered, 1)}) == Buckets{6, 0, 1, 4});
  turns.begin(MessageKind::parameters, {}, {}, 1);
  CHECK(passed(turns, {send(kGathered, 3)}) == Buckets{3});
}

TEST_CASE("collective turns: new values leave between their sums and those of the next buckets") {
  constexpr auto kValues = MessageKind::parameters;
  constexpr auto kSum = MessageKind::partial;
  CollectiveTurns turns(true);
  turns.begin(MessageKind::partial, {0}, {4, 3}, 2);
  turns.begin(MessageKind::parameters, {0}, {4, 3}, 1);
  turns.begin(MessageKind::partial, {0}, {0, 4}, 1);
  turns.begin(MessageKind::parameters, {0}, {0, 4}, 1);
  CHECK(passed(turns, {send(kSum, 1), send(kSum, 4)}) == Buckets{4});
  CHECK(passed(turns, {send(kValues, 2)}).empty());
  CHECK(passed(turns, {send(kSum, 6)}) == Buckets{6});
  CHECK(passed(turns, {send(kValues, 6)}) == Buckets{6, 1, 2});
}

TEST_CASE("collective turns: a collective of which a worker sends nothing holds nothing back") {
  CollectiveTurns turns(true);
  turns.begin(MessageKind::parameters, {}, {}, 0);
  turns.begin(MessageKind::partial, {0}, {0, 2}, 1);
  CHECK(passed(turns, {send(MessageKind::partial, 1)}) == Buckets{1});
}

}  // namespace
}  // namespace foretrain
