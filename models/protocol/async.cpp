#include "models/protocol/async.h"

#include "models/protocol/worker.h"

#include <algorithm>
#include <utility>

namespace foretrain {

AsyncServer::AsyncServer(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      quota_(training_->steps * training_->workers),
      own_quota_(training_->options.word(kQuota) == kOwnQuota),
      cut_(training_, id) {
  const Payload start = initial_parameters(*training_);
  const int shard = static_cast<int>(index_of(id)) - training_->workers;
  for (const std::uint32_t index : training_->layout->of_shard(shard)) {
    queues_.emplace_back(ShardBucket(training_, index, start), training_->workers);
  }
}

std::optional<std::size_t> AsyncServer::next(const Queue& /*queue*/) const { return 0; }

bool AsyncServer::may_go_on(const Queue& queue, int worker) const {
  return !own_quota_ || queue.clocks.of(static_cast<std::size_t>(worker)) < training_->steps;
}

bool AsyncServer::is_full(const Queue& queue) const {
  if (enough_) return true;
  if (own_quota_) return queue.clocks.slowest() >= training_->steps;
  return queue.bucket.version().value == quota_;
}

void AsyncServer::handle(Instant now, Input input, Effects& effects) {
  const bool finished = complete_ == queues_.size();
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (computed->job != ServerCut::kJob) {
      return applied(now, queues_[static_cast<std::size_t>(computed->job)], effects);
    }
    if (cut_.kept(effects)) end_cut(effects);
  } else if (std::holds_alternative<Started>(input)) {
    for (Queue& queue : queues_) release(queue, effects);  // of one that was restored
    cut_.wait_for_next(effects);
  } else if (std::holds_alternative<TimerFired>(input)) {
    cut_.rang();
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    if (!finished) lose(now, lost->peer, effects);
  }
}

void AsyncServer::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (message.kind == MessageKind::enough) return stop(from, effects);
  if (message.kind == MessageKind::cut && cut_.hear(from, message)) return look_at_cut(effects);
  if (message.kind == MessageKind::kept && !training_->is_worker(from) && cut_.decides()) {
    if (cut_.hear_kept(from)) end_cut(effects);
    return;
  }
  const auto queue = std::ranges::find_if(
      queues_, [&](const Queue& q) { return q.bucket.index() == message.bucket; });
  if (message.kind != MessageKind::push || queue == queues_.end() || !training_->is_worker(from) ||
      message.version > queue->bucket.version() ||
      !queue->bucket.accepts(message.payload, effects) || queue->pushed[index_of(from)]) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (queue->over) {
    // Sent before its worker heard that it is over; a gradient counts by its first bucket here.
    if (queue == queues_.begin()) ++dropped_;
    return;
  }
  queue->pushed[index_of(from)] = true;
  queue->arrivals.push_back({from, now, std::move(message)});
  count(*queue);
  apply_next(now, *queue, effects);
}

void AsyncServer::apply_next(Instant now, Queue& queue, Effects& effects) {
  if (queue.applying || queue.arrivals.empty()) return;
  const auto chosen = next(queue);
  if (!chosen) return;
  const auto place = queue.arrivals.begin() + static_cast<std::ptrdiff_t>(*chosen);
  queue.applying = std::move(*place);
  queue.arrivals.erase(place);
  queue.apply_start = now;
  const JobId id{static_cast<std::uint64_t>(&queue - queues_.data())};
  effects.emplace_back(Compute{queue.bucket.apply_job(id, {queue.applying->push.payload})});
}

void AsyncServer::applied(Instant now, Queue& queue, Effects& effects) {
  Arrival done = std::move(*queue.applying);
  queue.applying.reset();
  done.staleness = queue.bucket.version() - done.push.version;
  done.wait = queue.apply_start - done.at;
  done.apply = now - queue.apply_start;
  queue.bucket.finish_apply();
  last_update_ = now;
  const std::size_t worker = index_of(done.from);
  queue.clocks.advance(worker);
  if (!queue.clocks.is_lost(worker)) queue.held.push_back(std::move(done));
  if (is_full(queue)) return announce_end(now, queue, effects);
  if (&queue == &queues_.front() && !cutting_) cutting_ = may_cut();
  release(queue, effects);
  count(queue);
  apply_next(now, queue, effects);
  look_at_cut(effects);
}

// Whom the bound held before, it holds until the slowest goes on: then all are looked at, else only
// the one that came last.
void AsyncServer::release(Queue& queue, Effects& effects) {
  if (cutting_ && &queue == &queues_.front()) return;
  const std::int64_t slowest = queue.clocks.slowest();
  const bool all = std::exchange(queue.released_at, slowest) != slowest;
  const auto first = all || queue.held.empty() ? queue.held.begin() : queue.held.end() - 1;
  const auto released = std::stable_partition(first, queue.held.end(), [&](const Arrival& arrival) {
    return !may_go_on(queue, static_cast<int>(index_of(arrival.from)));
  });
  std::for_each(released, queue.held.end(), [&](const Arrival& arrival) {
    most_lead_ = std::max(most_lead_, lead(queue, static_cast<int>(index_of(arrival.from))));
    queue.pushed[index_of(arrival.from)] = false;
    answer(queue, arrival, false, effects);
  });
  queue.held.erase(released, queue.held.end());
}

