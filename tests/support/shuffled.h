// A training with messages, jobs in random order.
#pragma once

#include "models/base/random.h"
#include "models/protocol/registry.h"
#include "reports/record/input_row.h"
#include "tests/support/kept_states.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace foretrain::testing {

/// Carries out messages and jobs of nodes in random order. Messages of one bucket from one node to
/// another stay in order, as on a connection.
class Shuffled {
 public:
  /// `from`: the nodes resume from these states; null: they start.
  Shuffled(std::shared_ptr<const Training> training, std::uint64_t seed,
           const KeptCut* from = nullptr)
      : input_rows(static_cast<std::size_t>(training->nodes())),
        training_(std::move(training)),
        stream_(seed, "order") {
    for (int id = 0; id < training_->nodes(); ++id) {
      nodes_.push_back(make_node(training_, NodeId(id)));
      if (from != nullptr) {
        StateReader state(from->states.at(id));
        nodes_.back()->restore(state);
      }
      todo_.push_back({id, id, Started{}});
      if (training_->is_worker(NodeId(id))) {
        begun.push_back(0);
        pushed.push_back(0);
      }
    }
  }

  void run() {
    if (started_first) {
      for (const Todo& start : std::exchange(todo_, {})) give(start.to, start.input);
    }
    while (!todo_.empty() || somebody_returns()) {
      auto pick = todo_.begin() + static_cast<std::ptrdiff_t>(stream_.below(todo_.size()));
      pick = std::find_if(todo_.begin(), pick,
                          [&](const Todo& earlier) { return in_order(earlier, *pick); });
      if (is_late(*pick) && others_may_come()) continue;
      Todo next = std::move(*pick);
      todo_.erase(pick);
      if (const auto* done = std::get_if<Computed>(&next.input)) kept.told(next.to, done->job);
      give(next.to, std::move(next.input));
      count();
    }
  }

  /// Node `id` is lost after this many inputs of all nodes. Each peer still gets a random first
  /// part of its messages, then PeerLost.
  void lose_after(int inputs, int id) { losses_.emplace_back(inputs, id); }

  /// A lost node comes back as a new process after this many inputs of all nodes, or if all others
  /// wait for it.
  void take_back_after(int inputs, int id) { returns_.emplace_back(inputs, id); }
  /// The remaining messages of a lost node arrive at random times after PeerLost, which no real
  /// connection allows.
  bool haunted = false;
  /// All nodes start before any other input, as in a run.
  bool started_first = false;

  void give(int id, Input input) {
    if (const auto* back = std::get_if<PeerBack>(&input)) {
      const int peer = static_cast<int>(index_of(back->peer));
      // Messages to a node that is lost again by now are dropped, as on its connection.
      const bool there = !gone_.contains(peer) && back->incarnation == generations_[peer] + 1;
      if (there) deaf_.erase({id, peer});
    }
    Effects effects;
    const auto node = static_cast<std::size_t>(id);
    ++clock_;
    input_rows[node].push_back(row_of(NodeId(id), {clock_}, input));
    nodes_[node]->handle({clock_}, std::move(input), effects);
    for (Effect& effect : effects) perform(id, effect);
  }

  /// Messages that are delivered only if nothing else can be; null: none.
  std::function<bool(int to, const Message&)> late;

  std::vector<float> weights;
  std::vector<StepReport> steps;
  std::vector<int> step_workers;  // of `steps`
  KeptStates kept;
  /// Inputs of each node in order, with their number when the node saved its state for a
  /// checkpoint.
  std::vector<std::vector<InputRow>> input_rows;
  std::map<std::pair<int, std::int64_t>, std::size_t> input_rows_until;  // by node, checkpoint
  std::vector<EvalReport> evals;
  std::vector<Fault> faults;
  /// Counters as in the record: the maximum over nodes.
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  std::int64_t dropped = 0;
  std::int64_t most_lead = 0;
  std::int64_t bytes_sent = 0;
  /// By worker: gradients begun, pushes of the first bucket sent.
  std::vector<std::int64_t> begun;
  std::vector<std::int64_t> pushed;
  /// Largest lead of a worker that began a step over the pushes of the slowest worker, in steps.
  std::int64_t most_ahead = 0;
  int finished = 0;

 private:
  struct Todo {
    int from;
    int to;
    Input input;
  };

  void count();
  [[nodiscard]] bool somebody_returns();
  void mark_lost(int lost);
  void take_back(int id);

  [[nodiscard]] bool is_late(const Todo& todo) const {
    const auto* received = std::get_if<Received>(&todo.input);
    return late && received != nullptr && late(todo.to, received->message);
  }
  [[nodiscard]] bool others_may_come() const {
    for (auto todo = todo_.begin(); todo != todo_.end(); ++todo) {
      const auto precedes = [&](const Todo& earlier) { return in_order(earlier, *todo); };
      if (!is_late(*todo) && std::none_of(todo_.begin(), todo, precedes)) return true;
    }
    return false;
  }

  static bool in_order(const Todo& first, const Todo& second) {
    const auto* a = std::get_if<Received>(&first.input);
    const auto* b = std::get_if<Received>(&second.input);
    const bool overtaken = a != nullptr && b != nullptr && a->message.bucket != b->message.bucket &&
                           a->message.kind != MessageKind::cut;  // only the lowest bucket's
    return first.from == second.from && first.to == second.to && !overtaken;
  }

  void perform(int id, Effect& effect);

  std::shared_ptr<const Training> training_;
  Stream stream_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Todo> todo_;
  std::int64_t clock_ = 0;
  int given_ = 0;  // inputs
  std::vector<std::pair<int, int>> losses_;
  static constexpr int kGhost = -1;  // sender of delayed messages
  std::vector<std::pair<int, int>> returns_;
  std::set<std::pair<int, int>> deaf_;       // messages from the first to the second are dropped
  std::map<int, std::int64_t> generations_;  // restarts per node
  std::set<int> gone_;
};

/// Runs a training to its end and checks that no node reported a fault.
Shuffled run_shuffled(const std::shared_ptr<const Training>& training, std::uint64_t seed,
                      const KeptCut* from = nullptr);

}  // namespace foretrain::testing
