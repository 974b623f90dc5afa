#include "models/protocol/sync.h"

#include "models/protocol/backup.h"
#include "models/protocol/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {

SyncServer::SyncServer(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)), cut_(training_, id) {
  const Payload start = initial_parameters(*training_);
  const int shard = static_cast<int>(index_of(id)) - training_->workers;
  const auto workers = static_cast<std::size_t>(training_->workers);
  for (const std::uint32_t index : training_->layout->of_shard(shard)) {
    gatherings_.push_back(
        {ShardBucket(training_, index, start), std::vector<Arrival>(workers), training_->workers});
  }
}

void SyncServer::handle(Instant now, Input input, Effects& effects) {
  if (finished_ || cut_.postpones(input)) return;
  if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (computed->job != ServerCut::kJob) {
      return applied(now, gatherings_[static_cast<std::size_t>(computed->job)], effects);
    }
    cut_.resume([&](Input each) { handle(now, std::move(each), effects); }, effects);
    if (cut_.kept(effects)) release(now, effects);
  } else if (std::holds_alternative<Started>(input)) {
    const bool restored = gatherings_.front().held;
    if (restored) return release(now, effects);
    cut_.wait_for_next(effects);
  } else if (std::holds_alternative<TimerFired>(input)) {
    cut_soon();
  }
}

void SyncServer::receive(Instant now, NodeId from, Message message, Effects& effects) {
  const auto gathering = std::ranges::find_if(
      gatherings_, [&](const Gathering& g) { return g.bucket.index() == message.bucket; });
  const bool known = gathering != gatherings_.end() && training_->is_worker(from);
  if (message.kind == MessageKind::enough) return stop(from, message.step, effects);
  if (message.kind == MessageKind::cut && cut_.hear(from, message)) return keep_if_due(effects);
  if (message.kind == MessageKind::kept && !training_->is_worker(from) && cut_.decides()) {
    if (cut_.hear_kept(from, message)) release(now, effects);
    return;
  }
  if (!known || message.kind != MessageKind::push ||
      !gather(now, from, message, *gathering, effects)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
  }
}

bool SyncServer::gather(Instant now, NodeId from, Message& push, Gathering& gathering,
                        Effects& effects) {
  Arrival& arrival = gathering.arrivals[index_of(from)];
  if (push.step.value != gathering.bucket.version().value || gathering.held || arrival.here ||
      !gathering.bucket.take_in(push.payload, effects)) {
    return false;
  }
  buffered_.take(push.payload.size());
  arrival = {true, now, std::move(push.payload)};
  if (--gathering.missing == 0) apply(now, gathering, effects);
  return true;
}

void SyncServer::apply(Instant now, Gathering& gathering, Effects& effects) {
  std::vector<Payload> pushes;
  pushes.reserve(gathering.arrivals.size());
  for (const Arrival& arrival : gathering.arrivals) pushes.push_back(arrival.push);
  gathering.apply_start = now;
  const JobId id{static_cast<std::uint64_t>(&gathering - gatherings_.data())};
  effects.emplace_back(Compute{gathering.bucket.apply_job(id, std::move(pushes))});
}

void SyncServer::applied(Instant now, Gathering& gathering, Effects& effects) {
  gathering.bucket.finish_apply();
  last_update_ = now;
  gathering.applied = now;
  if (!is_cut(gathering.bucket.version())) {
    answer(now, gathering, effects);
    return keep_if_due(effects);
  }
  gathering.held = true;
  if (!std::ranges::all_of(gatherings_, &Gathering::held)) return;
  const std::int64_t cut = gathering.bucket.version().value;
  const std::vector<std::int64_t> clocks(static_cast<std::size_t>(training_->workers), cut);
  cut_.announce(cut, clocks, effects);
  keep_if_due(effects);
}

