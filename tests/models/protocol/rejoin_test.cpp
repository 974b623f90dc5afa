// A lost worker that comes back as a new process, with messages in any order.
#include "models/protocol/async.h"
#include "models/protocol/backup.h"
#include "models/protocol/registry.h"
#include "tests/support/protocol_options.h"
#include "tests/support/server_by_hand.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {
using testing::ServerByHand;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

constexpr std::int64_t kRejoinSteps = 10;

// A server with two workers.
ServerByHand async_by_hand() { return ServerByHand(small_training("async", 2, 1, kRejoinSteps)); }

TEST_CASE("rejoin: a gradient of the process that is gone counts once, or not at all") {
  ServerByHand by_hand = async_by_hand();
  Effects asked = by_hand.push(1, 0, 0);
  CHECK(by_hand.applied(asked).size() == 1);
  // The next gradient is being applied when its worker is lost: it counts, but nobody gets an
  // answer.
  asked = by_hand.push(1, 1, 1);
  CHECK(by_hand.give(PeerLost{NodeId(1)}).empty());
  CHECK(by_hand.push(1, 2, 1).empty());
  CHECK(by_hand.give(PeerBack{NodeId(1), 2}).empty());
  // Late messages of the old process, before and after the new process has pulled.
  CHECK(by_hand.push(1, 2, 1).empty());
  CHECK(by_hand.pull(1, 1).empty());  // of the old process
  CHECK(by_hand.pull(1, 2).empty());  // the values are being updated
  CHECK(by_hand.push(1, 2, 1).empty());
  const Effects told = by_hand.applied(asked);
  REQUIRE(told.size() == 1);
  const auto& answer = std::get<Send>(told[0]);
  CHECK(answer.to == NodeId(1));
  CHECK(answer.message.kind == MessageKind::parameters);
  CHECK(answer.message.step == Step{3});
  CHECK(answer.message.version == Version{2});
  CHECK(by_hand.push(1, 2, 1).empty());
  asked = by_hand.push(1, 3, 2);
  const Effects applied = by_hand.applied(asked);
  REQUIRE(applied.size() == 1);
  CHECK(std::get<Send>(applied[0]).message.version == Version{3});
  CHECK(std::get<Send>(applied[0]).message.step == Step{3});
}

TEST_CASE("rejoin: who pulls out of turn is named") {
  ServerByHand by_hand = async_by_hand();
  const auto is_fault = [](const Effects& effects) {
    return effects.size() == 1 && std::holds_alternative<Fault>(effects[0]);
  };
  CHECK(is_fault(by_hand.pull(1, 1)));  // it was never lost
  by_hand.give(PeerLost{NodeId(1)});
  by_hand.give(PeerBack{NodeId(1), 2});
  CHECK(by_hand.pull(1, 2).size() == 1);
  CHECK(is_fault(by_hand.pull(1, 2)));  // a duplicate
}

TEST_CASE("rejoin: who comes back to a training that is over is told so, and ends") {
  ServerByHand by_hand = async_by_hand();
  by_hand.give(PeerLost{NodeId(1)});
  for (std::int64_t step = 0; step < 2 * kRejoinSteps; ++step) {
    Effects asked = by_hand.push(0, step, step);
    by_hand.applied(asked);
  }
  by_hand.give(PeerBack{NodeId(1), 2});
  Effects told = by_hand.pull(1, 2);
  REQUIRE(told.size() == 1);
  Message& message = std::get<Send>(told[0]).message;
  CHECK(message.kind == MessageKind::stop);
  const auto worker = make_node(by_hand.training, NodeId(1));
  worker->rejoin(2);
  Effects effects;
  worker->handle({1}, Started{}, effects);
  REQUIRE(effects.size() == 1);
  CHECK(std::get<Send>(effects[0]).message.kind == MessageKind::pull);
  effects.clear();
  worker->handle({2}, Received{by_hand.training->server(0), std::move(message)}, effects);
  REQUIRE(effects.size() == 1);
  CHECK(std::holds_alternative<Finished>(effects[0]));
}

TEST_CASE("rejoin: only workers of a strategy that takes them back, and never the chief") {
  for (const Protocol& protocol : protocols()) {
    if (!protocol.servers) continue;
    const auto training = small_training(std::string(protocol.name), 2, 1, 3);
    const bool takes_back = protocol.name == "async" || protocol.name == "ssp";
    CHECK(may_come_back(*training, NodeId(1)) == takes_back);
    if (!reads(protocol, kBackupWorkers)) continue;
    set_option(training->options, "backup_workers", 1);
    CHECK(may_come_back(*training, NodeId(1)));
    CHECK_FALSE(may_come_back(*training, NodeId(0)));
    CHECK_FALSE(may_come_back(*training, NodeId(2)));
  }
}

