#include "models/protocol/backup.h"

#include "models/base/check.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace foretrain {

const Option kBackupWorkers{
    .key = "backup_workers",
    .doc = "sync: so many of the workers may be late; the first others make a step",
    .fallback = std::int64_t{0},
    .most = 100'000,
    .unused_because = "only sync waits for everybody, so only it has backups",
    .one_more = "one backup worker",
    .one_more_doc = "a worker more may be late"};

BackupServer::BackupServer(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      backups_(static_cast<int>(training_->options.integer(kBackupWorkers))),
      cut_(training_, id) {
  const Payload start = initial_parameters(*training_);
  const int shard = static_cast<int>(index_of(id)) - training_->workers;
  const auto workers = static_cast<std::size_t>(training_->workers);
  for (const std::uint32_t index : training_->layout->of_shard(shard)) {
    gatherings_.push_back(
        {ShardBucket(training_, index, start), {}, {}, {}, {}, {}, false, false, {}});
    gatherings_.back().arrivals.resize(workers);
    gatherings_.back().owed.resize(workers);
    gatherings_.back().answered.resize(workers);
    gatherings_.back().held.resize(workers);
  }
  lost_.resize(workers);
}

void BackupServer::handle(Instant now, Input input, Effects& effects) {
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (computed->job != ServerCut::kJob) {
      applied(now, gatherings_[static_cast<std::size_t>(computed->job)], effects);
    } else if (cut_.kept(effects)) {
      release(now, effects);
    }
  } else if (std::holds_alternative<Started>(input)) {
    if (std::exchange(restored_, false)) answer_all(effects);
    cut_.wait_for_next(effects);
  } else if (std::holds_alternative<TimerFired>(input)) {
    cut_.rang();
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    if (over_ < gatherings_.size()) lose(now, lost->peer, effects);
  }
}

void BackupServer::lose(Instant now, NodeId peer, Effects& effects) {
  if (training_->is_worker(peer)) {
    lost_[index_of(peer)] = true;
    cut_.give_up();
    release(now, effects);
    const auto lost = std::ranges::count(lost_, true);
    // The chief's are the weights in the end.
    if (lost <= backups_ && index_of(peer) != 0) {
      for (Gathering& gathering : gatherings_) go_on(now, gathering, effects);
      return;
    }
  }
  effects.emplace_back(Fault{peer, "the connection to it was lost"});
}

// It was lost after shard 0 had its gradient and chose it, before this shard had its part.
void BackupServer::miss(std::uint32_t worker, Effects& effects) const {
  effects.emplace_back(Fault{training_->worker(static_cast<int>(worker)),
                             "a step was chosen to have its gradient, this shard's part of which "
                             "never came"});
}

void BackupServer::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (message.kind == MessageKind::enough && chooses()) return stop(now, from, effects);
  if (message.kind == MessageKind::cut && cut_.hear(from, message)) return look_at_cut(effects);
  if (message.kind == MessageKind::kept && !training_->is_worker(from) && chooses()) {
    if (cut_.hear_kept(from)) release(now, effects);
    return;
  }
  if (const auto decision = decoded(message)) {
    if (from == training_->server(0)) return decide(now, *decision, effects);
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const auto gathering = std::ranges::find_if(
      gatherings_, [&](const Gathering& g) { return g.bucket.index() == message.bucket; });
  const std::uint32_t worker = index_of(from);
  if (message.kind != MessageKind::push || gathering == gatherings_.end() ||
      !training_->is_worker(from) || message.version > gathering->bucket.version() ||
      !gathering->bucket.accepts(message.payload, effects) || gathering->arrivals[worker]) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (gathering->over) {
    // Sent before its worker heard that it is over; a gradient counts by its first bucket here.
    if (gathering == gatherings_.begin()) ++dropped_;
    return;
  }
  buffered_.take(message.payload.size());
  gathering->arrivals[worker] = Arrival{now, std::move(message)};
  if (gathering->owed[worker]) {
    send_on(now, *gathering, worker, effects);
    look_at_cut(effects);
  } else if (chooses()) {
    choose(now, worker, effects);
  } else {
    go_on(now, *gathering, effects);
  }
}

