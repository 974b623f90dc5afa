#include "sim/engine/engine.h"

#include "models/base/check.h"

namespace foretrain::sim {

void Engine::schedule(Instant at, Callback callback) {
  FT_CHECK_OP(at.ns, >=, now_.ns);
  FT_CHECK(callback.actor != nullptr);
  if (at == now_) {
    now_due_.push_back(callback);
  } else {
    heap_.push({at, scheduled_++, callback});
  }
}

bool Engine::step() {
  Callback callback;
  if (!now_due_.empty() && (heap_.empty() || heap_.top().at > now_)) {
    callback = now_due_.pop_front();
  } else {
    if (heap_.empty()) return false;
    now_ = heap_.top().at;
    callback = heap_.top().callback;
    heap_.pop();
  }
  ++happened_;
  callback.actor->wake(now_, callback.token);
  return true;
}

}  // namespace foretrain::sim
