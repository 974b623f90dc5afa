// Backup workers: chosen, dropped gradients, agreement between shards.
#include "models/protocol/registry.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

namespace {

std::shared_ptr<Training> with_backups(int workers, int backups, int servers,
                                       std::int64_t updates) {
  auto training = small_training("sync", workers, servers, updates, Bytes{8'000});
  set_option(training->options, "backup_workers", backups);
  training->updates = updates;
  return training;
}

Message push_of(const Training& training, std::uint32_t bucket, std::int64_t version) {
  Message message{.kind = MessageKind::push, .bucket = bucket, .version = {version}};
  message.payload = Payload::allocate(training.layout->buckets[bucket].size());
  std::ranges::fill(message.payload.writable_floats(), 1.0F);
  return message;
}

// The kinds of messages sent to each worker; jobs are executed immediately.
std::vector<std::vector<MessageKind>> answers(Node& server, const Training& training, NodeId from,
                                              Message message) {
  std::vector<std::vector<MessageKind>> kinds(static_cast<std::size_t>(training.nodes()));
  std::vector<Input> inputs;
  inputs.emplace_back(Received{from, std::move(message)});
  while (!inputs.empty()) {
    Effects effects;
    server.handle({}, std::move(inputs.back()), effects);
    inputs.pop_back();
    for (Effect& effect : effects) {
      if (auto* compute = std::get_if<Compute>(&effect)) {
        Serial serial;
        compute->job.work(serial);
        inputs.emplace_back(Computed{compute->job.id, {}});
      } else if (auto* send = std::get_if<Send>(&effect)) {
        kinds[index_of(send->to)].push_back(send->message.kind);
      }
      REQUIRE_FALSE(std::holds_alternative<Fault>(effect));
    }
  }
  return kinds;
}

}  // namespace

TEST_CASE("backup: a protocol says whether an update leaves gradients out") {
  const auto drops = [](const Training& training) {
    return training.protocol->drops(training.options, training.workers);
  };
  CHECK(drops(*with_backups(3, 1, 2, 4)));
  CHECK_FALSE(drops(*with_backups(3, 0, 2, 4)));
  for (const char* strategy : {"async", "ssp", "all_reduce", "local_sgd"}) {
    CAPTURE(strategy);
    CHECK_FALSE(drops(*small_training(strategy, 3, 1, 4, Bytes{8'000})));
  }
}

TEST_CASE("backup: shards agree on every step in any order of arrival") {
  const int workers = GENERATE(2, 3, 5);
  const int backups = GENERATE(1, 2);
  const int servers = GENERATE(1, 2, 4);
  if (backups >= workers) return;
  CAPTURE(workers, backups, servers);
  std::int64_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(with_backups(workers, backups, servers, 9), seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    REQUIRE(shuffled.finished == workers + servers);
    // The number of reported steps equals that of counted gradients.
    CHECK(shuffled.steps.size() == static_cast<std::size_t>(9 * (workers - backups)));
    dropped += shuffled.dropped;
  }
  CHECK(dropped > 0);
}

TEST_CASE("backup: the first that are complete make the step and the late one is sent on") {
  auto training = with_backups(3, 1, 1, 5);
  training->layout =
      std::make_shared<Layout>(make_layout(training->network->parameters(), Bytes{1'000'000}, 1));
  const auto server = make_node(training, training->server(0));
  auto sent = answers(*server, *training, NodeId(2), push_of(*training, 0, 0));
  CHECK(sent == std::vector<std::vector<MessageKind>>{{}, {}, {}, {}});
  sent = answers(*server, *training, NodeId(0), push_of(*training, 0, 0));
  using enum MessageKind;
  CHECK(sent == std::vector<std::vector<MessageKind>>{{parameters}, {}, {parameters}, {}});
  // Late for step 0: its gradient is dropped, and it continues immediately.
  sent = answers(*server, *training, NodeId(1), push_of(*training, 0, 0));
  CHECK(sent == std::vector<std::vector<MessageKind>>{{}, {dropped}, {}, {}});
  // Afterwards it is treated like any other worker.
  sent = answers(*server, *training, NodeId(1), push_of(*training, 0, 1));
  sent = answers(*server, *training, NodeId(2), push_of(*training, 0, 1));
  CHECK(sent == std::vector<std::vector<MessageKind>>{{}, {parameters}, {parameters}, {}});
}

TEST_CASE("backup: as many workers may be lost as there are backups") {
  const auto training = with_backups(4, 2, 1, 5);
  const auto server = make_node(training, training->server(0));
  const auto faults = [&](NodeId peer) {
    Effects effects;
    server->handle({}, PeerLost{peer}, effects);
    return effects.size();
  };
  CHECK(faults(NodeId(3)) == 0);
  CHECK(faults(NodeId(1)) == 0);
  CHECK(faults(NodeId(2)) == 1);
}
