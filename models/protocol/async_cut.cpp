// Where an asynchronous server keeps its state, goes on from it.
#include "models/protocol/async.h"

#include <algorithm>
#include <utility>

namespace foretrain {

// Of workers that have all been there from the beginning: a cut without one of them is not whole,
// and of one that came back clocks do not add up to updates any more.
bool AsyncServer::may_cut() const {
  if (!cut_.is_due(queues_.front().bucket.version().value / training_->workers)) return false;
  return std::ranges::all_of(seats_, [](const Seat& seat) { return seat.is_first(); });
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

}  // namespace foretrain
