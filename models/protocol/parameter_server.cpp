#include "models/protocol/parameter_server.h"

#include "models/protocol/worker.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace foretrain {

ServerQueue::ServerQueue(ShardBucket of, int workers, bool chooses)
    : bucket(std::move(of)),
      waiting(static_cast<std::size_t>(workers)),
      pushed(waiting.size()),
      clocks(workers),
      skipped(waiting.size()),
      standings(chooses ? waiting.size() : 0) {}

ParameterServer::ParameterServer(std::shared_ptr<const Training> training, NodeId id,
                                 const UpdateRule& rule)
    : training_(std::move(training)),
      rule_(rule),
      updates_(chooses()       ? training_->updates
               : rule_.in_step ? training_->steps
                               : training_->steps * training_->workers),
      incarnations_(static_cast<std::size_t>(training_->workers)),
      cut_(training_, id) {
  const Payload start = initial_parameters(*training_);
  const int shard = static_cast<int>(index_of(id)) - training_->workers;
  for (const std::uint32_t index : training_->layout->of_shard(shard)) {
    queues_.emplace_back(ShardBucket(training_, index, start), training_->workers, chooses());
  }
}

void ParameterServer::handle(Instant now, Input input, Effects& effects) {
  if (cut_.postpones(input)) return;
  const bool finished = over_ == queues_.size();
  if (finished && takes_all()) return;
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (computed->job != ServerCut::kJob) {
      return applied(now, queues_[static_cast<std::size_t>(computed->job)], effects);
    }
    cut_.resume([&](Input each) { handle(now, std::move(each), effects); }, effects);
    if (cut_.kept(effects)) end_cut(now, effects);
  } else if (std::holds_alternative<Started>(input)) {
    for (Queue& queue : queues_) {  // after a restore
      release(now, queue, effects);
      count_held(queue);
    }
    cut_.wait_for_next(effects);
  } else if (std::holds_alternative<TimerFired>(input)) {
    rang();
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    if (training_->is_worker(lost->peer)) incarnations_[index_of(lost->peer)].present = false;
    if (!finished) mark_lost(now, lost->peer, effects);
  } else if (auto* back = std::get_if<PeerBack>(&input)) {
    incarnations_[index_of(back->peer)] = {back->incarnation, true};
  }
}

void ParameterServer::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (message.kind == MessageKind::enough && (!chooses() || cut_.decides())) {
    return stop(now, from, message.step, effects);
  }
  if (message.kind == MessageKind::cut && cut_.hear(from, message)) {
    if (is_outdated()) cut_.give_up();
    return look_at_cut(now, effects);
  }
  if (message.kind == MessageKind::kept && !training_->is_worker(from) && cut_.decides()) {
    if (cut_.hear_kept(message)) end_cut(now, effects);
    return;
  }
  if (auto decision = chooses() ? decoded(message) : std::nullopt) {
    if (from == training_->server(0)) return decide(now, *decision, effects);
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const auto queue = std::ranges::lower_bound(
      queues_, message.bucket, {}, [](const Queue& each) { return each.bucket.index(); });
  const bool known = queue != queues_.end() && queue->bucket.index() == message.bucket &&
                     training_->is_worker(from);
  if (known && message.kind == MessageKind::pull && !takes_all()) {
    return pulled(now, from, message, *queue, effects);
  }
  const std::uint32_t worker = index_of(from);
  const bool is_push = known && message.kind == MessageKind::push;
  const bool late = is_push && is_late(*queue, worker, message);
  if (!late && (!is_push || !is_in_turn(*queue, worker, message) ||
                !queue->bucket.take_in(message.payload, effects))) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (late || queue->over) {
    // The sender was lost, or had not yet heard that its bucket is over. A gradient is counted at
    // the first bucket of this server.
    if (queue == queues_.begin()) ++dropped_;
    return;
  }
  buffered_.take(message.payload.size());
  queue->pushed[worker] = true;
  queue->waiting[worker] = Push{.payload = std::move(message.payload),
                                .step = message.step,
                                .version = message.version,
                                .at = now,
                                .worker = worker};
  if (chooses()) return came(now, *queue, worker, effects);
  queue->order.push_back(worker);
  go_on(now, *queue, effects);
}

bool ParameterServer::is_in_turn(const Queue& queue, std::uint32_t worker,
                                 const Message& push) const {
  const Version version = queue.bucket.version();
  const bool by_these = takes_all() ? push.step.value == version.value : push.version <= version;
  return by_these && !queue.pushed[worker];
}

void ParameterServer::go_on(Instant now, Queue& queue, Effects& effects) {
  if (queue.over || !queue.applying.empty()) return;
  const Workers chosen = chooses() ? next_chosen(now, queue, effects) : next(queue);
  if (!chosen.empty()) begin(now, queue, chosen, effects);
}

