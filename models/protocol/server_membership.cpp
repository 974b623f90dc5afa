// The loss of workers at a parameter server, with the return of replacement processes.
#include "models/protocol/parameter_server.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain {

// The chief cannot be lost, because its parameters are the final weights.
void ParameterServer::mark_lost(Instant now, NodeId peer, Effects& effects) {
  const auto there = std::ranges::count(incarnations_, true, &WorkerIncarnation::present);
  if (!training_->is_worker(peer) || index_of(peer) == 0 || there < rule_.least()) {
    effects.emplace_back(Fault{peer, "the connection to it was lost"});
    return;
  }
  for (Queue& queue : queues_) forget(queue, index_of(peer));
  std::erase(complete_, index_of(peer));
  give_up_cut(now, effects);
  for (Queue& queue : queues_) {
    if (queue.over || !queue.applying.empty()) continue;  // the rest follows after the apply
    if (is_full(queue)) {                                 // it had the last steps to do
      announce_end(now, queue, effects);
      continue;
    }
    release(now, queue, effects);
    go_on(now, queue, effects);
  }
}

void ParameterServer::forget(Queue& queue, std::uint32_t worker) {
  if (chooses()) {
    queue.standings[worker].pull.reset();
    queue.standings[worker].listens = false;
    // Decisions do not change, because other shards may have acted on them. Other shards drop the
    // worker's push when they receive the decision that it has returned.
    const auto concerns = [worker](const Decision& each) { return each.concerns(worker); };
    if (!cut_.decides() || std::ranges::any_of(queue.decisions, concerns)) return;
  } else {
    queue.clocks.mark_lost(worker);
    queue.pushed[worker] = false;
    if (queue.over) return;
    for (Push& push : queue.applying) {
      if (push.worker != worker || std::exchange(push.orphaned, true)) continue;
      queue.clocks.advance(worker);  // its clock may differ when that is applied
    }
    std::erase(queue.order, worker);
    std::erase_if(queue.held, [&](const Push& push) {
      if (push.worker == worker) let_go(queue, push);
      return push.worker == worker;
    });
  }
  if (queue.waiting[worker] && &queue == &queues_.front()) ++dropped_;
  drop(queue, worker);
}

// Steps of a worker that came back have numbers that no step of its earlier processes had.
bool ParameterServer::is_late(const Queue& queue, std::uint32_t worker, const Message& push) const {
  if (chooses()) return !takes_part(queue, worker) || push.step < queue.standings[worker].first;
  const WorkerIncarnation& incarnation = incarnations_[worker];
  if (incarnation.is_first()) return false;
  return queue.over || !incarnation.present || queue.clocks.is_lost(worker) ||
         push.step.value < queue.clocks.of(worker);
}

bool ParameterServer::is_gone(const Queue& queue, std::uint32_t worker) const {
  return chooses() && incarnations_[worker].is_gone(queue.standings[worker].incarnation);
}

bool ParameterServer::listens(const Queue& queue, std::uint32_t worker) const {
  return chooses() ? queue.standings[worker].listens : !queue.clocks.is_lost(worker);
}

bool ParameterServer::takes_part(const Queue& queue, std::uint32_t worker) const {
  const WorkerIncarnation& incarnation = incarnations_[worker];
  if (!chooses()) return incarnation.present && !queue.clocks.is_lost(worker);
  return incarnation.present && queue.standings[worker].incarnation == incarnation.incarnation;
}

bool ParameterServer::all_take_part(const Queue& queue) const {
  for (std::uint32_t worker = 0; worker < incarnations_.size(); ++worker) {
    if (!takes_part(queue, worker)) return false;
  }
  return true;
}

