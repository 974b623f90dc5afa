// Workers that leave or return while a server saves its state: their messages wait.
#include "models/protocol/server_cut.h"
#include "tests/support/protocol_options.h"
#include "tests/support/server_by_hand.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {
using testing::ServerByHand;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

/// A server driven message by message. It is saving its state and has applied five gradients, two
/// each of workers 0 and 1, so its three workers are all waiting.
struct KeepingServer : ServerByHand {
  KeepingServer(const std::string& strategy, const CheckpointRule& rule)
      : ServerByHand(keeping(strategy, rule)) {
    if (rule.time.ns > 0) give(TimerFired{ServerCut::kTimer});
    Effects told;
    std::int64_t version = 0;
    for (const auto& [worker, step] : {std::pair(0, 0), {1, 0}, {2, 0}, {0, 1}, {1, 1}}) {
      told = applied(push(worker, step, version++));
    }
    REQUIRE(std::holds_alternative<SaveState>(told.back()));
  }

  static std::shared_ptr<Training> keeping(const std::string& strategy,
                                           const CheckpointRule& rule) {
    auto training = small_training(strategy, 3, 1, 10);
    training->checkpoint = rule;
    return training;
  }
  Effects kept() { return give(Computed{ServerCut::kJob, {}}); }
};

/// The steps that are answered to each worker.
using Answers = std::vector<std::vector<std::int64_t>>;

Answers answers_in(const Effects& effects) {
  Answers steps(3);
  for (const Effect& effect : effects) {
    const auto* send = std::get_if<Send>(&effect);
    if (send != nullptr) steps.at(index_of(send->to)).push_back(send->message.step.value);
  }
  return steps;
}

TEST_CASE("keeping: what a lost process would be told is not told to the next one") {
  const std::string strategy = GENERATE("async", "ssp");
  const std::size_t far = GENERATE(0U, 1U, 2U, 3U);
  CAPTURE(strategy, far);
  KeepingServer server(strategy, {.steps = 1, .time = {}});
  CHECK(server.give(PeerLost{NodeId(2)}).empty());
  CHECK(server.give(PeerLost{NodeId(1)}).empty());
  if (far > 0) {
    CHECK(server.give(PeerBack{NodeId(1), 2}).empty());
    CHECK(server.pull(1, 2).empty());
  }
  if (far > 1) CHECK(server.give(PeerLost{NodeId(1)}).empty());
  if (far > 2) {
    CHECK(server.give(PeerBack{NodeId(1), 3}).empty());
    CHECK(server.pull(1, 3).empty());
  }
  // The first loss releases waiting workers. Worker 1 is not among them any more, and each of its
  // new processes begins with a new step.
  const Answers expected[] = {{{1}, {}, {}}, {{1}, {3}, {}}, {{1}, {}, {}}, {{1}, {4}, {}}};
  CHECK(answers_in(server.kept()) == expected[far]);
}

TEST_CASE("keeping: a checkpoint by time that is given up is not the last") {
  KeepingServer server("async", {.steps = 0, .time = Duration{1}});
  server.give(PeerLost{NodeId(2)});
  const Effects told = server.kept();
  const auto is_timer = [](const Effect& each) { return std::holds_alternative<ArmTimer>(each); };
  CHECK(std::ranges::count_if(told, is_timer) == 1);
}

// Its worker has come back to the first bucket, but not to this one, which has all its gradients.
TEST_CASE("keeping: a server that is over lets those go on who wait for a cut with who came back") {
  const auto training = small_training("async", 2, 2, 2);
  training->checkpoint.steps = 1;
  set_option(training->options, "quota", "own");
  const NodeId first = training->server(0);
  const auto server = make_node(training, training->server(1));
  const auto give = [&](Input input) {
    Effects effects;
    server->handle({}, std::move(input), effects);
    return effects;
  };
  const Bucket& bucket = training->layout->buckets.at(1);
  give(Started{});
  give(PeerLost{NodeId(1)});
  Effects told;
  for (std::int64_t step = 0; step < 2; ++step) {
    Message push{.kind = MessageKind::push, .step = {step}, .bucket = 1, .version = {step}};
    push.payload = Payload::allocate(bucket.size());
    std::ranges::fill(push.payload.writable_floats(), 0.5F);
    const Effects asked = give(Received{NodeId(0), std::move(push)});
    const Job& job = std::get<Compute>(asked.at(0)).job;
    Serial serial;
    job.work(serial);
    told = give(Computed{job.id, {}});
  }
  REQUIRE(std::holds_alternative<Finished>(told.back()));
  give(PeerBack{NodeId(1), 2});
  Message pull{.kind = MessageKind::pull, .step = {1}, .bucket = 1, .version = {2}};
  told = give(Received{NodeId(1), std::move(pull)});
  REQUIRE(told.size() == 1);
  CHECK(std::get<Send>(told[0]).message.kind == MessageKind::stop);
  Message cut{.kind = MessageKind::cut, .version = {2}};
  cut.payload = Payload::allocate(Bytes{2 * 8});
  const std::array<std::int64_t, 2> clocks = {2, 2};
  std::memcpy(cut.payload.writable_bytes().data(), clocks.data(), sizeof clocks);
  told = give(Received{first, std::move(cut)});
  REQUIRE(told.size() == 1);
  CHECK(std::get<Send>(told[0]).to == first);
  CHECK(std::get<Send>(told[0]).message.kind == MessageKind::kept);
}

TEST_CASE("keeping: workers go and come in hundreds of orders, and all come to the end") {
  const std::string kind = GENERATE("async", "ssp", "backups");
  const int servers = GENERATE(1, 2);
  const bool backups = kind == "backups";
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(kind, servers, seed);
    const auto training =
        small_training(backups ? "sync" : kind, backups ? 4 : 3, servers, 24, Bytes{8'000});
    training->updates = 24;
    training->checkpoint.steps = 1;
    if (backups) set_option(training->options, "backup_workers", 2);
    if (!backups && seed % 2 == 0) set_option(training->options, "quota", "own");
    Stream draw(seed, "test.keeping");
    Shuffled nodes(training, seed);
    int at = 60 + static_cast<int>(draw.below(120));
    for (const int worker : {2, 1, 2, 1}) {
      at += 1 + static_cast<int>(draw.below(2));
      nodes.lose_after(at, worker);
      nodes.take_back_after(at + static_cast<int>(draw.below(2)), worker);
    }
    nodes.run();
    CHECK(nodes.kept.moved == 0);
    if (!nodes.faults.empty() && backups) continue;  // a chosen worker was lost
    for (const Fault& fault : nodes.faults) FAIL(fault.why);
    CHECK(nodes.finished == training->nodes());
    ++ended;
  }
  CHECK(ended > 20);
}

}  // namespace
}  // namespace foretrain