ParameterServer::Workers ParameterServer::next(const Queue& queue) const {
  if (queue.order.size() < static_cast<std::size_t>(rule_.gradients)) return {};
  if (!rule_.in_step) return rule_.bound == 0 ? next_in_clock(queue) : Workers{queue.order.front()};
  Workers all(queue.order.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// A clock is complete when all workers that still have to contribute to it have pushed. A worker
// that came back may be behind the others, which wait for it.
ParameterServer::Workers ParameterServer::next_in_clock(const Queue& queue) {
  if (std::ssize(queue.order) < queue.clocks.at_slowest()) return {};
  Workers here;
  for (const std::uint32_t worker : queue.order) {
    if (queue.clocks.of(worker) == queue.clocks.slowest()) here.push_back(worker);
  }
  if (std::ssize(here) < queue.clocks.at_slowest()) return {};
  return {*std::ranges::min_element(here)};
}

void ParameterServer::begin(Instant now, Queue& queue, const Workers& chosen, Effects& effects) {
  std::vector<Payload> pushes;
  pushes.reserve(chosen.size());
  for (const std::uint32_t worker : chosen) {
    queue.applying.push_back(*std::exchange(queue.waiting[worker], std::nullopt));
    pushes.push_back(queue.applying.back().payload);
  }
  const bool all = chosen.size() == queue.order.size();
  if (all) queue.order.clear();
  if (!all && !chooses()) queue.order.erase(std::ranges::find(queue.order, chosen.front()));
  queue.apply_start = now;
  const JobId id{static_cast<std::uint64_t>(&queue - queues_.data())};
  effects.emplace_back(Compute{queue.bucket.apply_job(id, std::move(pushes))});
}

void ParameterServer::applied(Instant now, Queue& queue, Effects& effects) {
  if (chooses()) queue.decisions.pop_front();
  for (Push& each : queue.applying) {
    each.staleness = queue.bucket.version() - each.version;
    each.begun = queue.apply_start;
    each.applied = now;
    if (each.orphaned) {
      let_go(queue, each);
    } else if (!rule_.in_step) {
      queue.clocks.advance(each.worker);
      queue.held.push_back(std::move(each));
    }
  }
  if (rule_.in_step) queue.held.swap(queue.applying);
  queue.applying.clear();
  queue.bucket.finish_apply();
  last_update_ = now;
  if (is_full(queue)) {
    announce_end(now, queue, effects);
    return look_at_cut(now, effects);
  }
  note_cut(queue);
  release(now, queue, effects);
  go_on(now, queue, effects);
  look_at_cut(now, effects);
}

bool ParameterServer::is_full(const Queue& queue) const {
  if (enough_ && !rule_.in_step) return true;
  if (rule_.own_quota) return queue.clocks.slowest() >= training_->steps;
  return queue.bucket.version().value == updates_;
}

bool ParameterServer::may_go_on(const Queue& queue, std::uint32_t worker) const {
  return (!rule_.bound || lead(queue, worker) <= *rule_.bound) &&
         (!rule_.own_quota || queue.clocks.of(worker) < training_->steps);
}

// Workers held by the bound stay held until the slowest worker advances: then all are checked,
// otherwise only the last one.
void ParameterServer::release(Instant now, Queue& queue, Effects& effects) {
  if (queue.held.empty() || (is_held(queue) && !chooses())) return;
  auto released = queue.held.begin();
  if (rule_.bound || rule_.own_quota) {
    const std::int64_t slowest = queue.clocks.slowest();
    const bool all = std::exchange(queue.released_at, slowest) != slowest;
    released =
        std::stable_partition(all ? queue.held.begin() : queue.held.end() - 1, queue.held.end(),
                              [&](const Push& push) { return !may_go_on(queue, push.worker); });
  }
  for (auto push = released; push != queue.held.end(); ++push) {
    if (!rule_.in_step) most_lead_ = std::max(most_lead_, lead(queue, push->worker));
    const MessageKind kind = push->dropped ? MessageKind::dropped : MessageKind::parameters;
    answer(now, queue, *push, kind, queue.bucket.values(), queue.bucket.version(), effects);
  }
  queue.held.erase(released, queue.held.end());
}

void ParameterServer::answer(Instant now, Queue& queue, Push& push, MessageKind kind,
                             const Payload& values, Version version, Effects& effects) {
  let_go(queue, push);
  queue.pushed[push.worker] = false;
  if (chooses()) {
    queue.standings[push.worker].answered = push.step;
    queue.standings[push.worker].answer_dropped = kind == MessageKind::dropped;
    if (is_gone(queue, push.worker)) return;
  }
  Message message{.kind = kind,
                  .step = push.step,
                  .bucket = queue.bucket.index(),
                  .version = version,
                  .staleness = push.staleness};
  const bool last = kind == MessageKind::final_parameters;
  if (push.payload.size().value == 0) {
    message.payload = queue.bucket.lend();
  } else {
    message.wait = push.begun - push.at;
    // Time in a checkpoint that held the answer is also waiting time.
    if (rule_.in_step) message.wait = message.wait + (now - push.applied);
    message.apply = push.applied - push.begun;
    message.payload = last ? values : queue.bucket.answer(push.payload, values, effects);
  }
  if (chooses() && cutting_ == version && !last) {
    queue.answers.push_back({push.worker, std::move(message), now});
    return;
  }
  effects.emplace_back(Send{training_->worker(push.worker), std::move(message)});
}

void ParameterServer::send_last_values(const Queue& queue, std::uint32_t worker,
                                       Effects& effects) const {
  Message message{
      .kind = MessageKind::stop, .bucket = queue.bucket.index(), .version = queue.bucket.version()};
  message.payload = queue.bucket.values();
  effects.emplace_back(Send{training_->worker(worker), std::move(message)});
}

// If updates are in step, the chief has evaluated the version of all buckets: the next one would
// need its gradient. So the training ends with the same weights in any timing.
void ParameterServer::stop(Instant now, NodeId from, Step step, Effects& effects) {
  const auto is_evaluated = [&](const Queue& queue) {
    return queue.bucket.version().value == step.value && !queue.pushed[0];
  };
  if (from != training_->worker(0) || enough_ ||
      (takes_all() && !std::ranges::all_of(queues_, is_evaluated))) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  enough_ = true;
  if (chooses()) {
    if (cutting_) end_cut(now, effects);  // the cut would wait for the chief
    if (decisions_ < updates_) decide(now, {MessageKind::enough}, effects);
    return;
  }
  for (Queue& queue : queues_) {
    // Workers whose gradients are being applied are informed of the end with that update.
    if (!queue.over && queue.applying.empty()) announce_end(last_update_, queue, effects);
  }
}

void ParameterServer::announce_end(Instant at, Queue& queue, Effects& effects) {
  const auto answer_last = [&](Push& push) {
    answer(at, queue, push, MessageKind::final_parameters, queue.bucket.values(),
           queue.bucket.version(), effects);
  };
  std::vector<Push*> last(queue.waiting.size());
  for (Push& push : queue.held) {
    if (is_gone(queue, push.worker)) {
      let_go(queue, push);
      continue;
    }
    last[push.worker] = &push;
    if (!rule_.in_step) answer_last(push);
  }
  const bool counts =
      &queue == &queues_.front() && (!rule_.in_step || (chooses() && cut_.decides()));
  for (std::uint32_t worker = 0; worker < last.size(); ++worker) {
    if (last[worker] == nullptr && listens(queue, worker)) send_last_values(queue, worker, effects);
    if (last[worker] != nullptr && rule_.in_step) answer_last(*last[worker]);
    if (queue.waiting[worker] && counts) ++dropped_;
    drop(queue, worker);
  }
  for (Standing& standing : queue.standings) standing.pull.reset();
  queue.held.clear();
  queue.order.clear();
  queue.decisions.clear();
  queue.over = true;
  if (++over_ < queues_.size()) return;
  // With a target, shards that are not in step may have ended at different updates: the first shard
  // reports.
  const bool speaks = rule_.in_step || !training_->target.wanted() || cut_.decides();
  const std::int64_t updates = speaks ? queues_.front().bucket.version().value : 0;
  effects.emplace_back(Finished{.updates = updates,
                                .gradients = updates * rule_.gradients,
                                .dropped = speaks ? dropped_ : 0,
                                .most_lead = most_lead_,
                                .last_update = at});
}

void ParameterServer::drop(Queue& queue, std::uint32_t worker) {
  if (!queue.waiting[worker]) return;
  let_go(queue, *queue.waiting[worker]);
  queue.waiting[worker].reset();
  queue.pushed[worker] = false;
}

std::unique_ptr<Node> make_node_by(const UpdateRule& rule,
                                   const std::shared_ptr<const Training>& training, NodeId id) {
  if (training->is_worker(id)) return std::make_unique<Worker>(training, id);
  return std::make_unique<ParameterServer>(training, id, rule);
}

// A worker is connected to every server; shard 0 informs the other shards of checkpoints and
// choices of gradients.
bool linked_by(const UpdateRule& rule, const Training& training, NodeId a, NodeId b) {
  if (training.is_worker(a) != training.is_worker(b)) return true;
  const bool chooses = rule.chooses(training.workers);
  const bool first = a == training.server(0) || b == training.server(0);
  return !training.is_worker(a) && first && (chooses || training.checkpoint.wanted());
}

}  // namespace foretrain
