// What a node holds of what others have sent.
#pragma once

#include "models/base/quantity.h"

#include <algorithm>

namespace foretrain {

/// Bytes of payloads, from when they are taken to when they are let go.
class BufferedBytes {
 public:
  void take(Bytes size) {
    now_ += size;
    most_ = std::max(most_, now_);
  }
  void let_go(Bytes size) { now_ = now_ - size; }
  [[nodiscard]] Bytes most() const { return most_; }

 private:
  Bytes now_;
  Bytes most_;
};

/// A node's program that holds payloads of others longer than it takes to copy them: gradients that
/// a server gathers, or has not come to yet; sums that a worker has not added its own to.
class Buffering {
 public:
  virtual ~Buffering() = default;
  /// The most that it has held at one time.
  [[nodiscard]] Bytes peak_buffered() const { return buffered_.most(); }

 protected:
  BufferedBytes buffered_;
};

}  // namespace foretrain
