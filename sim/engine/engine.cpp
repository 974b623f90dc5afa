#include "sim/engine/engine.h"

#include "models/base/check.h"
#include "sim/engine/fetch.h"

namespace foretrain::sim {

void Engine::schedule(Instant at, Callback callback) {
  FT_CHECK_OP(at.ns, >=, now_.ns);
  FT_CHECK(callback.actor != nullptr);
  if (at == now_) {
    now_due_.push_back(callback);
  } else {
    later_.push({at, scheduled_++, callback});
  }
}

bool Engine::step() {
  Callback callback;
  if (!now_due_.empty()) {
    look_ahead();
    callback = now_due_.pop_front();
  } else if (!later_.empty()) {
    callback = go_on();
  } else {
    return false;
  }
  ++happened_;
  callback.actor->wake(now_, callback.token);
  return true;
}

// Advances the clock to the next instant that has events and returns the first of them.
Callback Engine::go_on() {
  const Callback first = later_.front().callback;
  now_ = later_.front().at;
  for (later_.pop_front(); !later_.empty() && later_.front().at == now_; later_.pop_front()) {
    now_due_.push_back(later_.front().callback);
  }
  return first;
}

void Engine::look_ahead() const {
  const auto next = now_due_.begin();
  if (now_due_.size() > 2 * kFetchedAhead) fetch(*next[2 * kFetchedAhead].actor);
  if (now_due_.size() <= kFetchedAhead) return;
  const Callback& callback = next[kFetchedAhead];
  callback.actor->expect(callback.token);
}

}  // namespace foretrain::sim
