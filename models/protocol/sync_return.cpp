// A worker of a synchronous server that comes back as another process.
#include "models/protocol/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace foretrain {

// What it has pushed stays: whoever takes its place would push the same.
void SyncServer::lose(Instant now, NodeId peer, Effects& effects) {
  if (!training_->is_worker(peer) || index_of(peer) == 0 || !training_->waits()) {
    effects.emplace_back(Fault{peer, "the connection to it was lost"});
    return;
  }
  const bool holds = std::ranges::any_of(gatherings_, &Gathering::held);
  const bool due = next_cut_.has_value();
  cut_.give_up();
  whole_from_[index_of(peer)] = kNotWhole;
  if (holds || due) release(now, effects);
  loss_timers_[index_of(peer)] = TimerId{++losses_};
  effects.emplace_back(ArmTimer{TimerId{losses_}, training_->rejoin_limit});
}

void SyncServer::give_up(TimerId timer, Effects& effects) const {
  for (int worker = 0; worker < training_->workers; ++worker) {
    const auto index = static_cast<std::size_t>(worker);
    if (seats_[index].taken || loss_timers_[index] != timer) continue;
    effects.emplace_back(Fault{
        training_->worker(worker),
        fmt::format("it did not come back within {:g} s", training_->rejoin_limit.seconds())});
  }
}

void SyncServer::pulled(NodeId from, const Message& pull, Gathering& gathering, Effects& effects) {
  const Seat& seat = seats_[index_of(from)];
  if (!seat.taken || pull.version.value != seat.generation) return;  // of one that is gone
  if (enough_) {
    effects.emplace_back(Send{from, last_values(gathering)});
    return;
  }
  const std::int64_t version = gathering.bucket.version().value;
  const bool older = pull.step.value < version;
  const bool kept = pull.step.value == version - 1 && gathering.before.size().value > 0;
  if (seat.is_first() || (older && !kept)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  gathering.standings[index_of(from)].generation = seat.generation;
  const std::int64_t sent = older ? version - 1 : version;
  Message message{.kind = MessageKind::parameters,
                  .step = {sent},
                  .bucket = gathering.bucket.index(),
                  .version = {sent}};
  // While the next values are made these are left as they are: `before` holds them.
  message.payload = older ? gathering.before : gathering.bucket.lend();
  effects.emplace_back(Send{from, std::move(message)});
}

bool SyncServer::is_late(NodeId from, const Gathering& gathering) const {
  const Seat& seat = seats_[index_of(from)];
  const bool begun = gathering.standings[index_of(from)].generation == seat.generation;
  return enough_ || !seat.taken || !begun;
}

bool SyncServer::is_again(NodeId from, const Message& push, const Gathering& gathering) const {
  const bool applied = push.step.value + 1 == gathering.bucket.version().value && !gathering.held;
  return !seats_[index_of(from)].is_first() && applied;
}

void SyncServer::answer_again(NodeId from, Message& push, Gathering& gathering, Effects& effects) {
  if (!gathering.bucket.take_in(push.payload, effects)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const Version version = gathering.bucket.version();
  Version& told = gathering.standings[index_of(from)].told;
  std::int64_t& whole_from = whole_from_[index_of(from)];
  whole_from = std::min(whole_from, push.step.value + 2);
  const bool last = version.value == training_->steps;
  const bool known = std::exchange(told, version) == version;
  Message message{.kind = last    ? MessageKind::final_parameters
                          : known ? MessageKind::dropped
                                  : MessageKind::parameters,
                  .step = push.step,
                  .bucket = gathering.bucket.index(),
                  .version = version};
  message.payload =
      last ? gathering.bucket.values() : gathering.bucket.answer(push.payload, effects);
  effects.emplace_back(Send{from, std::move(message)});
}

}  // namespace foretrain
