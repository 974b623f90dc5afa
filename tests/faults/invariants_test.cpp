// Every rule detects a mutant that breaks it.
#include "tests/faults/invariants.h"

#include "models/protocol/buffered.h"
#include "models/protocol/ssp.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/simulate.h"
#include "tests/faults/worker_books.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::faults {
namespace {

/// A node program with a filter around it.
class Mutant : public Node {
 public:
  using Change = std::function<void(Node&, Instant, Input, Effects&)>;
  Mutant(std::unique_ptr<Node> program, Change change)
      : program_(std::move(program)), change_(std::move(change)) {}
  void handle(Instant now, Input input, Effects& effects) override {
    change_(*program_, now, std::move(input), effects);
  }

 private:
  std::unique_ptr<Node> program_;
  Change change_;
};

/// Counts every push as buffered forever.
class Hoarder : public Mutant, public Buffering {
 public:
  using Mutant::Mutant;
  void handle(Instant now, Input input, Effects& effects) override {
    if (const auto* received = std::get_if<Received>(&input)) {
      buffered_.take(received->message.payload.size());
    }
    Mutant::handle(now, std::move(input), effects);
  }
};

Case three_workers(const std::string& strategy) {
  Case result;
  Scenario& scenario = result.scenario;
  scenario.name = "mutants";
  scenario.dataset.format = "images";
  scenario.dataset.side = 8;
  scenario.dataset.channels = 1;
  scenario.dataset.classes = 3;
  scenario.dataset.take = 64;
  scenario.dataset.test_take = 16;
  scenario.training.strategy = strategy;
  scenario.training.workers = 3;
  scenario.training.batch_size = 4;
  scenario.training.steps = 12;
  scenario.training.optimizer.learning_rate = 0.2;
  scenario.training.bucket_size = {300};
  HostSpec host;
  host.name = "node";
  host.count = 4;
  host.compute = Duration{10'000'000};
  scenario.cluster.hosts = {host};
  scenario.stragglers.resize(1);
  scenario.stragglers[0].workers = {1};
  scenario.stragglers[0].slowdown = 4;
  return result;
}

/// The violation reported if a `Between` with this change wraps node 1 (or the server, 3), between
/// the program and the observer, or outside the observer.
template <class Between = Mutant>
std::string said(const Case& scenario_case, std::uint32_t who, bool beyond,
                 const Mutant::Change& between, const Training* believed = nullptr) {
  const Prepared prepared = prepare(scenario_case, Need::examples);
  const auto training =
      believed == nullptr ? prepared.training : std::make_shared<const Training>(*believed);
  Invariants invariants(training);
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return Machine{}; };
  options.around = [&](NodeId id, std::unique_ptr<Node> program) {
    const bool here = index_of(id) == who && between;
    if (here && !beyond) program = std::make_unique<Between>(std::move(program), between);
    program = invariants.around(id, std::move(program));
    if (here && beyond) program = std::make_unique<Between>(std::move(program), between);
    return program;
  };
  try {
    const Record record = sim::simulate(prepared, options);
    return record.outcome == Outcome::done ? "" : record.failure;
  } catch (const Broken& broken) {
    return broken.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
  return true;
}

/// Changes the n-th effect that `is_it` accepts.
template <class IsIt, class Do>
Mutant::Change at_effect(int n, IsIt is_it, Do change) {
  return [n, is_it, change](Node& node, Instant now, Input input, Effects& effects) mutable {
    const std::size_t before = effects.size();
    node.handle(now, std::move(input), effects);
    for (std::size_t i = before; i < effects.size(); ++i) {
      auto* send = std::get_if<Send>(&effects[i]);
      if (send == nullptr || !is_it(send->message) || n-- != 0) continue;
      change(send->message);
    }
  };
}

void change_a_number(Message& message) {
  Payload changed = Payload::allocate(message.payload.size());
  const auto to = changed.writable_floats();
  std::ranges::copy(message.payload.floats(), to.begin());
  to[0] += 0.01F;
  message.payload = changed;
}

bool is_values(const Message& message) { return message.kind == MessageKind::parameters; }

TEST_CASE("invariants: nothing is said of who does no wrong") {
  const std::string strategy =
      GENERATE("sync", "async", "ssp", "all_reduce", "local_sgd", "gather_scatter");
  CAPTURE(strategy);
  CHECK(said(three_workers(strategy), 0, false, {}) == "");
}

TEST_CASE("invariants: a message that is lost, or comes twice, is missed") {
  int left = 5;
  const auto mark_lost = [&left](Node& node, Instant now, Input input, Effects& effects) {
    if (std::holds_alternative<Received>(input) && left-- == 0) return;
    node.handle(now, std::move(input), effects);
  };
  has(said(three_workers("async"), 1, true, mark_lost), "a message was lost");
  int right = 5;
  const auto repeat = [&right](Node& node, Instant now, Input input, Effects& effects) {
    if (std::holds_alternative<Received>(input) && right-- == 0) node.handle(now, input, effects);
    node.handle(now, std::move(input), effects);
  };
  has(said(three_workers("async"), 1, true, repeat), "was never sent, or came twice");
}

TEST_CASE("invariants: a server whose values are no sum of its gradients is found") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  CAPTURE(strategy);
  has(said(three_workers(strategy), 3, false, at_effect(7, is_values, change_a_number)),
      "updates a value is");
}

