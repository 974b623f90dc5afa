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
      seats_(static_cast<std::size_t>(training_->workers)),
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
  if (cut_.postpones(input)) return;
  const bool finished = complete_ == queues_.size();
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (computed->job != ServerCut::kJob) {
      return applied(now, queues_[static_cast<std::size_t>(computed->job)], effects);
    }
    cut_.resume([&](Input each) { handle(now, std::move(each), effects); }, effects);
    if (cut_.kept(effects)) end_cut(effects);
  } else if (std::holds_alternative<Started>(input)) {
    for (Queue& queue : queues_) release(queue, effects);  // of one that was restored
    cut_.wait_for_next(effects);
  } else if (std::holds_alternative<TimerFired>(input)) {
    cut_.rang();
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    if (training_->is_worker(lost->peer)) seats_[index_of(lost->peer)].taken = false;
    if (!finished) lose(now, lost->peer, effects);
  } else if (auto* back = std::get_if<PeerBack>(&input)) {
    seats_[index_of(back->peer)] = {back->generation, true};
  }
}

void AsyncServer::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (message.kind == MessageKind::enough) return stop(from, effects);
  if (message.kind == MessageKind::cut && cut_.hear(from, message)) {
    // Of one from before a loss shard 0 has no use any more. Clocks of a bucket that is over do not
    // tell: nobody comes back to it.
    const bool passes = std::ranges::any_of(queues_, &Queue::over);
    if (!passes && is_past_cut()) cut_.give_up();
    return look_at_cut(effects);
  }
  if (message.kind == MessageKind::kept && !training_->is_worker(from) && cut_.decides()) {
    if (cut_.hear_kept(from, message)) end_cut(effects);
    return;
  }
  const auto queue = std::ranges::find_if(
      queues_, [&](const Queue& q) { return q.bucket.index() == message.bucket; });
  const bool known = queue != queues_.end() && training_->is_worker(from);
  if (known && message.kind == MessageKind::pull) {
    return pulled(now, from, message, *queue, effects);
  }
  const bool late = known && message.kind == MessageKind::push && is_late(*queue, from, message);
  if (!late &&
      (!known || message.kind != MessageKind::push || message.version > queue->bucket.version() ||
       !queue->bucket.take_in(message.payload, effects) || queue->pushed[index_of(from)])) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (late || queue->over) {
    // Of who is gone, or sent before its worker heard that it is over; a gradient counts by its
    // first bucket here.
    if (queue == queues_.begin()) ++dropped_;
    return;
  }
  queue->pushed[index_of(from)] = true;
  queue->arrivals.push_back({from, now, std::move(message)});
  count(*queue);
  apply_next(now, *queue, effects);
}

// Steps of who came back have numbers that no step of those before it had.
bool AsyncServer::is_late(const Queue& queue, NodeId from, const Message& push) const {
  const Seat& seat = seats_[index_of(from)];
  if (seat.is_first()) return false;
  if (queue.over) return true;
  return !seat.taken || queue.clocks.is_lost(index_of(from)) ||
         push.step.value < queue.clocks.of(index_of(from));
}

std::int64_t AsyncServer::first_step(const Queue& queue, int worker) const {
  return queue.clocks.of(static_cast<std::size_t>(worker)) + 1;  // one may be under way
}

// It counts from here on, and waits for its answer as who has pushed does. The first bucket of all
// decides on its number, so that its clock is the same in all of them.
void AsyncServer::pulled(Instant now, NodeId from, const Message& pull, Queue& queue,
                         Effects& effects) {
  const std::size_t worker = index_of(from);
  const Seat& seat = seats_[worker];
  if (!seat.taken || pull.version.value != seat.generation) return;  // of one that is gone
  if (queue.over) {
    effects.emplace_back(Send{from, last_values(queue)});
    return;
  }
  const bool decides = queue.bucket.index() == 0;
  const std::int64_t first =
      decides ? first_step(queue, static_cast<int>(worker)) : pull.step.value;
  if (seat.is_first() || !queue.clocks.is_lost(worker) || first < queue.clocks.of(worker)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  queue.skipped[worker] += first - queue.clocks.of(worker);
  queue.clocks.come_back(worker, first);
  Arrival arrival;
  arrival.from = from;
  arrival.at = now;
  arrival.push.kind = MessageKind::pull;
  arrival.push.step = {first};
  queue.held.push_back(std::move(arrival));
  queue.pushed[worker] = true;
  queue.released_at = -1;  // all are looked at
  if (!queue.applying) release(queue, effects);
  count(queue);
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
  if (!done.orphaned) {
    queue.clocks.advance(index_of(done.from));
    queue.held.push_back(std::move(done));
  }
  if (is_full(queue)) {
    announce_end(now, queue, effects);
    return look_at_cut(effects);
  }
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
  const bool announced = cut_.wanted().has_value();
  cut_.give_up();
  if (announced) cut_.wait_for_next(effects);
  if (std::exchange(cutting_, false)) queues_.front().released_at = -1;  // all are looked at
  for (Queue& queue : queues_) {
    queue.clocks.lose(index_of(peer));
    queue.pushed[index_of(peer)] = false;
    if (queue.over) continue;
    if (queue.applying && is_of_peer(*queue.applying) && !queue.applying->orphaned) {
      queue.applying->orphaned = true;  // its clock may be another when that is applied
      queue.clocks.advance(index_of(peer));
    }
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

Message AsyncServer::last_values(const Queue& queue) {
  Message message{
      .kind = MessageKind::stop, .bucket = queue.bucket.index(), .version = queue.bucket.version()};
  message.payload = queue.bucket.values();
  return message;
}

void AsyncServer::announce_end(Instant at, Queue& queue, Effects& effects) {
  for (const Arrival& arrival : queue.held) answer(queue, arrival, true, effects);
  for (int index = 0; index < training_->workers; ++index) {
    const NodeId worker = training_->worker(index);
    if (queue.clocks.is_lost(index_of(worker))) continue;
    if (std::ranges::find(queue.held, worker, &Arrival::from) != queue.held.end()) continue;
    effects.emplace_back(Send{worker, last_values(queue)});
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
          .messages = {push, parameters, final_parameters, stop, enough, cut, kept, pull},
          .weighed_against = "sync",
          .statistical_efficiency =
              "gradients are stale, computed with parameters that others "
              "have changed since: the loss at the same step differs",
          .deterministic = [](const ProtocolOptions&) { return false; },
          .gradients_an_update = one,
          .gradients_an_apply = one,
          .most_lost = [](const ProtocolOptions&, int workers) { return workers - 1; },
          .takes_back = [](const ProtocolOptions&) { return true; },
          .server_state = [](const ProtocolOptions&) { return AsyncServer::kState; },
          .linked =
              [](const Training& training, NodeId a, NodeId b) {
                return worker_with_server(training, a, b) || linked_for_cuts(training, a, b);
              },
          .make_node = async_node};
}

}  // namespace foretrain
