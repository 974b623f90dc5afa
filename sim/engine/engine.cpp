#include "sim/engine/engine.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain::sim {

void Engine::schedule(Instant at, Callback callback) {
  FT_CHECK_OP(at.ns, >=, now_.ns);
  FT_CHECK(callback.actor != nullptr);
  heap_.push_back({at, scheduled_++, callback});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

bool Engine::step() {
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Event event = heap_.back();
  heap_.pop_back();
  now_ = event.at;
  ++happened_;
  event.callback.actor->wake(now_, event.callback.token);
  return true;
}

}  // namespace foretrain::sim