void SyncServer::answer(Instant now, Gathering& gathering, Effects& effects) {
  const Version version = gathering.bucket.version();
  const bool last = version.value == training_->steps;
  for (int worker = 0; worker < training_->workers; ++worker) {
    const auto index = static_cast<std::size_t>(worker);
    Arrival arrival = std::exchange(gathering.arrivals[index], {});
    buffered_.let_go(arrival.push.size());
    Message message{.kind = last ? MessageKind::final_parameters : MessageKind::parameters,
                    .step = {version.value - 1},
                    .bucket = gathering.bucket.index(),
                    .version = version};
    // A checkpoint that held the answer was waited for, too.
    message.wait = gathering.apply_start - arrival.at + (now - gathering.applied);
    message.apply = gathering.applied - gathering.apply_start;
    if (!arrival.here) {  // restored: the push is not here any more
      message.wait = message.apply = {};
      message.payload = gathering.bucket.lend();
    } else {
      message.payload =
          last ? gathering.bucket.values() : gathering.bucket.answer(arrival.push, effects);
    }
    effects.emplace_back(Send{training_->worker(worker), std::move(message)});
  }
  gathering.missing = training_->workers;
  if (last && ++complete_ == gatherings_.size()) finish(training_->steps, effects);
}

Message SyncServer::last_values(const Gathering& gathering) {
  Message message{.kind = MessageKind::stop,
                  .bucket = gathering.bucket.index(),
                  .version = gathering.bucket.version()};
  message.payload = gathering.bucket.values();
  return message;
}

void SyncServer::stop(NodeId from, Step step, Effects& effects) {
  const auto is_evaluated_here = [&](const Gathering& g) {
    return g.bucket.version().value == step.value && g.missing > 0 && !g.arrivals.front().here;
  };
  if (from != training_->worker(0) || !std::ranges::all_of(gatherings_, is_evaluated_here)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  for (Gathering& gathering : gatherings_) {
    for (Arrival& arrival : gathering.arrivals) {
      buffered_.let_go(arrival.push.size());
      arrival = {};
    }
    for (int worker = 0; worker < training_->workers; ++worker) {
      effects.emplace_back(Send{training_->worker(worker), last_values(gathering)});
    }
  }
  finish(step.value, effects);
}

void SyncServer::finish(std::int64_t updates, Effects& effects) {
  finished_ = true;
  effects.emplace_back(Finished{
      .updates = updates, .gradients = updates * training_->workers, .last_update = last_update_});
}

namespace {

int backups_of(const ProtocolOptions& options) {
  return static_cast<int>(options.integer(kBackupWorkers));
}

std::unique_ptr<Node> sync_node(const std::shared_ptr<const Training>& training, NodeId id) {
  if (training->is_worker(id)) return std::make_unique<Worker>(training, id);
  if (backups_of(training->options) > 0) {
    return std::make_unique<BackupServer>(training, id);
  }
  return std::make_unique<SyncServer>(training, id);
}

// With backup workers shard 0 tells the other shards what it has chosen.
bool linked_in_sync(const Training& training, NodeId a, NodeId b) {
  const bool shards = !training.is_worker(a) && !training.is_worker(b);
  const bool first = a == training.server(0) || b == training.server(0);
  if (shards) {
    return (backups_of(training.options) > 0 && first) || linked_for_cuts(training, a, b);
  }
  return worker_with_server(training, a, b);
}

ServerState state_in_sync(const ProtocolOptions& options) {
  return backups_of(options) > 0 ? BackupServer::kState : SyncServer::kState;
}

std::int64_t gradients_of_step(const ProtocolOptions& options, int workers) {
  return workers - backups_of(options);
}

std::optional<WrongOption> too_many_backups(const ProtocolOptions& options, int workers) {
  const int backups = backups_of(options);
  if (backups < workers) return std::nullopt;
  return WrongOption{&kBackupWorkers,
                     fmt::format("{} of {} workers, so nobody is left to make a step; write fewer",
                                 backups, workers)};
}

}  // namespace

Protocol sync_protocol() {
  using enum MessageKind;
  return {.name = "sync",
          .doc = "an update takes a gradient of every worker",
          .servers = true,
          .options = {&kBackupWorkers},
          .messages = {push, parameters, final_parameters, stop, dropped, choice, late, enough, cut,
                       kept, pull, returned},
          .weighed_against = "async",
          .deterministic = [](const ProtocolOptions& o) { return backups_of(o) == 0; },
          .gradients_an_update = gradients_of_step,
          .gradients_an_apply = gradients_of_step,
          .most_lost = [](const ProtocolOptions& o, int /*workers*/) { return backups_of(o); },
          .takes_back = [](const ProtocolOptions& o) { return backups_of(o) > 0; },
          .takes_back_with = "with backup_workers or rejoin_limit",
          .wrong = too_many_backups,
          .server_state = state_in_sync,
          .linked = linked_in_sync,
          .make_node = sync_node};
}

}  // namespace foretrain
