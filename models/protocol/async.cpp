#include "models/protocol/async.h"

#include "models/protocol/worker.h"

#include <algorithm>
#include <utility>

namespace foretrain {

AsyncServer::AsyncServer(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)), quota_(training_->steps * training_->workers) {
  const Payload start = initial_parameters(*training_);
  const int shard = static_cast<int>(index_of(id)) - training_->workers;
  for (const std::uint32_t index : training_->layout->of_shard(shard)) {
    queues_.push_back({ShardBucket(training_, index, start), {}, {}});
  }
}

void AsyncServer::handle(Instant now, Input input, Effects& effects) {
  const bool finished = complete_ == queues_.size();
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    answer(now, queues_[static_cast<std::size_t>(computed->job)], effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    if (!finished) effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  }
}

void AsyncServer::receive(Instant now, NodeId from, Message message, Effects& effects) {
  const auto queue = std::ranges::find_if(
      queues_, [&](const Queue& q) { return q.bucket.index() == message.bucket; });
  const auto same_sender = [&](const Arrival& arrival) { return arrival.from == from; };
  if (message.kind != MessageKind::push || queue == queues_.end() || !training_->is_worker(from) ||
      message.version > queue->bucket.version() || !queue->bucket.accepts(message.payload) ||
      std::ranges::any_of(queue->arrivals, same_sender)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (queue->bucket.version().value == quota_) {
    // Sent before its worker heard that it is over; a gradient counts by its first bucket here.
    if (queue == queues_.begin()) ++dropped_;
    return;
  }
  queue->arrivals.push_back({from, now, std::move(message)});
  if (queue->arrivals.size() == 1) apply_first(now, *queue, effects);
}

void AsyncServer::apply_first(Instant now, Queue& queue, Effects& effects) {
  queue.apply_start = now;
  const JobId id{static_cast<std::uint64_t>(&queue - queues_.data())};
  const Payload& push = queue.arrivals.front().push.payload;
  effects.emplace_back(Compute{queue.bucket.apply_job(id, {push})});
}

void AsyncServer::answer(Instant now, Queue& queue, Effects& effects) {
  const Arrival done = std::move(queue.arrivals.front());
  queue.arrivals.pop_front();
  const std::int64_t staleness = queue.bucket.version() - done.push.version;
  queue.bucket.finish_apply();
  const Version version = queue.bucket.version();
  const bool last = version.value == quota_;
  Message message{.kind = last ? MessageKind::final_parameters : MessageKind::parameters,
                  .step = done.push.step,
                  .bucket = queue.bucket.index(),
                  .version = version,
                  .staleness = staleness};
  message.wait = queue.apply_start - done.at;
  message.apply = now - queue.apply_start;
  message.payload = last ? queue.bucket.values() : queue.bucket.answer(done.push.payload);
  effects.emplace_back(Send{done.from, std::move(message)});
  if (!last) {
    if (!queue.arrivals.empty()) apply_first(now, queue, effects);
    return;
  }
  call_over(queue, done.from, effects);
  if (&queue == &queues_.front()) dropped_ += static_cast<std::int64_t>(queue.arrivals.size());
  queue.arrivals.clear();
  if (++complete_ < queues_.size()) return;
  effects.emplace_back(
      Finished{.updates = quota_, .gradients = quota_, .dropped = dropped_, .last_update = now});
}

void AsyncServer::call_over(const Queue& queue, NodeId answered, Effects& effects) {
  for (int worker = 0; worker < training_->workers; ++worker) {
    if (training_->worker(worker) == answered) continue;
    Message message{.kind = MessageKind::stop,
                    .bucket = queue.bucket.index(),
                    .version = queue.bucket.version()};
    message.payload = queue.bucket.values();
    effects.emplace_back(Send{training_->worker(worker), std::move(message)});
  }
}

std::unique_ptr<Node> make_async_node(std::shared_ptr<const Training> training, NodeId id) {
  if (training->is_worker(id)) return std::make_unique<Worker>(std::move(training), id);
  return std::make_unique<AsyncServer>(std::move(training), id);
}

}  // namespace foretrain