void AsyncServer::lose(Instant now, NodeId peer, Effects& effects) {
  if (!training_->is_worker(peer) || index_of(peer) == 0) {
    effects.emplace_back(Fault{peer, "the connection to it was lost"});
    return;
  }
  const auto is_of_peer = [&](const Arrival& arrival) { return arrival.from == peer; };
  cut_.give_up();
  if (std::exchange(cutting_, false)) queues_.front().released_at = -1;  // all are looked at
  for (Queue& queue : queues_) {
    queue.clocks.lose(index_of(peer));
    if (queue.over) continue;
    const auto dropped = std::erase_if(queue.arrivals, is_of_peer);
    if (&queue == &queues_.front()) dropped_ += static_cast<std::int64_t>(dropped);
    std::erase_if(queue.held, is_of_peer);
    if (queue.applying) continue;  // the rest follows when it is applied
    if (is_full(queue)) {          // it had the last steps to do
      announce_end(now, queue, effects);
      continue;
    }
    release(queue, effects);
    count(queue);
    apply_next(now, queue, effects);
  }
}

void AsyncServer::stop(NodeId from, Effects& effects) {
  if (from != training_->worker(0) || enough_) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  enough_ = true;
  for (Queue& queue : queues_) {
    // What is being applied is told of the end with its update.
    if (!queue.over && !queue.applying) announce_end(last_update_, queue, effects);
  }
}

// Of workers that are all there: a cut without one of them is not whole.
bool AsyncServer::may_cut() const {
  const Queue& first = queues_.front();
  if (!cut_.is_due(first.bucket.version().value / training_->workers)) return false;
  for (std::size_t worker = 0; worker < first.pushed.size(); ++worker) {
    if (first.clocks.is_lost(worker)) return false;
  }
  return true;
}

bool AsyncServer::is_as_wanted(const Queue& queue) const {
  for (std::size_t worker = 0; worker < static_cast<std::size_t>(training_->workers); ++worker) {
    if (queue.clocks.of(worker) != cut_.wanted()->clocks[worker]) return false;
  }
  return !queue.over;
}

void AsyncServer::look_at_cut(Effects& effects) {
  const Queue& first = queues_.front();
  if (cutting_ && !cut_.wanted() && std::ssize(first.held) == training_->workers) {
    std::vector<std::int64_t> clocks;
    for (std::size_t worker = 0; worker < first.held.size(); ++worker) {
      clocks.push_back(first.clocks.of(worker));
    }
    cut_.announce(first.bucket.version().value / training_->workers, std::move(clocks), effects);
  }
  if (!cut_.wanted() || cut_.wanted()->keeping) return;
  if (!std::ranges::all_of(queues_, [&](const Queue& queue) { return is_as_wanted(queue); })) {
    return;
  }
  Bytes size = state_size(kState.counts, 0, 0);
  for (const Queue& queue : queues_) {
    size += queue.bucket.kept_size() + state_size(kState.of_worker * training_->workers, 0, 0);
  }
  cut_.keep(
      size, [this] { return state(); }, effects);
}

std::string AsyncServer::state() const {
  StateWriter writer;
  writer.time(last_update_);
  writer.integer(dropped_);
  writer.integer(most_lead_);
  for (const Queue& queue : queues_) {
    queue.bucket.write(writer);
    std::vector<std::int64_t> staleness(static_cast<std::size_t>(training_->workers));
    for (const Arrival& arrival : queue.held) staleness[index_of(arrival.from)] = arrival.staleness;
    for (std::size_t worker = 0; worker < staleness.size(); ++worker) {
      writer.integer(queue.clocks.of(worker));
      writer.integer(staleness[worker]);
    }
  }
  return writer.take();
}

void AsyncServer::restore(StateReader& state) {
  last_update_ = state.instant();
  dropped_ = state.integer(0, quota_);
  most_lead_ = state.integer(0, quota_);
  for (Queue& queue : queues_) {
    queue.bucket.read(state);
    std::int64_t clocks = 0;
    for (int worker = 0; worker < training_->workers; ++worker) {
      const auto index = static_cast<std::size_t>(worker);
      const std::int64_t clock = state.integer(1, quota_);
      clocks = saturated::sum(clocks, clock);
      while (queue.clocks.of(index) < clock) queue.clocks.advance(index);
      Arrival arrival;
      arrival.from = training_->worker(worker);
      arrival.push.step = {clock - 1};
      arrival.staleness = state.integer(0, quota_);
      queue.held.push_back(std::move(arrival));
      queue.pushed[index] = true;
    }
    queue.released_at = -1;  // all are looked at
    if (clocks != queue.bucket.version().value || is_full(queue)) throw StateError(kNoCut);
  }
  state.end();
  cut_.begin_at(queues_.front().bucket.version().value / training_->workers);
}