void BackupServer::stop(Instant now, NodeId from, Effects& effects) {
  if (from != training_->worker(0) || !chooses() || enough_) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  enough_ = true;
  release(now, effects);                         // the chief is one of those that the cut waits for
  if (decisions_ == training_->updates) return;  // it is over without
  decide(now, {.chosen = {}, .enough = true}, effects);
}

void BackupServer::choose(Instant now, std::uint32_t worker, Effects& effects) {
  // What is late for the last step is told of the end.
  if (enough_ || decisions_ == training_->updates) return;
  const auto is_here = [&](const Gathering& g) { return g.arrivals[worker].has_value(); };
  if (!std::ranges::all_of(gatherings_, is_here)) return;
  if (gatherings_.front().arrivals[worker]->push.version.value < decisions_) {
    return decide(now, {.chosen = {}, .late = worker}, effects);
  }
  complete_.push_back(worker);
  if (complete_.size() < needed()) return;
  Decision decision{.chosen = std::exchange(complete_, {})};
  std::ranges::sort(decision.chosen);
  ++decisions_;
  const bool last = decisions_ == training_->updates;
  if (!last && !has_lost() && cut_.is_due(decisions_)) cutting_ = Version{decisions_};
  decide(now, decision, effects);
}

// Tells the other shards, where this one chooses, then does it.
void BackupServer::decide(Instant now, const Decision& decision, Effects& effects) {
  if (chooses()) {
    const Message message = encoded(decision);
    for (int shard = 1; shard < training_->servers; ++shard) {
      effects.emplace_back(Send{training_->server(shard), message});
    }
  }
  for (Gathering& gathering : gatherings_) {
    gathering.decisions.push_back(decision);
    go_on(now, gathering, effects);
  }
  look_at_cut(effects);
}

Message BackupServer::encoded(const Decision& decision) const {
  Message message{.kind = MessageKind::choice, .version = {decisions_}};
  Workers words = decision.chosen;
  if (decision.enough) {
    message.kind = MessageKind::enough;
  } else if (words.empty()) {
    message.kind = MessageKind::late;
    words = {decision.late};
  }
  if (words.empty()) return message;
  message.payload = Payload::allocate({static_cast<std::int64_t>(4 * words.size())});
  const auto bytes = message.payload.writable_bytes();
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return message;
}

// Nothing: it is no decision, or none that can be.
std::optional<BackupServer::Decision> BackupServer::decoded(const Message& message) const {
  if (message.kind == MessageKind::enough) return Decision{.chosen = {}, .enough = true};
  if (message.kind != MessageKind::choice && message.kind != MessageKind::late) return {};
  const auto bytes = message.payload.bytes();
  Workers words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  const auto workers = static_cast<std::uint32_t>(training_->workers);
  if (words.empty() || std::ranges::any_of(words, [&](auto w) { return w >= workers; })) return {};
  if (message.kind == MessageKind::late) return Decision{.chosen = {}, .late = words.front()};
  if (words.size() != needed() || !std::ranges::is_sorted(words)) return {};
  return Decision{.chosen = std::move(words)};
}

void BackupServer::go_on(Instant now, Gathering& gathering, Effects& effects) {
  while (!gathering.applying && !gathering.decisions.empty()) {
    const Decision& decision = gathering.decisions.front();
    if (decision.enough) return announce_end(last_update_, gathering, {}, effects);
    if (decision.chosen.empty()) {
      const std::uint32_t late = decision.late;
      gathering.owed[late] = Owed{gathering.bucket.lend(), gathering.bucket.version()};
      if (chooses() && &gathering == &gatherings_.front()) ++dropped_;
      if (gathering.arrivals[late]) send_on(now, gathering, late, effects);
      gathering.decisions.pop_front();
      continue;
    }
    std::vector<Payload> pushes;
    for (const std::uint32_t worker : decision.chosen) {
      const auto& arrival = gathering.arrivals[worker];
      if (!arrival || arrival->push.version != gathering.bucket.version()) {
        if (lost_[worker]) miss(worker, effects);
        return;  // not yet here
      }
      pushes.push_back(arrival->push.payload);
    }
    gathering.applying = true;
    gathering.apply_start = now;
    const JobId id{static_cast<std::uint64_t>(&gathering - gatherings_.data())};
    effects.emplace_back(Compute{gathering.bucket.apply_job(id, std::move(pushes))});
  }
}

