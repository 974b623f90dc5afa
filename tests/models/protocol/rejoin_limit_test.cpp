// Who waits for a lost worker ends with the bits of a training that lost nobody.
#include "models/optimizers/optimizer.h"
#include "models/protocol/registry.h"
#include "models/protocol/sync.h"
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
using testing::Shuffled;
using testing::small_training;

constexpr std::int64_t kWaitingSteps = 12;

std::shared_ptr<Training> waiting_training(int workers, int servers) {
  auto training = small_training("sync", workers, servers, kWaitingSteps, Bytes{8'000});
  training->optimizer = make_optimizer({.name = "adam", .learning_rate = 0.01});
  training->evaluate_every = 3;
  training->rejoin_limit = Duration{1'000'000'000};
  return training;
}

/// Workers but the chief go and come back. Returns how often.
int draw_absences(Stream& draw, Shuffled& shuffled, int workers) {
  int returned = 0;
  for (int worker = 1; worker < workers; ++worker) {
    int at = 0;
    for (std::uint64_t lives = draw.below(4); lives > 0; --lives) {
      at += 1 + static_cast<int>(draw.below(250));
      shuffled.lose_after(at, worker);
      at += static_cast<int>(draw.below(100));
      shuffled.take_back_after(at, worker);
      ++returned;
    }
  }
  return returned;
}

/// Each step of a worker is reported once at most; where nobody may have told of it, not at all.
void check_reported_once(const Shuffled& nodes, int workers, int returned) {
  std::set<std::pair<int, std::int64_t>> steps;
  for (std::size_t i = 0; i < nodes.steps.size(); ++i) {
    CHECK(steps.emplace(nodes.step_workers[i], nodes.steps[i].step.value).second);
  }
  CHECK(std::ssize(steps) <= kWaitingSteps * workers);
  CHECK(std::ssize(steps) >= kWaitingSteps * workers - returned);
}

TEST_CASE(
    "rejoin limit: workers go and come in hundreds of orders, the weights are the same bits") {
  const int servers = GENERATE(1, 2, 3);
  int all_returned = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(servers, seed);
    Stream draw(seed, "test.rejoin_limit");
    const int workers = 2 + static_cast<int>(draw.below(3));
    const auto training = waiting_training(workers, servers);
    if (draw.below(2) == 0) training->overlap = false;
    Shuffled plain(training, seed);
    plain.run();
    Shuffled shuffled(training, seed + 1'000);
    shuffled.patient = true;
    const int returned = draw_absences(draw, shuffled, workers);
    all_returned += returned;
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.weights == plain.weights);
    CHECK(shuffled.updates == kWaitingSteps);
    CHECK(shuffled.gradients == kWaitingSteps * workers);
    CHECK(shuffled.evals.size() == plain.evals.size());
    check_reported_once(shuffled, workers, returned);
  }
  CHECK(all_returned > 300);
}

TEST_CASE("rejoin limit: so does a training that ends by its target") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Stream draw(seed, "test.rejoin_limit.target");
    const auto training = waiting_training(3, 2);
    training->optimizer = make_optimizer({.learning_rate = 0.3});
    training->steps = 60;
    training->target.loss = 1.9;
    Shuffled plain(training, seed);
    plain.run();
    CHECK(plain.updates < 60);
    Shuffled shuffled(training, seed + 1'000);
    shuffled.patient = true;
    draw_absences(draw, shuffled, 3);
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.weights == plain.weights);
    CHECK(shuffled.updates == plain.updates);
  }
}

/// What the server does where worker 1 is lost.
struct WaitingServer {
  explicit WaitingServer(Duration limit) : training(waiting_training(2, 1)) {
    training->rejoin_limit = limit;
    server = make_node(training, training->server(0));
  }
  Effects give(Input input) const {
    Effects effects;
    server->handle({}, std::move(input), effects);
    return effects;
  }

  std::shared_ptr<Training> training;
  std::unique_ptr<Node> server;
};

TEST_CASE("rejoin limit: after it a worker that is still lost is the end, by name") {
  const WaitingServer waiting(Duration{2'000'000'000});
  const Effects asked = waiting.give(PeerLost{NodeId(1)});
  REQUIRE(asked.size() == 1);
  const auto& timer = std::get<ArmTimer>(asked[0]);
  CHECK(timer.after == Duration{2'000'000'000});
  CHECK(waiting.give(PeerBack{NodeId(1), 2}).empty());
  // It is lost again: the limit of the first loss is of no concern.
  const Effects again = waiting.give(PeerLost{NodeId(1)});
  CHECK(waiting.give(TimerFired{timer.timer}).empty());
  const Effects end = waiting.give(TimerFired{std::get<ArmTimer>(again.at(0)).timer});
  REQUIRE(end.size() == 1);
  CHECK(std::get<Fault>(end[0]).peer == NodeId(1));
  CHECK(std::get<Fault>(end[0]).why == "it did not come back within 2 s");
}

TEST_CASE("rejoin limit: without it, and of the chief, a loss is the end at once") {
  const auto is_end = [](const Effects& effects) {
    return effects.size() == 1 && std::holds_alternative<Fault>(effects[0]);
  };
  CHECK(is_end(WaitingServer(Duration{}).give(PeerLost{NodeId(1)})));
  CHECK(is_end(WaitingServer(Duration{1}).give(PeerLost{NodeId(0)})));
  const auto training = waiting_training(2, 1);
  CHECK(is_waited_for(*training, NodeId(1)));
  CHECK_FALSE(is_waited_for(*training, NodeId(0)));
  CHECK_FALSE(is_waited_for(*training, NodeId(2)));
  training->rejoin_limit = {};
  CHECK_FALSE(may_come_back(*training, NodeId(1)));
}

TEST_CASE("rejoin limit: who cannot be done without is waited for, and all begin again with it") {
  const auto training = waiting_training(2, 1);
  CHECK_FALSE(begins_again(*training, NodeId(2), 0));
  training->return_limit = Duration{1'000'000'000};
  CHECK(begins_again(*training, NodeId(0), 0));
  CHECK_FALSE(begins_again(*training, NodeId(1), 0));  // alone
  CHECK(begins_again(*training, NodeId(2), 0));
  training->rejoin_limit = {};
  CHECK(begins_again(*training, NodeId(1), 0));
}

}  // namespace
}  // namespace foretrain
