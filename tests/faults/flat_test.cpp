// The memory of a training's nodes does not grow with its steps.
#include "models/base/parallel.h"
#include "models/protocol/backup.h"
#include "models/protocol/registry.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/faults/draw.h"

#include <catch2/catch.hpp>

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::faults {
namespace {

constexpr std::int64_t kLong = 600;  // steps per worker

std::int64_t heap_in_use() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

/// Whether the heap size is available; it is not with a sanitizer.
bool heap_is_told() {
  if (heap_in_use() > 0) return true;
  WARN("skipped: this build does not tell what is on the heap");
  return false;
}

/// The heap size at each step of any worker.
class Heap {
 public:
  // Reserves memory first, so that its own growth is not measured.
  explicit Heap(const Training& training) {
    at_step_.reserve(static_cast<std::size_t>(2 * kLong * training.workers));
  }

  void note(const Effect& effect) {
    const auto* report = std::get_if<Report>(&effect);
    if (report == nullptr || !std::holds_alternative<StepReport>(*report)) return;
    at_step_.push_back(heap_in_use());
  }
  [[nodiscard]] std::int64_t steps() const { return std::ssize(at_step_); }
  /// Growth in bytes from the early steps to those after the middle.
  [[nodiscard]] std::int64_t growth() const { return most_in(4, 7) - most_in(1, 2); }

 private:
  /// The largest heap size between two eighths of the steps.
  [[nodiscard]] std::int64_t most_in(std::int64_t from, std::int64_t to) const {
    const std::int64_t eighth = steps() / 8;
    return *std::max_element(at_step_.begin() + from * eighth, at_step_.begin() + to * eighth);
  }

  std::vector<std::int64_t> at_step_;
};

/// Drives the node programs of a training without storing their reports.
class Unrecorded {
 public:
  explicit Unrecorded(const std::shared_ptr<const Training>& training)
      : training_(training), heap_(*training) {
    for (int node = 0; node < training->nodes(); ++node) {
      nodes_.push_back(make_node(training, NodeId(node)));
      todo_.push_back({node, Started{}});
    }
  }

  /// This worker is lost soon after the begin; a new process replaces it later.
  void replace(NodeId worker) { leaving_ = worker; }

  void run() {
    while (!todo_.empty()) {
      Todo next = std::move(todo_.front());
      todo_.pop_front();
      Effects effects;
      nodes_[static_cast<std::size_t>(next.node)]->handle({++clock_}, std::move(next.input),
                                                          effects);
      for (Effect& effect : effects) perform(next.node, effect);
      most_waiting_ = std::max(most_waiting_, todo_.size());
      if (leaving_ && heap_.steps() >= kLong / 20) mark_lost(*std::exchange(leaving_, {}));
      if (gone_ && (todo_.empty() || clock_ >= back_at_)) take_back(*gone_);
    }
  }

  [[nodiscard]] std::size_t most_waiting() const { return most_waiting_; }
  [[nodiscard]] const Heap& heap() const { return heap_; }
  [[nodiscard]] bool returned() const { return returned_; }

 private:
  struct Todo {
    int node;
    Input input;
  };

  void tell_peers(NodeId of, const Input& input) {
    for (const NodeId peer : peers_of(*training_, of)) {
      todo_.push_back({static_cast<int>(index_of(peer)), input});
    }
  }

  // Messages under way to and from it are lost.
  void mark_lost(NodeId worker) {
    gone_ = worker;
    std::erase_if(todo_, [worker](const Todo& todo) {
      const auto* received = std::get_if<Received>(&todo.input);
      const bool from = received != nullptr && received->from == worker;
      return from || todo.node == static_cast<int>(index_of(worker));
    });
    tell_peers(worker, PeerLost{worker});
    back_at_ = clock_ + 1'000;  // timers of checkpoints repeat forever
  }

  void take_back(NodeId worker) {
    gone_.reset();
    returned_ = true;
    auto& node = nodes_[index_of(worker)];
    node = make_node(training_, worker);
    node->rejoin(2);
    todo_.push_back({static_cast<int>(index_of(worker)), Started{}});
    tell_peers(worker, PeerBack{worker, 2});
  }

  void perform(int node, Effect& effect) {
    heap_.note(effect);
    if (auto* send = std::get_if<Send>(&effect)) {
      if (send->to == gone_) return;
      todo_.push_back(
          {static_cast<int>(index_of(send->to)), Received{NodeId(node), std::move(send->message)}});
    } else if (auto* compute = std::get_if<Compute>(&effect)) {
      Serial serial;
      const JobResult result = compute->job.work(serial);
      if (compute->job.prefetch) compute->job.prefetch();
      todo_.push_back({node, Computed{compute->job.id, result}});
    } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
      todo_.push_back({node, TimerFired{timer->timer}});
    } else if (auto* keep = std::get_if<SaveState>(&effect)) {
      todo_.push_back({node, Computed{keep->job, {}}});
    }
  }

  std::shared_ptr<const Training> training_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Todo> todo_;
  std::size_t most_waiting_ = 0;
  std::int64_t clock_ = 0;  // inputs
  std::int64_t back_at_ = 0;
  Heap heap_;
  std::optional<NodeId> leaving_;
  std::optional<NodeId> gone_;
  bool returned_ = false;
};

// The variation by sparse messages; a leak of one message per step would be 50,000.
constexpr std::int64_t kMostGrowth = 16'000;  // bytes

Case draw_long(std::uint64_t seed, const std::string& strategy) {
  Stream draw(seed, "faults." + strategy);
  Case scenario_case = draw_training(draw, strategy);
  scenario_case.scenario.training.steps = kLong;
  return scenario_case;
}

TEST_CASE("faults: what nodes hold is flat over a long training, whatever is drawn") {
  if (!heap_is_told()) return;
  const std::string strategy =
      GENERATE("single", "sync", "async", "ssp", "all_reduce", "local_sgd", "gather_scatter");
  DataSets data_sets;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(strategy, seed);
    const Case scenario_case = draw_long(seed, strategy);
    const Prepared prepared = prepare(scenario_case, Need::examples, data_sets);
    const Training& training = *prepared.training;
    CAPTURE(to_yaml(scenario_case.scenario));
    Unrecorded nodes(prepared.training);
    nodes.run();
    CHECK(nodes.heap().growth() < kMostGrowth);
    // Waiting messages and jobs, per bucket and pair of nodes.
    const std::size_t pairs = static_cast<std::size_t>(training.nodes() * training.nodes());
    CHECK(nodes.most_waiting() < 4 * pairs * training.layout->buckets.size());
  }
}

TEST_CASE("faults: what nodes hold is flat after a worker has come back, whatever is drawn") {
  if (!heap_is_told()) return;
  const std::string strategy = GENERATE("sync", "async", "ssp");
  DataSets data_sets;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(strategy, seed);
    Case scenario_case = draw_long(seed, strategy);
    TrainingSpec& spec = scenario_case.scenario.training;
    spec.workers = std::max(spec.workers, 2);
    scenario_case.scenario.cluster.hosts.front().count += 1;
    if (!protocol_called(strategy).takes_back(spec.protocol)) {
      spec.protocol.set(kBackupWorkers, std::int64_t{1});
    }
    const Prepared prepared = prepare(scenario_case, Need::examples, data_sets);
    CAPTURE(to_yaml(scenario_case.scenario));
    Unrecorded nodes(prepared.training);
    nodes.replace(prepared.training->worker(1));
    nodes.run();
    CHECK(nodes.returned());
    CHECK(nodes.heap().growth() < kMostGrowth);
  }
}

}  // namespace
}  // namespace foretrain::faults