void BackupServer::applied(Instant now, Gathering& gathering, Effects& effects) {
  const Decision decision = std::move(gathering.decisions.front());
  gathering.decisions.pop_front();
  gathering.bucket.finish_apply();
  last_update_ = now;
  gathering.applying = false;
  if (gathering.bucket.version().value == training_->updates) {
    return announce_end(now, gathering, decision, effects);
  }
  const Owed current{gathering.bucket.values(), gathering.bucket.version()};
  for (const std::uint32_t worker : decision.chosen) {
    auto& arrival = *gathering.arrivals[worker];
    arrival.push.wait = gathering.apply_start - arrival.at;
    arrival.push.apply = now - gathering.apply_start;
    answer(now, gathering, worker, arrival, MessageKind::parameters, current, effects);
    let_go(gathering.arrivals[worker]);
  }
  go_on(now, gathering, effects);
  look_at_cut(effects);
}

void BackupServer::let_go(std::optional<Arrival>& arrival) {
  if (arrival) buffered_.let_go(arrival->push.payload.size());
  arrival.reset();
}

void BackupServer::send_on(Instant now, Gathering& gathering, std::uint32_t worker,
                           Effects& effects) {
  answer(now, gathering, worker, *gathering.arrivals[worker], MessageKind::dropped,
         *gathering.owed[worker], effects);
  let_go(gathering.arrivals[worker]);
  gathering.owed[worker].reset();
}

void BackupServer::answer(Instant now, Gathering& gathering, std::uint32_t worker,
                          const Arrival& arrival, MessageKind kind, const Owed& what,
                          Effects& effects) {
  gathering.answered[worker] = {arrival.push.step, kind == MessageKind::dropped};
  if (lost_[worker]) return;
  Message message{.kind = kind,
                  .step = arrival.push.step,
                  .bucket = gathering.bucket.index(),
                  .version = what.version};
  message.wait = arrival.push.wait;
  message.apply = arrival.push.apply;
  const bool last = kind == MessageKind::final_parameters;
  message.payload =
      last ? what.values : gathering.bucket.answer(arrival.push.payload, what.values, effects);
  if (cutting_ == what.version && !last) {
    gathering.held[worker] = Held{std::move(message), now};
    return;
  }
  effects.emplace_back(Send{training_->worker(static_cast<int>(worker)), std::move(message)});
}

bool BackupServer::has_lost() const { return std::ranges::find(lost_, true) != lost_.end(); }

void BackupServer::announce_end(Instant now, Gathering& gathering, const Decision& last,
                                Effects& effects) {
  const Owed current{gathering.bucket.values(), gathering.bucket.version()};
  const bool counts = chooses() && &gathering == &gatherings_.front();
  for (std::uint32_t worker = 0; worker < gathering.arrivals.size(); ++worker) {
    auto& arrival = gathering.arrivals[worker];
    if (std::ranges::binary_search(last.chosen, worker)) {
      arrival->push.wait = gathering.apply_start - arrival->at;
      arrival->push.apply = now - gathering.apply_start;
      answer(now, gathering, worker, *arrival, MessageKind::final_parameters, current, effects);
    } else if (!lost_[worker]) {
      if (arrival && counts) ++dropped_;
      Message message{.kind = MessageKind::stop,
                      .bucket = gathering.bucket.index(),
                      .version = current.version};
      message.payload = current.values;
      effects.emplace_back(Send{training_->worker(static_cast<int>(worker)), std::move(message)});
    }
    let_go(arrival);
  }
  gathering.decisions.clear();
  gathering.over = true;
  if (++over_ < gatherings_.size()) return;
  const std::int64_t updates = gathering.bucket.version().value;
  effects.emplace_back(Finished{.updates = updates,
                                .gradients = updates * static_cast<std::int64_t>(needed()),
                                .dropped = dropped_,
                                .last_update = now});
}

}  // namespace foretrain
