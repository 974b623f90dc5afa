// Where an asynchronous server keeps its state, goes on from it.
#include "models/protocol/async.h"

#include <algorithm>
#include <utility>

namespace foretrain {

// A cut without one of the workers is not whole. Who has come back takes part once it has pulled
// all buckets: when the first was answered it pulls the others before it pushes.
bool AsyncServer::may_cut() const {
  const Queue& first = queues_.front();
  if (!cut_.is_due(first.bucket.version().value / training_->workers)) return false;
  for (std::size_t worker = 0; worker < seats_.size(); ++worker) {
    if (!seats_[worker].taken || first.clocks.is_lost(worker)) return false;
  }
  return std::ranges::none_of(
      first.held, [](const Arrival& arrival) { return arrival.push.kind == MessageKind::pull; });
}

bool AsyncServer::is_past_cut() const {
  const auto is_past = [this](const Queue& queue) {
    for (std::size_t worker = 0; worker < seats_.size(); ++worker) {
      const bool lost = !seats_[worker].taken || queue.clocks.is_lost(worker);
      if (lost || queue.clocks.of(worker) > cut_.wanted()->clocks[worker]) return true;
    }
    return false;
  };
  return std::ranges::any_of(queues_, is_past);
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
  // Of who was lost one may have had a gradient more, so it is over before the first.
  if (std::ranges::any_of(queues_, &Queue::over)) {
    if (cut_.pass(effects)) end_cut(effects);
    return;
  }
  if (!std::ranges::all_of(queues_, [&](const Queue& queue) { return is_as_wanted(queue); })) {
    return;
  }
  cut_.keep(
      size_of_state(kState, training_->workers, queues_), [this] { return state(); }, effects);
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
      writer.integer(queue.skipped[worker]);
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
      // Of who came back numbers were left out, fewer than there are steps.
      const std::int64_t clock = state.integer(1, saturated::product(2, quota_));
      queue.clocks.lose(index);
      queue.clocks.come_back(index, clock);
      Arrival arrival;
      arrival.from = training_->worker(worker);
      arrival.push.step = {clock - 1};
      arrival.staleness = state.integer(0, quota_);
      queue.skipped[index] = state.integer(0, clock);
      clocks = saturated::sum(clocks, clock - queue.skipped[index]);
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

}  // namespace foretrain
