// Interface of a node's event loop for its parts.
#pragma once

#include "models/protocol/node.h"

namespace foretrain::sim {

/// The first two calls come from an event in which the loop is awake.
class Loop {
 public:
  /// Passes an input to the node's program, then performs the effects.
  virtual void feed(Instant now, Input input) = 0;
  /// The event that the loop was awake for is handled: it reads all messages that have arrived.
  virtual void read_mail(Instant now) = 0;
  /// The chief's evaluation begins, or ends if false.
  virtual void evaluating(bool begins) = 0;

 protected:
  ~Loop() = default;
};

}  // namespace foretrain::sim
