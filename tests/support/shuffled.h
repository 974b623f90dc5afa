// A training whose messages, jobs too, come in an order drawn at random.
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

/// Carries messages and jobs between nodes in an order drawn at random; what one node sends another
/// of a bucket stays in order, as on a connection.
class Shuffled {
 public:
  /// `from`: the nodes go on from these states; null: they begin.
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

  /// After `inputs` of all nodes, node `id` is gone: of what it sent each peer, a first part drawn
  /// at random still comes, then the peer hears that it is lost.
  void lose_after(int inputs, int id) { losses_.emplace_back(inputs, id); }

  /// After `inputs` of all nodes, or when these wait for it, one that was lost is there again, as a
  /// new process.
  void take_back_after(int inputs, int id) { returns_.emplace_back(inputs, id); }
  /// What of a lost node's messages does not come before its peers hear of that comes at any time
  /// after it, as no connection lets it.
  bool haunted = false;
  /// All nodes start before anything else happens to one, as they do in a run.
  bool started_first = false;

  void give(int id, Input input) {
    if (const auto* back = std::get_if<PeerBack>(&input)) {
      const int peer = static_cast<int>(index_of(back->peer));
      // What is sent to one that is lost again by now comes to nobody, as on its connection.
      const bool there = !gone_.contains(peer) && back->generation == generations_[peer] + 1;
      if (there) deaf_.erase({id, peer});
    }
    Effects effects;
    const auto node = static_cast<std::size_t>(id);
    ++clock_;
    input_rows[node].push_back(row_of(NodeId(id), {clock_}, input));
    nodes_[node]->handle({clock_}, std::move(input), effects);
    for (Effect& effect : effects) perform(id, effect);
  }

  /// Messages to a node that come only where nothing else can; null: none.
  std::function<bool(int to, const Message&)> late;

  std::vector<float> weights;
  std::vector<StepReport> steps;
  std::vector<int> step_workers;  // of `steps`
  KeptStates kept;
  /// What happened to each node, in its order; how much of that when it kept its state of a cut.
  std::vector<std::vector<InputRow>> input_rows;
  std::map<std::pair<int, std::int64_t>, std::size_t> input_rows_until;  // by node, cut
  std::vector<EvalReport> evals;
  std::vector<Fault> faults;
  /// As the record has them: the most that a node says.
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  std::int64_t dropped = 0;
  std::int64_t most_lead = 0;
  std::int64_t bytes_sent = 0;
  /// By worker: gradients begun, pushes sent of the first bucket.
  std::vector<std::int64_t> begun;
  std::vector<std::int64_t> pushed;
  /// The most steps by which a worker that began one was ahead of the pushes of the slowest.
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
  void lose(int lost);
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
                           a->message.kind != MessageKind::cut;  // of the lowest bucket
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
  static constexpr int kGhost = -1;  // sent it
  std::vector<std::pair<int, int>> returns_;
  std::set<std::pair<int, int>> deaf_;       // what the first sends the second does not come
  std::map<int, std::int64_t> generations_;  // beside the first
  std::set<int> gone_;
};

/// One that has run to its end, of whom nobody broke anything.
Shuffled run_shuffled(const std::shared_ptr<const Training>& training, std::uint64_t seed,
                      const KeptCut* from = nullptr);

}  // namespace foretrain::testing
