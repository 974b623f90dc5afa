// Checkpoints of a parameter server: saving its state, restoring it.
#include "models/protocol/parameter_server.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain {

ServerState server_state_of(const UpdateRule& rule, int workers) {
  if (!rule.in_step) return {3, 3, false};
  return rule.chooses(workers) ? ServerState{2, 2} : ServerState{1, 0};
}

// Buckets of a step of all workers are not decided together: a cut by time takes a step that no
// bucket has reached.
void ParameterServer::rang() {
  if (!takes_all()) return cut_.rang();
  Version next;
  for (const Queue& queue : queues_) next = std::max(next, queue.bucket.version());
  cutting_ = ++next;
}

// A cut needs all workers. A worker that has come back takes part after it has pulled all buckets:
// after the answer for the first it pulls the others before it pushes.
void ParameterServer::note_cut(const Queue& queue) {
  const Version version = queue.bucket.version();
  if (cutting_ || chooses()) return;
  if (rule_.in_step) {
    if (cut_.is_due(version.value)) cutting_ = version;
    return;
  }
  if (&queue != &queues_.front() || !cut_.is_due(version.value / training_->workers)) return;
  // With a fixed order of workers, others would wait for a worker that the cut holds.
  const auto is_awaited = [&](const Push& push) {
    return queue.clocks.of(push.worker) == queue.clocks.slowest();
  };
  if (rule_.bound == 0 && queue.held.size() < incarnations_.size() &&
      std::ranges::any_of(queue.held, is_awaited)) {
    return;
  }
  if (all_take_part(queue) && std::ranges::none_of(queue.held, &Push::pull)) cutting_ = version;
}

bool ParameterServer::is_held(const Queue& queue) const {
  if (!cutting_) return false;
  return rule_.in_step ? queue.bucket.version() == *cutting_ : &queue == &queues_.front();
}

bool ParameterServer::all_wait() const {
  const auto waits = [this](const Queue& queue) {
    return queue.held.size() + queue.answers.size() == incarnations_.size();
  };
  return rule_.in_step ? std::ranges::all_of(queues_, waits) : waits(queues_.front());
}

std::vector<std::int64_t> ParameterServer::clocks() const {
  std::vector<std::int64_t> clocks;
  for (std::size_t worker = 0; worker < incarnations_.size(); ++worker) {
    clocks.push_back(rule_.in_step ? cutting_->value : queues_.front().clocks.of(worker));
  }
  return clocks;
}

bool ParameterServer::is_as_wanted(const Queue& queue) const {
  const ServerCut::Wanted& wanted = *cut_.wanted();
  if (!rule_.in_step) {
    for (std::size_t worker = 0; worker < incarnations_.size(); ++worker) {
      if (queue.clocks.of(worker) != wanted.clocks[worker]) return false;
    }
    return !queue.over;
  }
  const auto is_here = [](const auto& push) { return push.has_value(); };
  return queue.bucket.version().value == wanted.cut && queue.decisions.empty() &&
         std::ranges::none_of(queue.waiting, is_here) &&
         std::ranges::none_of(queue.standings, is_here, &Standing::owed);
}

// Clocks of a bucket that is over prove nothing: no worker comes back to it.
bool ParameterServer::is_outdated() const {
  const auto is_past = [this](const Queue& queue) {
    if (!all_take_part(queue)) return true;
    for (std::size_t worker = 0; worker < incarnations_.size() && !rule_.in_step; ++worker) {
      if (queue.clocks.of(worker) > cut_.wanted()->clocks[worker]) return true;
    }
    return false;
  };
  return std::ranges::none_of(queues_, &Queue::over) && std::ranges::any_of(queues_, is_past);
}

void ParameterServer::look_at_cut(Instant now, Effects& effects) {
  if (cutting_ && !cut_.wanted() && all_wait()) {
    const std::int64_t steps = rule_.in_step ? 1 : training_->workers;
    cut_.announce(queues_.front().bucket.version().value / steps, clocks(), effects);
  }
  if (!cut_.wanted() || cut_.wanted()->keeping) return;
  // One bucket, with one more gradient of a lost worker, may be over before the first.
  if (!rule_.in_step && std::ranges::any_of(queues_, &Queue::over)) {
    if (cut_.pass(effects)) end_cut(now, effects);
    return;
  }
  if (!std::ranges::all_of(queues_, [this](const Queue& each) { return is_as_wanted(each); })) {
    return;
  }
  const ServerState kept = server_state_of(rule_, training_->workers);
  Bytes size = state_size(kept.counts, 0, 0);
  for (const Queue& queue : queues_) {
    size += queue.bucket.kept_size() + state_size(kept.of_worker * training_->workers, 0, 0);
  }
  cut_.keep(
      size, [this] { return state(); }, effects);
}

