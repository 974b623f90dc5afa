// Where a synchronous server keeps its state, goes on from it.
#include "models/protocol/sync.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace foretrain {

// Here, too, the last step has no cut: what comes after it is the end.
bool SyncServer::is_cut(Version version) {
  if (!cut_.decides() || version.value == training_->steps) return false;
  if (training_->checkpoint.steps > 0) return cut_.is_due(version.value);
  return next_cut_ == version.value;
}

void SyncServer::cut_soon() {
  std::int64_t next = 0;
  for (const Gathering& gathering : gatherings_) {
    next = std::max(next, gathering.bucket.version().value + 1);
  }
  next_cut_ = next;
}

void SyncServer::keep_if_due(Effects& effects) {
  const auto& wanted = cut_.wanted();
  const auto is_there = [&](const Gathering& g) { return g.bucket.version().value == wanted->cut; };
  if (!wanted || wanted->keeping || !std::ranges::all_of(gatherings_, is_there)) return;
  cut_.keep(
      size_of_state(kState, training_->workers, gatherings_), [this] { return state(); }, effects);
}

std::string SyncServer::state() const {
  StateWriter writer;
  writer.time(last_update_);
  for (const Gathering& gathering : gatherings_) gathering.bucket.write(writer);
  return writer.take();
}

void SyncServer::restore(StateReader& state) {
  last_update_ = state.instant();
  for (Gathering& gathering : gatherings_) {
    gathering.bucket.read(state);
    gathering.held = true;
  }
  state.end();
  const std::int64_t cut = gatherings_.front().bucket.version().value;
  const auto is_there = [&](const Gathering& g) { return g.bucket.version().value == cut; };
  if (cut < 1 || cut >= training_->steps || !std::ranges::all_of(gatherings_, is_there)) {
    throw StateError(kNoCut);
  }
  cut_.begin_at(cut);
}

void SyncServer::release(Instant now, Effects& effects) {
  next_cut_.reset();
  for (Gathering& gathering : gatherings_) {
    if (std::exchange(gathering.held, false)) answer(now, gathering, effects);
  }
  cut_.wait_for_next(effects);
}

}  // namespace foretrain
