#include "models/protocol/collective_turns.h"

#include "models/base/check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace foretrain {

void CollectiveTurns::begin(MessageKind kind, Step round, BucketRun buckets, std::size_t sends) {
  if (wanted_ && sends > 0) open_.push_back({kind, round, buckets, sends, {}});
}

// A worker takes part in one gather at a time, so new values belong to the last one.
CollectiveTurns::Collective& CollectiveTurns::of(const Message& message) {
  const auto is_of = [&](const Collective& each) {
    if (each.kind != message.kind) return false;
    return each.buckets.empty() || (each.round == message.step && each.buckets.has(message.bucket));
  };
  const auto found = std::find_if(open_.rbegin(), open_.rend(), is_of);
  FT_CHECK(found != open_.rend());
  return *found;
}

void CollectiveTurns::pass(Effects& effects) {
  if (!wanted_) return;
  const auto waits = [this](Effect& effect) {
    auto* send = std::get_if<Send>(&effect);
    if (send == nullptr || send->message.in_order) return false;
    Message& message = send->message;
    if (message.kind != MessageKind::parameters && message.kind != MessageKind::partial) {
      return false;
    }
    message.in_order = true;
    Collective& collective = of(message);
    --collective.left;
    if (&collective == &open_.front()) return false;
    collective.held.push_back(std::move(*send));
    return true;
  };
  std::erase_if(effects, waits);
  while (!open_.empty() && open_.front().left == 0) {
    open_.pop_front();
    if (open_.empty()) return;
    std::ranges::move(open_.front().held, std::back_inserter(effects));
    open_.front().held.clear();
  }
}

}  // namespace foretrain