TEST_CASE("invariants: a gradient of another step is found") {
  const auto is_push = [](const Message& message) { return message.kind == MessageKind::push; };
  const auto later = [](Message& message) { ++message.step; };
  has(said(three_workers("async"), 1, false, at_effect(3, is_push, later)), "pushes step");
  const auto older = [](Message& message) { message.version = {message.version.value - 1}; };
  has(said(three_workers("async"), 1, false, at_effect(3, is_push, older)), "by version");
}

TEST_CASE("invariants: a bound of ssp that is one too wide is found") {
  Case scenario_case = three_workers("ssp");
  testing::set_option(scenario_case.scenario.training.protocol, "staleness", 3);
  Training believed = *prepare(scenario_case, Need::examples).training;
  CHECK(said(scenario_case, 0, false, {}, &believed) == "");
  believed.options.set(kStaleness, std::int64_t{2});
  has(said(scenario_case, 0, false, {}, &believed), "ahead of the slowest, 2 are allowed");
}

TEST_CASE("invariants: a server that lets go of no push is found") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  CAPTURE(strategy);
  const auto as_it_is = [](Node& node, Instant now, Input input, Effects& effects) {
    node.handle(now, std::move(input), effects);
  };
  has(said<Hoarder>(three_workers(strategy), 3, false, as_it_is), "bytes of pushes");
}

TEST_CASE("invariants: values that differ from one worker to the next are found") {
  const std::string strategy = GENERATE("all_reduce", "local_sgd");
  CAPTURE(strategy);
  Case scenario_case = three_workers(strategy);
  if (strategy == "local_sgd") {
    testing::set_option(scenario_case.scenario.training.protocol, "local_steps", 2);
  }
  // Worker 1 forwards the buckets of worker 0: every third.
  const auto is_passed_on = [](const Message& message) {
    return is_values(message) && message.bucket % 3 == 0;
  };
  has(said(scenario_case, 1, false, at_effect(4, is_passed_on, change_a_number)),
      "is not the same everywhere after round");
}

TEST_CASE("invariants: a sum that its parts do not make is found, though all have the same") {
  const std::string strategy = GENERATE("all_reduce", "local_sgd");
  CAPTURE(strategy);
  Case scenario_case = three_workers(strategy);
  if (strategy == "local_sgd") {
    testing::set_option(scenario_case.scenario.training.protocol, "local_steps", 2);
  }
  const auto is_sum = [](const Message& message) { return message.kind == MessageKind::partial; };
  has(said(scenario_case, 1, false, at_effect(4, is_sum, change_a_number)), "its parts make");
}

TEST_CASE("invariants: a shard that goes on from a cut which others still keep is found") {
  Case scenario_case = three_workers("sync");
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = 3;
  scenario.checkpoint.every.steps = 2;
  std::vector<HostSpec>& hosts = scenario.cluster.hosts;
  hosts.front().count = 5;
  hosts.push_back(hosts.front());  // of the last server: its messages take longest
  hosts.back().name = "far";
  hosts.back().count = 1;
  hosts.back().latency = Duration{20'000'000};
  CHECK(said(scenario_case, 3, false, {}) == "");
  // Another server's first report is counted twice, in place of a missing one.
  const auto twice = [](Node& node, Instant now, Input input, Effects& effects) {
    const auto* received = std::get_if<Received>(&input);
    if (received != nullptr && received->message.kind == MessageKind::kept) {
      node.handle(now, input, effects);
    }
    node.handle(now, std::move(input), effects);
  };
  has(said(scenario_case, 3, false, twice), "before all have kept it");
}

// As a worker does that continued with one shard before the other knew of it.
TEST_CASE("invariants: a gradient by two versions is found where there are backups") {
  Case scenario_case = three_workers("sync");
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = 2;
  scenario.cluster.hosts.front().count = 5;
  testing::set_option(scenario.training.protocol, "backup_workers", std::int64_t{1});
  CHECK(said(scenario_case, 0, false, {}) == "");
  const Prepared prepared = prepare(scenario_case, Need::examples);
  const Training& training = *prepared.training;
  WorkerBooks::Rounds none;
  WorkerBooks books(prepared.training, training.worker(1), none);
  const auto message = [](MessageKind kind, std::uint32_t bucket, std::int64_t version) {
    return Message{.kind = kind, .step = {1}, .bucket = bucket, .version = {version}};
  };
  Effects pushes;
  for (std::uint32_t bucket = 0; bucket < 2; ++bucket) {
    const NodeId server = training.server(static_cast<int>(bucket));
    const std::int64_t version = 1 + bucket;
    books.happened(Heard(Received{server, message(MessageKind::parameters, bucket, version)}), {});
    pushes.emplace_back(Send{server, message(MessageKind::push, bucket, version)});
  }
  CHECK_THROWS_WITH(books.happened(Heard(Started{}), pushes),
                    "worker1: a gradient of step 1 by version 1 of one bucket, by 2 of another");
}

}  // namespace
}  // namespace foretrain::faults