TEST_CASE("rejoin: with a node that nobody goes on without all begin again, if they wait for it") {
  const auto training = small_training("sync", 2, 1, 3);
  CHECK_FALSE(begins_again(*training, NodeId(1), 0));
  training->return_limit = Duration{1'000'000'000};
  for (const std::uint32_t node : {0, 1, 2}) CHECK(begins_again(*training, NodeId(node), 0));
  set_option(training->options, "backup_workers", 1);
  CHECK_FALSE(begins_again(*training, NodeId(1), 0));
  CHECK(begins_again(*training, NodeId(0), 0));
}

/// Whether the last process of a worker got initial values before the training was over.
bool took_part(const Shuffled& nodes, int worker) {
  const auto& rows = nodes.input_rows[static_cast<std::size_t>(worker)];
  const auto after =
      std::ranges::find(rows.rbegin(), rows.rend(), InputRow::Kind::started, &InputRow::kind)
          .base();
  return std::any_of(after, rows.end(), [](const InputRow& row) {
    return row.kind == InputRow::Kind::received &&
           row.message == static_cast<std::uint16_t>(MessageKind::parameters);
  });
}

// In any state of messages under way, all gradients are made and each counts once.
TEST_CASE("rejoin: workers come and go in hundreds of orders, every gradient counts once") {
  const std::string strategy = GENERATE("async", "ssp");
  const bool own = GENERATE(false, true);
  int returned = 0;
  int whole = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(strategy, own, seed);
    Stream draw(seed, "test.rejoin");
    const int workers = 2 + static_cast<int>(draw.below(3));
    const int servers = 1 + static_cast<int>(draw.below(2));
    auto training = small_training(strategy, workers, servers, kRejoinSteps, Bytes{8'000});
    set_option(training->options, "staleness", static_cast<int>(draw.below(3)));
    if (own) set_option(training->options, "quota", "own");
    Shuffled shuffled(training, seed);
    shuffled.haunted = draw.below(2) == 0;
    const int before = returned;
    bool all_return = true;
    for (int worker = 1; worker < workers; ++worker) {
      int at = 0;
      for (std::uint64_t lives = draw.below(3); lives > 0; --lives) {
        at += 1 + static_cast<int>(draw.below(150));
        shuffled.lose_after(at, worker);
        if (lives == 1 && draw.below(4) == 0) {
          all_return = false;
          break;
        }
        at += static_cast<int>(draw.below(100));
        shuffled.take_back_after(at, worker);
        ++returned;
      }
    }
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(!shuffled.weights.empty());
    const std::int64_t quota = kRejoinSteps * workers;
    if (own) {
      CHECK(shuffled.updates <= quota);
      for (int worker = 1; worker < workers; ++worker) {
        all_return = all_return && took_part(shuffled, worker);
      }
      if (all_return) ++whole;
      // Each return loses the step that was under way.
      if (all_return) CHECK(shuffled.updates + returned - before >= quota);
    } else {
      CHECK(shuffled.updates == quota);
      CHECK(shuffled.gradients == quota);
    }
    std::set<std::pair<int, std::int64_t>> steps;
    for (std::size_t i = 0; i < shuffled.steps.size(); ++i) {
      steps.emplace(shuffled.step_workers[i], shuffled.steps[i].step.value);
    }
    CHECK(steps.size() == shuffled.steps.size());
  }
  CHECK(returned > 100);
  CHECK((!own || whole > 30));
}

std::shared_ptr<Training> with_backups_of(int workers, int backups, int servers) {
  auto training = small_training("sync", workers, servers, kRejoinSteps, Bytes{8'000});
  set_option(training->options, "backup_workers", backups);
  training->updates = kRejoinSteps;
  return training;
}

/// Draws losses and returns of workers 1 to `backups`. Returns the number of returns.
int draw_lives(Stream& draw, Shuffled& shuffled, int backups) {
  int returned = 0;
  for (int worker = 1; worker <= backups; ++worker) {
    int at = 0;
    for (std::uint64_t lives = draw.below(4); lives > 0; --lives) {
      at += 1 + static_cast<int>(draw.below(200));
      shuffled.lose_after(at, worker);
      if (lives == 1 && draw.below(4) == 0) break;  // it stays away
      at += static_cast<int>(draw.below(100));
      shuffled.take_back_after(at, worker);
      ++returned;
    }
  }
  return returned;
}

TEST_CASE("rejoin: backup workers come and go, each step is made of as many gradients") {
  const int servers = GENERATE(1, 2, 3);
  const int backups = GENERATE(1, 2);
  int returned = 0;
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(servers, backups, seed);
    Stream draw(seed, "test.rejoin.backups");
    const auto training = with_backups_of(3 + static_cast<int>(draw.below(3)), backups, servers);
    Shuffled shuffled(training, seed);
    shuffled.haunted = servers == 1 && draw.below(2) == 0;
    returned += draw_lives(draw, shuffled, backups);
    shuffled.run();
    // If its part of a chosen gradient is lost with it, the training ends.
    for (const Fault& fault : shuffled.faults) {
      CAPTURE(fault.why, index_of(fault.peer.value_or(NodeId(0))));
      CHECK(fault.why.find("never received its part") != std::string::npos);
    }
    if (!shuffled.faults.empty()) ++missed;
    if (!shuffled.faults.empty()) continue;
    CHECK(!shuffled.weights.empty());
    CHECK(shuffled.updates == kRejoinSteps);
    CHECK(shuffled.gradients == kRejoinSteps * (training->workers - backups));
    std::set<std::pair<int, std::int64_t>> steps;
    for (std::size_t i = 0; i < shuffled.steps.size(); ++i) {
      steps.emplace(shuffled.step_workers[i], shuffled.steps[i].step.value);
    }
    CHECK(steps.size() == shuffled.steps.size());
  }
  CHECK(returned > 100);
  CHECK(missed <= (servers == 1 ? 0 : 75));
}

TEST_CASE("rejoin: with backup workers who comes back joins the step under way") {
  const auto training = with_backups_of(3, 1, 1);
  training->layout =
      std::make_shared<Layout>(make_layout(training->network->parameters(), Bytes{1'000'000}, 1));
  const auto server = make_node(training, training->server(0));
  const auto give = [&](Input input) {
    Effects effects;
    server->handle({}, std::move(input), effects);
    return effects;
  };
  const auto push = [&](int worker, std::int64_t step, std::int64_t version) {
    Message message{.kind = MessageKind::push, .step = {step}, .version = {version}};
    message.payload = Payload::allocate({7'850 * 4});
    std::ranges::fill(message.payload.writable_floats(), 0.5F);
    return give(Received{NodeId(worker), std::move(message)});
  };
  CHECK(push(1, 0, 0).empty());
  // Its push no longer completes a step.
  CHECK(give(PeerLost{NodeId(1)}).empty());
  CHECK(push(0, 0, 0).empty());
  CHECK(give(PeerBack{NodeId(1), 2}).empty());
  CHECK(push(1, 1, 0).empty());  // of the old process
  const Effects told =
      give(Received{NodeId(1), {.kind = MessageKind::pull, .step = {}, .version = {2}}});
  REQUIRE(told.size() == 1);
  const Message& answer = std::get<Send>(told[0]).message;
  CHECK(answer.kind == MessageKind::parameters);
  CHECK(answer.step == Step{2});
  CHECK(answer.version == Version{0});
  Effects asked = push(1, 2, 0);
  REQUIRE(asked.size() == 1);
  CHECK(std::get<Compute>(asked[0]).job.pushes == 2);
  const Effects twice =
      give(Received{NodeId(1), {.kind = MessageKind::pull, .step = {}, .version = {2}}});
  REQUIRE(twice.size() == 1);
  CHECK(std::holds_alternative<Fault>(twice[0]));
}

std::shared_ptr<Training> kept_with_returns(const std::string& kind, int servers, bool by_time) {
  const bool backups = kind == "backups";
  auto training = backups ? with_backups_of(3, 1, servers)
                          : small_training(kind, 3, servers, kRejoinSteps, Bytes{8'000});
  training->steps = 24;
  if (backups) training->updates = 24;
  if (by_time) {
    training->checkpoint.time = Duration{1};
  } else {
    training->checkpoint.steps = 2;
  }
  return training;
}

TEST_CASE(
    "rejoin: after a return there are checkpoints again, each gradient counts once from there") {
  const std::string kind = GENERATE("async", "ssp", "backups");
  const int servers = GENERATE(1, 2);
  const bool by_time = GENERATE(false, true);
  int after = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(kind, servers, by_time, seed);
    const auto training = kept_with_returns(kind, servers, by_time);
    Stream draw(seed, "test.rejoin.kept");
    Shuffled nodes(training, seed);
    const int lost = 60 + static_cast<int>(draw.below(120));
    const int back = lost + static_cast<int>(draw.below(40));
    nodes.lose_after(lost, 1);
    nodes.take_back_after(back, 1);
    nodes.run();
    CHECK(nodes.kept.moved == 0);
    if (!nodes.faults.empty() && kind == "backups") continue;  // a chosen worker was lost
    REQUIRE(nodes.faults.empty());
    for (const auto& [cut, states] : nodes.kept.cuts) {
      if (std::ssize(states.states) < training->nodes()) continue;  // lost before all had saved
      CAPTURE(cut);
      if (nodes.kept.begun_at.at(cut) > back) ++after;
      Shuffled resumed(training, seed + 100, &states);
      resumed.run();
      CHECK(resumed.faults.empty());
      CHECK(resumed.finished == training->nodes());
      CHECK(resumed.updates == nodes.updates);
      CHECK(resumed.gradients == nodes.gradients);
      std::set<std::pair<int, std::int64_t>> steps;
      for (std::size_t i = 0; i < nodes.steps.size(); ++i) {
        const std::pair step(nodes.step_workers[i], nodes.steps[i].step.value);
        if (step.second < states.reported.at(step.first)) CHECK(steps.insert(step).second);
      }
      for (std::size_t i = 0; i < resumed.steps.size(); ++i) {
        CHECK(steps.emplace(resumed.step_workers[i], resumed.steps[i].step.value).second);
      }
    }
  }
  CHECK(after > 30);
}

}  // namespace
}  // namespace foretrain
