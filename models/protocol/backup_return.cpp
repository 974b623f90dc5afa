// A worker of a server with backup workers that comes back as another process.
#include "models/protocol/backup.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace foretrain {

bool BackupServer::takes_part(const Gathering& gathering, std::uint32_t worker) const {
  const Seat& seat = seats_[worker];
  return seat.taken && gathering.standings[worker].generation == seat.generation;
}

// Of what is decided nothing changes: other shards may have done it.
void BackupServer::forget(std::uint32_t worker) {
  std::erase(complete_, worker);
  for (Gathering& gathering : gatherings_) {
    const auto concerns = [worker](const Decision& d) { return d.concerns(worker); };
    if (std::ranges::any_of(gathering.decisions, concerns)) continue;
    Standing& standing = gathering.standings[worker];
    if (standing.push && &gathering == &gatherings_.front()) ++dropped_;
    let_go(standing.push);
  }
}

// The first bucket of all is shard 0's: its pull is what the decision comes of.
void BackupServer::pulled(Instant now, NodeId from, Message pull, Gathering& gathering,
                          Effects& effects) {
  const std::uint32_t worker = index_of(from);
  const Seat& seat = seats_[worker];
  if (!seat.taken || pull.version.value != seat.generation) return;  // of one that is gone
  if (gathering.over) {
    effects.emplace_back(Send{from, last_values(gathering)});
    return;
  }
  Standing& standing = gathering.standings[worker];
  const bool decided = standing.generation == seat.generation;
  if (seat.is_first() || standing.pull || (decided && !standing.owed)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  standing.listens = true;
  standing.pull = Arrival{now, std::move(pull)};
  if (decided) return welcome(gathering, worker, effects);
  if (gathering.bucket.index() != 0) return;  // the decision is on its way
  // One may have been under way beside the last that came, also of a process that pulled in vain.
  ++standing.pushed;
  standing.pull->message.step = standing.pushed.next();
  if (enough_ || decisions_ == training_->updates) return;  // it is told of the end
  Decision decision{.what = Decision::What::returned, .worker = worker};
  decision.generation = seat.generation;
  decide(now, decision, effects);
}

void BackupServer::seat(Gathering& gathering, const Decision& decision, Effects& effects) {
  Standing& standing = gathering.standings[decision.worker];
  let_go(standing.push);  // of the process before
  standing.generation = decision.generation;
  standing.first = {std::numeric_limits<std::int64_t>::max()};  // it pulls before it pushes
  standing.owed = Owed{gathering.bucket.lend(), gathering.bucket.version()};
  const bool here = standing.pull && standing.pull->message.version.value == decision.generation;
  if (here) welcome(gathering, decision.worker, effects);
}

// No cut holds this: it is no answer to a step.
void BackupServer::welcome(Gathering& gathering, std::uint32_t worker, Effects& effects) {
  Standing& standing = gathering.standings[worker];
  standing.first = standing.pull->message.step;
  Message message{.kind = MessageKind::parameters,
                  .step = standing.first,
                  .bucket = gathering.bucket.index(),
                  .version = standing.owed->version};
  message.payload = standing.owed->values;
  standing.pull.reset();
  standing.owed.reset();
  effects.emplace_back(Send{training_->worker(static_cast<int>(worker)), std::move(message)});
}

bool BackupServer::all_take_part() const {
  for (const Gathering& gathering : gatherings_) {
    for (std::uint32_t worker = 0; worker < seats_.size(); ++worker) {
      if (!takes_part(gathering, worker)) return false;
    }
  }
  return true;
}

}  // namespace foretrain
