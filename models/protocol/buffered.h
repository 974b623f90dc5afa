// The bytes of received payloads that a node holds.
#pragma once

#include "models/base/quantity.h"

#include <algorithm>

namespace foretrain {

/// Bytes of payloads, counted from receipt to release.
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
/// a server collects or has not come to, sums to which a worker has not added its part.
class Buffering {
 public:
  virtual ~Buffering() = default;
  /// The most bytes held at one time.
  [[nodiscard]] Bytes peak_buffered() const { return buffered_.most(); }

 protected:
  BufferedBytes buffered_;
};

}  // namespace foretrain