void AsyncServer::end_cut(Effects& effects) {
  cutting_ = false;
  Queue& first = queues_.front();
  first.released_at = -1;
  if (!first.over) release(first, effects);
  count(first);
  cut_.wait_for_next(effects);
}

// Of a sparse model pushes differ in size, and a worker has one of them here.
void AsyncServer::count(Queue& queue) {
  Bytes size;
  if (training_->sparse()) {
    for (const Arrival& arrival : queue.arrivals) size += arrival.push.payload.size();
    for (const Arrival& arrival : queue.held) size += arrival.push.payload.size();
    if (queue.applying) size += queue.applying->push.payload.size();
  } else {
    const auto pushes = queue.arrivals.size() + queue.held.size() + (queue.applying ? 1 : 0);
    size = queue.bucket.values().size() * static_cast<std::int64_t>(pushes);
  }
  buffered_.let_go(std::exchange(queue.counted, size));
  buffered_.take(size);
}

void AsyncServer::answer(Queue& queue, const Arrival& arrival, bool last, Effects& effects) {
  Message message{.kind = last ? MessageKind::final_parameters : MessageKind::parameters,
                  .step = arrival.push.step,
                  .bucket = queue.bucket.index(),
                  .version = queue.bucket.version(),
                  .staleness = arrival.staleness};
  message.wait = arrival.wait;
  message.apply = arrival.apply;
  const bool restored = arrival.push.payload.size().value == 0;  // its push is not here any more
  if (restored) {
    message.payload = queue.bucket.lend();
  } else {
    message.payload =
        last ? queue.bucket.values() : queue.bucket.answer(arrival.push.payload, effects);
  }
  effects.emplace_back(Send{arrival.from, std::move(message)});
}

void AsyncServer::announce_end(Instant at, Queue& queue, Effects& effects) {
  for (const Arrival& arrival : queue.held) answer(queue, arrival, true, effects);
  for (int index = 0; index < training_->workers; ++index) {
    const NodeId worker = training_->worker(index);
    if (queue.clocks.is_lost(index_of(worker))) continue;
    if (std::ranges::find(queue.held, worker, &Arrival::from) != queue.held.end()) continue;
    Message message{.kind = MessageKind::stop,
                    .bucket = queue.bucket.index(),
                    .version = queue.bucket.version()};
    message.payload = queue.bucket.values();
    effects.emplace_back(Send{worker, std::move(message)});
  }
  if (&queue == &queues_.front()) dropped_ += static_cast<std::int64_t>(queue.arrivals.size());
  queue.held.clear();
  queue.arrivals.clear();
  count(queue);
  queue.over = true;
  if (++complete_ < queues_.size()) return;
  // With a target one shard may have ended by it, another by the quota.
  const bool speaks = !training_->target.wanted() || id_ == training_->server(0);
  const std::int64_t updates = speaks ? queues_.front().bucket.version().value : 0;
  effects.emplace_back(Finished{.updates = updates,
                                .gradients = updates,
                                .dropped = speaks ? dropped_ : 0,
                                .most_lead = most_lead_,
                                .last_update = at});
}

namespace {

std::unique_ptr<Node> async_node(const std::shared_ptr<const Training>& training, NodeId id) {
  if (training->is_worker(id)) return std::make_unique<Worker>(training, id);
  return std::make_unique<AsyncServer>(training, id);
}

}  // namespace

const Option kQuota{.key = "quota",
                    .doc = "shared: workers x steps gradients in all; own: each worker its steps",
                    .fallback = std::string("shared"),
                    .choices = {"shared", std::string(kOwnQuota)},
                    .unused_because = "only async, ssp have gradients that count one by one"};

Protocol async_protocol() {
  using enum MessageKind;
  const auto one = [](const ProtocolOptions&, int /*workers*/) { return std::int64_t{1}; };
  return {.name = "async",
          .doc = "every gradient is an update, as it comes",
          .servers = true,
          .synchronous = false,
          .options = {&kQuota},
          .messages = {push, parameters, final_parameters, stop, enough, cut, kept},
          .weighed_against = "sync",
          .statistical_efficiency =
              "gradients are stale, computed with parameters that others "
              "have changed since: the loss at the same step differs",
          .deterministic = [](const ProtocolOptions&) { return false; },
          .gradients_an_update = one,
          .gradients_an_apply = one,
          .most_lost = [](const ProtocolOptions&, int workers) { return workers - 1; },
          .server_state = [](const ProtocolOptions&) { return AsyncServer::kState; },
          .linked =
              [](const Training& training, NodeId a, NodeId b) {
                return worker_with_server(training, a, b) || linked_for_cuts(training, a, b);
              },
          .make_node = async_node};
}

}  // namespace foretrain
