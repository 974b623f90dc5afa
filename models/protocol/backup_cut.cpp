// Where a server with backup workers keeps its state, goes on from it.
#include "models/protocol/backup.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain {

// Shard 0 holds an answer for everybody; others have answered everybody. Nothing is under way then.
bool BackupServer::is_as_wanted(const Gathering& gathering) const {
  const auto& standings = gathering.standings;
  if (chooses()) {
    return std::ranges::all_of(standings, [](const auto& s) { return s.held.has_value(); });
  }
  return gathering.bucket.version().value == cut_.wanted()->cut && gathering.decisions.empty() &&
         std::ranges::none_of(standings, [](const auto& s) { return s.push || s.owed; });
}

void BackupServer::look_at_cut(Effects& effects) {
  const bool wanted = cut_.wanted().has_value();
  if (wanted ? cut_.wanted()->keeping : !cutting_) return;
  if (!std::ranges::all_of(gatherings_, [&](const auto& g) { return is_as_wanted(g); })) return;
  if (!wanted) {
    // Whose gradients are in it other shards know by themselves.
    const std::vector<std::int64_t> clocks(seats_.size(), cutting_->value);
    cut_.announce(cutting_->value, clocks, effects);
  }
  cut_.keep(
      size_of_state(kState, training_->workers, gatherings_), [this] { return state(); }, effects);
}

std::string BackupServer::state() const {
  StateWriter writer;
  writer.time(last_update_);
  writer.integer(dropped_);
  for (const Gathering& gathering : gatherings_) {
    gathering.bucket.write(writer);
    for (const Standing& standing : gathering.standings) {
      writer.integer(standing.answered.step.value);
      writer.integer(standing.answered.dropped ? 1 : 0);
    }
  }
  return writer.take();
}

void BackupServer::restore(StateReader& state) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  last_update_ = state.instant();
  dropped_ = state.integer(0, std::numeric_limits<std::int64_t>::max());
  for (Gathering& gathering : gatherings_) {
    gathering.bucket.read(state);
    for (Standing& standing : gathering.standings) {
      standing.answered.step = {state.integer(0, kMost)};
      standing.answered.dropped = state.integer(0, 1) == 1;
      standing.pushed = standing.answered.step;
    }
  }
  state.end();
  decisions_ = gatherings_.front().bucket.version().value;
  cut_.begin_at(decisions_);
  restored_ = true;
}

void BackupServer::release(Instant now, Effects& effects) {
  if (!cutting_) return;
  cutting_.reset();
  for (Gathering& gathering : gatherings_) {
    for (std::uint32_t worker = 0; worker < gathering.standings.size(); ++worker) {
      Standing& standing = gathering.standings[worker];
      std::optional<Held> held = std::exchange(standing.held, {});
      if (!held || seats_[worker].is_gone(standing.generation)) continue;
      held->message.wait = held->message.wait + (now - held->since);  // it was waited for, too
      effects.emplace_back(
          Send{training_->worker(static_cast<int>(worker)), std::move(held->message)});
    }
  }
  cut_.wait_for_next(effects);
}

void BackupServer::answer_all(Effects& effects) {
  for (Gathering& gathering : gatherings_) {
    for (std::uint32_t worker = 0; worker < gathering.standings.size(); ++worker) {
      const Answered& answered = gathering.standings[worker].answered;
      Message message{.kind = answered.dropped ? MessageKind::dropped : MessageKind::parameters,
                      .step = answered.step,
                      .bucket = gathering.bucket.index(),
                      .version = gathering.bucket.version()};
      message.payload = gathering.bucket.lend();  // the push is not here any more
      effects.emplace_back(Send{training_->worker(static_cast<int>(worker)), std::move(message)});
    }
  }
}

}  // namespace foretrain
