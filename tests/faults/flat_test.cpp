// What the nodes of a training hold does not grow with its steps.
#include "models/base/parallel.h"
#include "models/protocol/registry.h"
#include "scenarios/prepared.h"
#include "scenarios/read.h"
#include "tests/faults/draw.h"

#include <catch2/catch.hpp>

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::faults {
namespace {

constexpr std::int64_t kLong = 600;  // steps of a worker

std::int64_t heap_in_use() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

/// Drives the programs of a training, keeps nothing of what they tell.
class Unrecorded {
 public:
  explicit Unrecorded(const std::shared_ptr<const Training>& training) {
    heap_.reserve(static_cast<std::size_t>(
        2 * kLong * training->workers));  // it grows with the steps, and must not be seen to
    for (int node = 0; node < training->nodes(); ++node) {
      nodes_.push_back(make_node(training, NodeId(node)));
      todo_.push_back({node, Started{}});
    }
  }

  void run() {
    while (!todo_.empty()) {
      Todo next = std::move(todo_.front());
      todo_.pop_front();
      Effects effects;
      nodes_[static_cast<std::size_t>(next.node)]->handle({++clock_}, std::move(next.input),
                                                          effects);
      for (Effect& effect : effects) perform(next.node, effect);
      most_waiting_ = std::max(most_waiting_, todo_.size());
    }
  }

  [[nodiscard]] std::size_t most_waiting() const { return most_waiting_; }
  /// The most bytes of the heap from one eighth of the steps to another.
  [[nodiscard]] std::int64_t most_in(std::int64_t from, std::int64_t to) const {
    const std::int64_t eighth = std::ssize(heap_) / 8;
    return *std::max_element(heap_.begin() + from * eighth, heap_.begin() + to * eighth);
  }

 private:
  struct Todo {
    int node;
    Input input;
  };

  void perform(int node, Effect& effect) {
    if (auto* send = std::get_if<Send>(&effect)) {
      todo_.push_back(
          {static_cast<int>(index_of(send->to)), Received{NodeId(node), std::move(send->message)}});
    } else if (auto* compute = std::get_if<Compute>(&effect)) {
      Serial serial;
      const JobResult result = compute->job.work(serial);
      if (compute->job.prefetch) compute->job.prefetch();
      todo_.push_back({node, Computed{compute->job.id, result}});
    } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
      todo_.push_back({node, TimerFired{timer->timer}});
    } else if (auto* keep = std::get_if<Keep>(&effect)) {
      todo_.push_back({node, Computed{keep->job, {}}});
    } else if (const auto* report = std::get_if<Report>(&effect)) {
      if (std::holds_alternative<StepReport>(*report)) heap_.push_back(heap_in_use());
    }
  }

  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<Todo> todo_;
  std::size_t most_waiting_ = 0;
  std::int64_t clock_ = 0;
  std::vector<std::int64_t> heap_;  // by step of any worker: bytes in use at its end
};

TEST_CASE("faults: what nodes hold is flat over a long training, whatever is drawn") {
  const std::string strategy =
      GENERATE("single", "sync", "async", "ssp", "all_reduce", "local_sgd");
  DataSets data_sets;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(strategy, seed);
    Stream draw(seed, "faults." + strategy);
    Case scenario_case = draw_training(draw, strategy);
    scenario_case.scenario.training.steps = kLong;
    const Prepared prepared = prepare(scenario_case, Need::examples, data_sets);
    const Training& training = *prepared.training;
    CAPTURE(to_yaml(scenario_case.scenario));
    Unrecorded nodes(prepared.training);
    nodes.run();
    const std::int64_t before = nodes.most_in(1, 2);
    const std::int64_t after = nodes.most_in(4, 7);
    // What sparse messages differ by; one of each step that is never let go comes to 50,000.
    CHECK(after - before < 16'000);
    // Messages and jobs that wait, by bucket and pair of nodes.
    const std::size_t pairs = static_cast<std::size_t>(training.nodes() * training.nodes());
    CHECK(nodes.most_waiting() < 4 * pairs * training.layout->buckets.size());
  }
}

}  // namespace
}  // namespace foretrain::faults
