#include "tests/support/shuffled.h"

#include "models/base/check.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace foretrain::testing {

// Counts an input.
void Shuffled::count() {
  ++given_;
  for (const auto& [inputs, node] : losses_) {
    if (inputs == given_) mark_lost(node);
  }
  for (const auto& [inputs, node] : returns_) {
    if (inputs == given_) take_back(node);
  }
}

bool Shuffled::somebody_returns() {
  const auto is_ahead = [this](const auto& each) { return each.first > given_; };
  while (todo_.empty() && std::ranges::any_of(returns_, is_ahead)) count();
  return !todo_.empty();
}

void Shuffled::mark_lost(int lost) {
  gone_.insert(lost);
  std::map<int, std::uint64_t> coming;
  for (const Todo& todo : todo_) {
    if (todo.from == lost) ++coming[todo.to];
  }
  for (auto& [peer, count] : coming) count = stream_.below(count + 1);
  std::vector<Todo> ghosts;
  std::erase_if(todo_, [&](const Todo& todo) {
    if (todo.to == lost) return true;
    if (todo.from != lost) return false;
    std::uint64_t& left = coming[todo.to];
    if (left > 0) return left-- == 0;
    if (haunted && std::holds_alternative<Received>(todo.input)) ghosts.push_back(todo);
    return !std::holds_alternative<PeerLost>(todo.input) &&
           !std::holds_alternative<PeerBack>(todo.input);
  });
  for (const NodeId peer : peers_of(*training_, NodeId(lost))) {
    const int other = static_cast<int>(index_of(peer));
    deaf_.insert({other, lost});
    todo_.push_back({lost, other, PeerLost{NodeId(lost)}});
  }
  for (Todo& ghost : ghosts) {
    ghost.from = kGhost;
    todo_.push_back(std::move(ghost));
  }
}

void Shuffled::take_back(int id) {
  gone_.erase(id);
  const auto node = static_cast<std::size_t>(id);
  nodes_[node] = make_node(training_, NodeId(id));
  const std::int64_t incarnation = ++generations_[id] + 1;
  nodes_[node]->rejoin(incarnation);
  todo_.push_back({id, id, Started{}});
  for (const NodeId peer : peers_of(*training_, NodeId(id))) {
    todo_.push_back({id, static_cast<int>(index_of(peer)), PeerBack{NodeId(id), incarnation}});
  }
}

void Shuffled::perform(int id, Effect& effect) {
  if (auto* send = std::get_if<Send>(&effect)) {
    if (deaf_.contains({id, static_cast<int>(index_of(send->to))})) return;
    bytes_sent += wire_size(send->message).value;
    const bool push = send->message.kind == MessageKind::push && send->message.bucket == 0;
    if (push) ++pushed[static_cast<std::size_t>(id)];
    todo_.push_back(
        {id, static_cast<int>(index_of(send->to)), Received{NodeId(id), std::move(send->message)}});
  } else if (auto* compute = std::get_if<Compute>(&effect)) {
    const Job& job = compute->job;
    if (job.kind == JobKind::gradient && job.stage == 0 && job.batch == 0) {
      const std::int64_t ahead = begun[static_cast<std::size_t>(id)]++ - std::ranges::min(pushed);
      most_ahead = std::max(most_ahead, ahead);
    }
    Serial serial;
    const JobResult result = compute->job.work(serial);
    if (compute->job.prefetch) compute->job.prefetch();
    todo_.push_back({id, id, Computed{compute->job.id, result}});
  } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
    todo_.push_back({id, id, TimerFired{timer->timer}});
  } else if (auto* keep = std::get_if<SaveState>(&effect)) {
    todo_.push_back({id, id, Computed{keep->job, {}}});
    input_rows_until[{id, keep->cut}] = input_rows[static_cast<std::size_t>(id)].size();
    kept.keep(id, std::move(*keep), given_);
  } else if (auto* report = std::get_if<Report>(&effect)) {
    if (auto* step = std::get_if<StepReport>(report)) {
      steps.push_back(*step);
      step_workers.push_back(id);
    }
    if (auto* eval = std::get_if<EvalReport>(report)) evals.push_back(*eval);
  } else if (auto* end = std::get_if<Finished>(&effect)) {
    ++finished;
    updates = std::max(updates, end->updates);
    gradients = std::max(gradients, end->gradients);
    dropped += end->dropped;
    most_lead = std::max(most_lead, end->most_lead);
    const auto values = end->weights.floats();
    if (!values.empty()) weights.assign(values.begin(), values.end());
  } else if (auto* fault = std::get_if<Fault>(&effect)) {
    faults.push_back(*fault);
  }
}

Shuffled run_shuffled(const std::shared_ptr<const Training>& training, std::uint64_t seed,
                      const KeptCut* from) {
  Shuffled nodes(training, seed, from);
  nodes.run();
  FT_CHECK(nodes.faults.empty());
  FT_CHECK_OP(nodes.kept.moved, ==, 0);
  FT_CHECK_OP(nodes.finished, ==, training->nodes());
  return nodes;
}

}  // namespace foretrain::testing