std::string ParameterServer::state() const {
  StateWriter writer;
  writer.time(last_update_);
  if (!takes_all()) writer.integer(dropped_);
  if (!rule_.in_step) writer.integer(most_lead_);
  for (const Queue& queue : queues_) {
    queue.bucket.write(writer);
    for (const Standing& standing : queue.standings) {
      writer.integer(standing.answered.value);
      writer.integer(standing.answer_dropped ? 1 : 0);
    }
    if (rule_.in_step) continue;
    std::vector<std::int64_t> staleness(incarnations_.size());
    for (const Push& push : queue.held) staleness[push.worker] = push.staleness;
    for (std::size_t worker = 0; worker < staleness.size(); ++worker) {
      writer.integer(queue.clocks.of(worker));
      writer.integer(staleness[worker]);
      writer.integer(queue.skipped[worker]);
    }
  }
  return writer.take();
}

void ParameterServer::restore(StateReader& state) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  last_update_ = state.instant();
  if (!takes_all()) dropped_ = state.integer(0, kMost);
  if (!rule_.in_step) most_lead_ = state.integer(0, updates_);
  for (Queue& queue : queues_) {
    queue.bucket.read(state);
    for (std::uint32_t worker = 0; worker < incarnations_.size(); ++worker) {
      queue.held.push_back(restored(state, queue, worker));
      queue.pushed[worker] = true;
    }
    queue.released_at.reset();  // all are checked
  }
  state.end();
  const Version version = queues_.front().bucket.version();
  for (const Queue& queue : queues_) {
    std::int64_t updates = version.value;
    if (!rule_.in_step) {
      updates = 0;
      for (std::size_t worker = 0; worker < incarnations_.size(); ++worker) {
        updates = saturated::sum(updates, queue.clocks.of(worker) - queue.skipped[worker]);
      }
    }
    if (queue.bucket.version().value != updates || updates < 1 || is_full(queue) ||
        updates > updates_) {
      throw StateError(kNoCut);
    }
  }
  decisions_ = version.value;
  cut_.begin_at(version.value / (rule_.in_step ? 1 : training_->workers));
}

// The gradient is not available any more, but the answer is due.
ParameterServer::Push ParameterServer::restored(StateReader& state, Queue& queue,
                                                std::uint32_t worker) {
  Push push{.step = {queue.bucket.version().value - 1}, .worker = worker};
  if (chooses()) {
    Standing& standing = queue.standings[worker];
    push.step = {state.integer(0, std::numeric_limits<std::uint32_t>::max())};
    push.dropped = state.integer(0, 1) == 1;
    standing.pushed = standing.answered = push.step;
  } else if (!rule_.in_step) {
    // Skipped numbers of a worker that came back are fewer than the steps.
    const std::int64_t clock = state.integer(1, saturated::product(2, updates_));
    queue.clocks.mark_lost(worker);
    queue.clocks.come_back(worker, clock);
    push.step = {clock - 1};
    push.staleness = state.integer(0, updates_);
    queue.skipped[worker] = state.integer(0, clock);
  }
  return push;
}

// A cut lacks the part of a lost worker. Waiting workers are answered.
void ParameterServer::give_up_cut(Instant now, Effects& effects) {
  const bool announced = cut_.wanted().has_value();
  cut_.give_up();
  if (chooses()) {
    if (cutting_) end_cut(now, effects);
    return;
  }
  if (announced) cut_.wait_for_next(effects);
  if (std::exchange(cutting_, std::nullopt)) queues_.front().released_at.reset();
}

void ParameterServer::end_cut(Instant now, Effects& effects) {
  cutting_.reset();
  for (Queue& queue : queues_) {
    std::ranges::sort(queue.answers, {}, &HeldAnswer::worker);
    for (HeldAnswer& each : std::exchange(queue.answers, {})) {
      if (is_gone(queue, each.worker)) continue;
      each.message.wait = each.message.wait + (now - each.since);
      effects.emplace_back(Send{training_->worker(each.worker), std::move(each.message)});
    }
    queue.released_at.reset();
    if (!queue.over && queue.applying.empty()) release(now, queue, effects);
  }
  cut_.wait_for_next(effects);
}

// Bytes of a worker that waits for an answer: those of a push, except with a sparse model.
void ParameterServer::count_held(Queue& queue) {
  if (training_->sparse()) return;
  for (Push& push : queue.held) {
    if (push.payload.size().value > 0 || std::exchange(push.counted, true)) continue;
    buffered_.take(queue.bucket.values().size());
  }
}

}  // namespace foretrain
