// The declared properties of strategies, compared with their behaviour.
#include "models/protocol/registry.h"

#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace foretrain {
namespace {
using testing::Shuffled;
using testing::small_training;

std::shared_ptr<Training> training_by(const Protocol& protocol, std::int64_t steps) {
  const int workers = protocol.several_workers ? 3 : 1;
  const Bytes bucket_size{protocol.several_workers ? 4'000 : 1'000'000};
  return small_training(std::string(protocol.name), workers, protocol.servers ? 2 : 0, steps,
                        bucket_size);
}

TEST_CASE("protocols: each has a name of its own, a sentence, keys of its own") {
  std::set<std::string_view> names;
  for (const Protocol& protocol : protocols()) {
    CAPTURE(protocol.name);
    CHECK(names.insert(protocol.name).second);
    CHECK(!protocol.doc.empty());
    CHECK(find_protocol(protocol.name) == &protocol);
    CHECK((protocol.weighed_against.empty() || find_protocol(protocol.weighed_against) != nullptr));
  }
  std::set<std::string> paths;
  for (const Option* option : protocol_options()) CHECK(paths.insert(option->path()).second);
  CHECK(find_protocol("nothing") == nullptr);
}

TEST_CASE("protocols: nodes send the kinds of message that their strategy lists, no others") {
  for (const Protocol& protocol : protocols()) {
    CAPTURE(protocol.name);
    const auto training = training_by(protocol, 6);
    training->evaluate_every = 2;
    training->target = {.accuracy = 0, .loss = 2.2};
    training->checkpoint.time = Duration{1};
    std::set<MessageKind> sent;
    Shuffled nodes(training, 1);
    nodes.late = [&](int /*to*/, const Message& message) {
      sent.insert(message.kind);
      return false;
    };
    nodes.run();
    CHECK(nodes.faults.empty());
    CHECK(nodes.finished == training->nodes());
    CHECK(sent.empty() == !protocol.several_workers);
    for (const MessageKind kind : sent) {
      CHECK(std::ranges::find(protocol.messages, kind) != protocol.messages.end());
    }
  }
}

TEST_CASE("protocols: who is deterministic ends with the same weights in any order") {
  for (const Protocol& protocol : protocols()) {
    const auto training = training_by(protocol, 5);
    if (!protocol.deterministic(training->options)) continue;
    CAPTURE(protocol.name);
    Shuffled first(training, 1);
    first.run();
    REQUIRE(!first.weights.empty());
    for (std::uint64_t seed = 2; seed < 6; ++seed) {
      Shuffled other(training, seed);
      other.run();
      CHECK(other.weights == first.weights);
    }
  }
}

TEST_CASE("protocols: an update takes as many gradients as the strategy says") {
  for (const Protocol& protocol : protocols()) {
    CAPTURE(protocol.name);
    const auto training = training_by(protocol, 32);
    const auto an_update = protocol.gradients_an_update(training->options, training->workers);
    Shuffled nodes(training, 1);
    nodes.run();
    CHECK(nodes.gradients == 32 * training->workers);
    CHECK(nodes.updates * an_update == nodes.gradients);
  }
}

}  // namespace
}  // namespace foretrain
