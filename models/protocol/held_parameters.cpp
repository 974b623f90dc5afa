#include "models/protocol/held_parameters.h"

#include <algorithm>
#include <utility>

namespace foretrain {

void HeldParameters::put(const Bucket& bucket, const Payload& values) {
  if (bucket.size() == all_.size()) {
    all_ = values;
    return;
  }
  if (!values.has_bytes()) return;
  // A message, or a job that has just ended, may hold the old ones for a moment yet.
  if (!all_.unshared()) {
    Payload copy = Payload::allocate(all_.size());
    std::ranges::copy(all_.floats(), copy.writable_floats().begin());
    all_ = std::move(copy);
  }
  std::ranges::copy(values.floats(), all_.writable_floats().begin() + bucket.first);
}

}  // namespace foretrain
