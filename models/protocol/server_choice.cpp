// The choice of gradients with backup workers: shard 0 decides, the other shards follow.
#include "models/protocol/parameter_server.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace foretrain {

bool ServerQueue::Decision::concerns(std::uint32_t worker) const {
  return kind != MessageKind::returned && std::ranges::binary_search(workers, worker);
}

void ParameterServer::came(Instant now, Queue& queue, std::uint32_t worker, Effects& effects) {
  Standing& standing = queue.standings[worker];
  standing.pushed = queue.waiting[worker]->step;
  if (standing.owed) {
    send_on(now, queue, worker, effects);
    look_at_cut(now, effects);
  } else if (cut_.decides()) {
    choose(now, worker, effects);
  } else {
    go_on(now, queue, effects);
  }
}

void ParameterServer::choose(Instant now, std::uint32_t worker, Effects& effects) {
  // A worker whose gradient is late for the last step is informed of the end.
  if (enough_ || decisions_ == updates_) return;
  const auto is_here = [&](const Queue& queue) { return queue.waiting[worker].has_value(); };
  if (!std::ranges::all_of(queues_, is_here)) return;
  if (queues_.front().waiting[worker]->version.value < decisions_) {
    return decide(now, {MessageKind::late, {worker}}, effects);
  }
  complete_.push_back(worker);
  if (std::ssize(complete_) < rule_.gradients) return;
  Decision decision{.workers = std::exchange(complete_, {})};
  std::ranges::sort(decision.workers);
  ++decisions_;
  const auto is_whole = [this](const Queue& queue) { return all_take_part(queue); };
  if (decisions_ < updates_ && cut_.is_due(decisions_) && std::ranges::all_of(queues_, is_whole)) {
    cutting_ = Version{decisions_};
  }
  decide(now, decision, effects);
}

void ParameterServer::decide(Instant now, const Decision& decision, Effects& effects) {
  if (cut_.decides()) {
    const Message message = encoded(decision);
    for (int shard = 1; shard < training_->servers; ++shard) {
      effects.emplace_back(Send{training_->server(shard), message});
    }
  }
  for (Queue& queue : queues_) {
    queue.decisions.push_back(decision);
    go_on(now, queue, effects);
  }
  look_at_cut(now, effects);
}

ParameterServer::Workers ParameterServer::next_chosen(Instant now, Queue& queue, Effects& effects) {
  for (; !queue.decisions.empty(); queue.decisions.pop_front()) {
    const Decision& decision = queue.decisions.front();
    if (decision.kind == MessageKind::choice) {
      return is_here(queue, decision.workers, effects) ? decision.workers : Workers{};
    }
    if (decision.kind == MessageKind::enough) {
      announce_end(last_update_, queue, effects);
      return {};
    }
    if (decision.kind == MessageKind::late) {
      dismiss(now, queue, decision.workers.front(), effects);
    } else {
      readmit(queue, decision, effects);
    }
  }
  return {};
}

bool ParameterServer::is_here(const Queue& queue, const Workers& chosen, Effects& effects) const {
  for (const std::uint32_t worker : chosen) {
    const auto& push = queue.waiting[worker];
    if (push && push->version == queue.bucket.version()) continue;
    if (is_gone(queue, worker)) {
      // It was lost after shard 0 had its gradient and chose it, before this shard had its part.
      effects.emplace_back(
          Fault{training_->worker(worker),
                "shard 0 chose its gradient for a step, but this shard never received its part"});
    }
    return false;
  }
  return true;
}

void ParameterServer::dismiss(Instant now, Queue& queue, std::uint32_t worker, Effects& effects) {
  if (cut_.decides() && &queue == &queues_.front()) ++dropped_;
  if (is_gone(queue, worker)) return drop(queue, worker);
  queue.standings[worker].owed = Standing::Owed{queue.bucket.lend(), queue.bucket.version()};
  if (queue.waiting[worker]) send_on(now, queue, worker, effects);
}

void ParameterServer::send_on(Instant now, Queue& queue, std::uint32_t worker, Effects& effects) {
  Push push = *std::exchange(queue.waiting[worker], std::nullopt);
  push.at = push.begun = push.applied = now;
  const Standing::Owed owed = *std::exchange(queue.standings[worker].owed, std::nullopt);
  answer(now, queue, push, MessageKind::dropped, owed.values, owed.version, effects);
}

Message ParameterServer::encoded(const Decision& decision) const {
  Message message{.kind = decision.kind, .version = {decisions_}};
  Workers words = decision.workers;
  if (decision.kind == MessageKind::returned) {
    words.push_back(static_cast<std::uint32_t>(decision.incarnation));
  }
  if (words.empty()) return message;
  message.payload = Payload::allocate({static_cast<std::int64_t>(4 * words.size())});
  const auto bytes = message.payload.writable_bytes();
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return message;
}

// Returns nothing if it is not a decision, or an impossible one.
std::optional<ParameterServer::Decision> ParameterServer::decoded(const Message& message) const {
  const MessageKind kind = message.kind;
  if (kind == MessageKind::enough) return Decision{kind};
  const bool returns = kind == MessageKind::returned;
  if (kind != MessageKind::choice && kind != MessageKind::late && !returns) return {};
  const int words = kind == MessageKind::choice ? rule_.gradients : returns ? 2 : 1;
  Decision decision{kind, Workers(static_cast<std::size_t>(words))};
  const auto bytes = message.payload.bytes();
  if (bytes.size() != 4 * decision.workers.size()) return {};
  std::memcpy(decision.workers.data(), bytes.data(), bytes.size());
  if (returns) {
    decision.incarnation = decision.workers.back();
    decision.workers.pop_back();
  }
  const auto is_none = [this](std::uint32_t worker) {
    return worker >= static_cast<std::uint32_t>(training_->workers);
  };
  const bool wrong = std::ranges::any_of(decision.workers, is_none);
  if (wrong || !std::ranges::is_sorted(decision.workers)) return {};
  return decision;
}

}  // namespace foretrain
