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
    gatherings_.push_back({ShardBucket(training_, index, start), std::vector<Standing>(workers)});
  }
  seats_.resize(workers);
}

void BackupServer::handle(Instant now, Input input, Effects& effects) {
  if (cut_.postpones(input)) return;
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (computed->job != ServerCut::kJob) {
      return applied(now, gatherings_[static_cast<std::size_t>(computed->job)], effects);
    }
    cut_.resume([&](Input each) { handle(now, std::move(each), effects); }, effects);
    if (cut_.kept(effects)) release(now, effects);
  } else if (std::holds_alternative<Started>(input)) {
    if (std::exchange(restored_, false)) answer_all(effects);
    cut_.wait_for_next(effects);
  } else if (std::holds_alternative<TimerFired>(input)) {
    cut_.rang();
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    if (training_->is_worker(lost->peer)) seats_[index_of(lost->peer)].taken = false;
    if (over_ < gatherings_.size()) lose(now, lost->peer, effects);
  } else if (auto* back = std::get_if<PeerBack>(&input)) {
    seats_[index_of(back->peer)] = {back->generation, true};
  }
}

void BackupServer::lose(Instant now, NodeId peer, Effects& effects) {
  if (training_->is_worker(peer)) {
    const std::uint32_t worker = index_of(peer);
    for (Gathering& gathering : gatherings_) {
      gathering.standings[worker].pull.reset();
      gathering.standings[worker].listens = false;
    }
    cut_.give_up();
    release(now, effects);
    if (chooses()) forget(worker);
    const auto lost = std::ranges::count(seats_, false, &Seat::taken);
    // The chief's are the weights in the end.
    if (lost <= backups_ && worker != 0) {
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
  if (message.kind == MessageKind::cut && cut_.hear(from, message)) {
    // Of one from before a loss shard 0 has no use any more.
    if (!all_take_part()) cut_.give_up();
    return look_at_cut(effects);
  }
  if (message.kind == MessageKind::kept && !training_->is_worker(from) && chooses()) {
    if (cut_.hear_kept(from, message)) release(now, effects);
    return;
  }
  if (const auto decision = decoded(message)) {
    if (from == training_->server(0)) return decide(now, *decision, effects);
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const auto gathering = std::ranges::find_if(
      gatherings_, [&](const Gathering& g) { return g.bucket.index() == message.bucket; });
  const bool known = gathering != gatherings_.end() && training_->is_worker(from);
  if (known && message.kind == MessageKind::pull) {
    return pulled(now, from, std::move(message), *gathering, effects);
  }
  const std::uint32_t worker = index_of(from);
  const bool late =
      known && message.kind == MessageKind::push &&
      (!takes_part(*gathering, worker) || message.step < gathering->standings[worker].first);
  if (!late &&
      (!known || message.kind != MessageKind::push ||
       message.version > gathering->bucket.version() ||
       !gathering->bucket.take_in(message.payload, effects) || gathering->standings[worker].push)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (late || gathering->over) {
    // Of who is gone, or sent before its worker heard that it is over; a gradient counts by its
    // first bucket here.
    if (gathering == gatherings_.begin()) ++dropped_;
    return;
  }
  buffered_.take(message.payload.size());
  Standing& standing = gathering->standings[worker];
  standing.pushed = message.step;
  standing.push = Arrival{now, std::move(message)};
  if (standing.owed) {
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
  decide(now, {.what = Decision::What::enough}, effects);
}

void BackupServer::choose(Instant now, std::uint32_t worker, Effects& effects) {
  // What is late for the last step is told of the end.
  if (enough_ || decisions_ == training_->updates) return;
  const auto is_here = [&](const Gathering& g) { return g.standings[worker].push.has_value(); };
  if (!std::ranges::all_of(gatherings_, is_here)) return;
  if (gatherings_.front().standings[worker].push->message.version.value < decisions_) {
    return decide(now, {.what = Decision::What::late, .worker = worker}, effects);
  }
  complete_.push_back(worker);
  if (complete_.size() < needed()) return;
  Decision decision{.chosen = std::exchange(complete_, {})};
  std::ranges::sort(decision.chosen);
  ++decisions_;
  const bool last = decisions_ == training_->updates;
  if (!last && cut_.is_due(decisions_) && all_take_part()) cutting_ = Version{decisions_};
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
  switch (decision.what) {
    case Decision::What::step:
      break;
    case Decision::What::late:
      message.kind = MessageKind::late;
      words = {decision.worker};
      break;
    case Decision::What::returned:
      message.kind = MessageKind::returned;
      words = {decision.worker, static_cast<std::uint32_t>(decision.generation)};
      break;
    case Decision::What::enough:
      message.kind = MessageKind::enough;
      return message;
  }
  message.payload = Payload::allocate({static_cast<std::int64_t>(4 * words.size())});
  const auto bytes = message.payload.writable_bytes();
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return message;
}

// Nothing: it is no decision, or none that can be.
std::optional<BackupServer::Decision> BackupServer::decoded(const Message& message) const {
  using What = Decision::What;
  const bool words_follow = message.kind == MessageKind::choice ||
                            message.kind == MessageKind::late ||
                            message.kind == MessageKind::returned;
  if (message.kind == MessageKind::enough) return Decision{.what = What::enough};
  if (!words_follow) return {};
  const auto bytes = message.payload.bytes();
  Workers words(bytes.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(words[0]));
  const auto is_none = [this](std::uint32_t word) {
    return word >= static_cast<std::uint32_t>(training_->workers);
  };
  switch (message.kind) {
    case MessageKind::late:
      if (words.size() != 1 || is_none(words[0])) return {};
      return Decision{.what = What::late, .worker = words[0]};
    case MessageKind::returned:
      if (words.size() != 2 || is_none(words[0])) return {};
      return Decision{.what = What::returned, .worker = words[0], .generation = words[1]};
    default:
      if (words.size() != needed() || std::ranges::any_of(words, is_none)) return {};
      if (!std::ranges::is_sorted(words)) return {};
      return Decision{.chosen = std::move(words)};
  }
}

bool BackupServer::Decision::concerns(std::uint32_t who) const {
  if (what == What::late) return worker == who;
  return std::ranges::binary_search(chosen, who);
}

void BackupServer::go_on(Instant now, Gathering& gathering, Effects& effects) {
  while (!gathering.applying && !gathering.decisions.empty()) {
    const Decision& decision = gathering.decisions.front();
    switch (decision.what) {
      case Decision::What::enough:
        return announce_end(last_update_, gathering, {}, effects);
      case Decision::What::step:
        return apply(now, gathering, decision.chosen, effects);
      case Decision::What::late:
        dismiss(now, gathering, decision.worker, effects);
        break;
      case Decision::What::returned:
        seat(gathering, decision, effects);
        break;
    }
    gathering.decisions.pop_front();
  }
}

void BackupServer::dismiss(Instant now, Gathering& gathering, std::uint32_t worker,
                           Effects& effects) {
  if (chooses() && &gathering == &gatherings_.front()) ++dropped_;
  Standing& standing = gathering.standings[worker];
  if (seats_[worker].is_gone(standing.generation)) return let_go(standing.push);
  standing.owed = Owed{gathering.bucket.lend(), gathering.bucket.version()};
  if (standing.push) send_on(now, gathering, worker, effects);
}

void BackupServer::apply(Instant now, Gathering& gathering, const Workers& chosen,
                         Effects& effects) {
  std::vector<Payload> pushes;
  for (const std::uint32_t worker : chosen) {
    const Standing& standing = gathering.standings[worker];
    if (!standing.push || standing.push->message.version != gathering.bucket.version()) {
      if (seats_[worker].is_gone(standing.generation)) miss(worker, effects);
      return;  // not yet here
    }
    pushes.push_back(standing.push->message.payload);
  }
  gathering.applying = true;
  gathering.apply_start = now;
  const JobId id{static_cast<std::uint64_t>(&gathering - gatherings_.data())};
  effects.emplace_back(Compute{gathering.bucket.apply_job(id, std::move(pushes))});
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
    Arrival& push = *gathering.standings[worker].push;
    push.message.wait = gathering.apply_start - push.at;
    push.message.apply = now - gathering.apply_start;
    answer(now, gathering, worker, MessageKind::parameters, current, effects);
    let_go(gathering.standings[worker].push);
  }
  go_on(now, gathering, effects);
  look_at_cut(effects);
}

void BackupServer::let_go(std::optional<Arrival>& push) {
  if (push) buffered_.let_go(push->message.payload.size());
  push.reset();
}

void BackupServer::send_on(Instant now, Gathering& gathering, std::uint32_t worker,
                           Effects& effects) {
  Standing& standing = gathering.standings[worker];
  answer(now, gathering, worker, MessageKind::dropped, *standing.owed, effects);
  let_go(standing.push);
  standing.owed.reset();
}

void BackupServer::answer(Instant now, Gathering& gathering, std::uint32_t worker, MessageKind kind,
                          const Owed& what, Effects& effects) {
  Standing& standing = gathering.standings[worker];
  const Message& push = standing.push->message;
  standing.answered = {push.step, kind == MessageKind::dropped};
  if (seats_[worker].is_gone(standing.generation)) return;
  Message message{
      .kind = kind, .step = push.step, .bucket = gathering.bucket.index(), .version = what.version};
  message.wait = push.wait;
  message.apply = push.apply;
  const bool last = kind == MessageKind::final_parameters;
  message.payload =
      last ? what.values : gathering.bucket.answer(push.payload, what.values, effects);
  if (cutting_ == what.version && !last) {
    standing.held = Held{std::move(message), now};
    return;
  }
  effects.emplace_back(Send{training_->worker(static_cast<int>(worker)), std::move(message)});
}

Message BackupServer::last_values(const Gathering& gathering) {
  Message message{.kind = MessageKind::stop,
                  .bucket = gathering.bucket.index(),
                  .version = gathering.bucket.version()};
  message.payload = gathering.bucket.values();
  return message;
}

void BackupServer::announce_end(Instant now, Gathering& gathering, const Decision& last,
                                Effects& effects) {
  const Owed current{gathering.bucket.values(), gathering.bucket.version()};
  const bool counts = chooses() && &gathering == &gatherings_.front();
  for (std::uint32_t worker = 0; worker < gathering.standings.size(); ++worker) {
    Standing& standing = gathering.standings[worker];
    const bool chosen = last.concerns(worker);
    if (chosen && !seats_[worker].is_gone(standing.generation)) {
      Arrival& push = *standing.push;
      push.message.wait = gathering.apply_start - push.at;
      push.message.apply = now - gathering.apply_start;
      answer(now, gathering, worker, MessageKind::final_parameters, current, effects);
    } else if (standing.listens) {
      if (standing.push && counts && !chosen) ++dropped_;
      const NodeId to = training_->worker(static_cast<int>(worker));
      effects.emplace_back(Send{to, last_values(gathering)});
    }
    let_go(standing.push);
    standing.pull.reset();
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