void ParameterServer::pulled(Instant now, NodeId from, const Message& pull, Queue& queue,
                             Effects& effects) {
  const std::uint32_t worker = index_of(from);
  const WorkerIncarnation& incarnation = incarnations_[worker];
  if (!incarnation.present || pull.version.value != incarnation.incarnation)
    return;  // of a lost process
  if (queue.over) return send_last_values(queue, worker, effects);
  Push push{.step = pull.step, .version = pull.version, .at = now, .worker = worker, .pull = true};
  const bool right =
      !incarnation.is_first() &&
      (chooses() ? ask_to_return(now, queue, push, effects) : come_back(now, queue, push, effects));
  if (!right) effects.emplace_back(Fault{from, "it sent a message out of turn"});
}

// It counts from now on, and waits for its answer like a worker that has pushed. The first bucket
// of all assigns its number, so that its clock is the same in all buckets.
bool ParameterServer::come_back(Instant now, Queue& queue, Push& pull, Effects& effects) {
  const std::uint32_t worker = pull.worker;
  const std::int64_t clock = queue.clocks.of(worker);
  if (queue.bucket.index() == 0) {
    const std::int64_t unused = clock + 1;  // one gradient may be under way
    // With `quota: own` it still has to make all of its steps, and a bound makes others wait.
    const bool skips = rule_.bound && !rule_.own_quota;
    pull.step = {skips ? std::max(queue.clocks.slowest(), unused) : unused};
  }
  const std::int64_t first = pull.step.value;
  if (!queue.clocks.is_lost(worker) || first < clock) return false;
  queue.skipped[worker] += first - clock;
  queue.clocks.come_back(worker, first);
  queue.held.push_back(std::move(pull));
  queue.pushed[worker] = true;
  queue.released_at.reset();  // all are checked
  if (queue.applying.empty()) release(now, queue, effects);
  count_held(queue);
  return true;
}

// Shard 0 decides that it takes part again, so that it gets the same version of all buckets. The
// first bucket of all is at shard 0: its pull leads to the decision.
bool ParameterServer::ask_to_return(Instant now, Queue& queue, Push& pull, Effects& effects) {
  const std::uint32_t worker = pull.worker;
  const std::int64_t incarnation = incarnations_[worker].incarnation;
  Standing& standing = queue.standings[worker];
  const bool decided = standing.incarnation == incarnation;
  if (standing.pull || (decided && !standing.owed)) return false;
  standing.listens = true;
  standing.pull = std::move(pull);
  if (decided) {
    welcome(queue, worker, effects);
  } else if (queue.bucket.index() == 0) {
    // One more push may have been under way, even from a process that only pulled.
    ++standing.pushed;
    standing.pull->step = standing.pushed.next();
    const bool ends = enough_ || decisions_ == updates_;  // it is informed of that
    if (!ends) decide(now, {MessageKind::returned, {worker}, incarnation}, effects);
  }
  return true;
}

void ParameterServer::readmit(Queue& queue, const Decision& decision, Effects& effects) {
  const std::uint32_t worker = decision.workers.front();
  Standing& standing = queue.standings[worker];
  drop(queue, worker);  // of the process before
  standing.incarnation = decision.incarnation;
  standing.first = {std::numeric_limits<std::int64_t>::max()};  // it pulls before it pushes
  standing.owed = Standing::Owed{queue.bucket.lend(), queue.bucket.version()};
  const bool here = standing.pull && standing.pull->version.value == decision.incarnation;
  if (here) welcome(queue, worker, effects);
}

// A checkpoint does not hold this message, because it does not answer a step.
void ParameterServer::welcome(Queue& queue, std::uint32_t worker, Effects& effects) {
  Standing& standing = queue.standings[worker];
  standing.first = standing.pull->step;
  Message message{.kind = MessageKind::parameters,
                  .step = standing.first,
                  .bucket = queue.bucket.index(),
                  .version = standing.owed->version};
  message.payload = standing.owed->values;
  standing.pull.reset();
  standing.owed.reset();
  effects.emplace_back(Send{training_->worker(worker), std::move(message)});
}

}  // namespace foretrain
