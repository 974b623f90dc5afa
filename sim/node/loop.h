// What the parts of a node know of its event loop.
#pragma once

#include "models/protocol/node.h"

namespace foretrain::sim {

/// Both calls come from an event in which the loop is awake.
class Loop {
 public:
  /// Tells the node's program, then performs what it wants done.
  virtual void feed(Instant now, Input input) = 0;
  /// What the loop was awake for is done: it reads all messages that have come.
  virtual void read_mail(Instant now) = 0;
  /// The chief evaluates the parameters: from now on, or (false) no more.
  virtual void evaluating(bool begins) = 0;

 protected:
  ~Loop() = default;
};

}  // namespace foretrain::sim
